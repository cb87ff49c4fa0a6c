// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

/// The value of an op's attribute: absent (an optional number), a flag, an integer, a floating number, a list of
/// integers, a dtype, a device, or the name of an enumeration's value.
using AttributeValue = std::variant<std::monostate, bool, int64_t, double, Dims, DType, Device, std::string>;

struct Attribute {
  std::string name;
  AttributeValue value;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

}  // namespace sinter
#pragma GCC visibility pop
