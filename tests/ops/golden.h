// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::golden {

/// The words of each line of tests/golden/<name>.txt.
std::vector<std::vector<std::string>> read(std::string_view name);

/// "2,3" as integers; "scalar" and "all" are empty.
std::vector<int64_t> integers(std::string_view text);

/// Bits from hexadecimal text.
uint64_t bits(const std::string& hexadecimal);

/// Is the other value within `ulps` units in the last place (0: equal bits)? NaNs are equal to each other, and zeros if
/// `zeros_alike`.
bool close(DType dtype, uint64_t expected, uint64_t got, int64_t ulps, bool zeros_alike = false);

}  // namespace sinter::golden
