# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe of the checkout that it lies in."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")


class SinterRecipe(ConanFile):
    name = "sinter"
    description = "A tensor compiler library for C++ programs"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "with_llvm": ["AUTO", "ON", "OFF"],
        "with_cuda": ["AUTO", "ON", "OFF"],
    }
    default_options = {"shared": False, "with_llvm": "AUTO", "with_cuda": "AUTO"}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"project\(sinter VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        copy(self, "CMakeLists.txt", root, self.export_sources_folder)
        copy(self, "LICENSE", root, self.export_sources_folder)
        for folder in ("cmake", "codegen", "include", "runtime", "src"):
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder))

    def requirements(self):
        self.requires("fmt/[>=8 <12]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BUILD_SHARED_LIBS"] = bool(self.options.shared)
        toolchain.cache_variables["SINTER_WITH_LLVM"] = str(self.options.with_llvm)
        toolchain.cache_variables["SINTER_WITH_CUDA"] = str(self.options.with_cuda)
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"SINTER_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own configuration files know the components sinter::runtime and sinter::sinter.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "sinter"))
