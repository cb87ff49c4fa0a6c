// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sinter::saved {

/// The image of a kernel from its CUDA C. DeviceError if there is no NVRTC.
std::string compile_source(const std::string& text, std::string_view entry, std::string_view architecture);

}  // namespace sinter::saved
