# fmt of the machine instead of a remote's; after another profile: conan create ... -pr default -pr <this file>
[platform_requires]
fmt/9.1.0
