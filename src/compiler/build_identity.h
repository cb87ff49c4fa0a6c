// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sinter::compiler {

/// Names the build of this code: the linker's build id of the object it is in. Cached code of another build is never
/// used, since any part of the compiler may have changed. Without a build id: the version and the time of compilation.
const std::string& build_identity();

}  // namespace sinter::compiler
