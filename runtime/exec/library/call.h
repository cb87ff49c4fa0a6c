// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::exec {

/// An extent that is a symbol: not known when a provider is asked at compile time. It is at least 2.
inline constexpr int64_t unknown_extent = -1;

/// A tensor of a call. While compiling strides are empty: the provider must take whatever the op's call rule lets
/// through (src/graph/call_rule.h). When run, all is known.
struct CallTensor {
  DType dtype;
  Dims shape;
  Dims strides;       ///< in elements; those of dims of extent 1 mean nothing
  int alignment = 1;  ///< of the first element's address in bytes, 16 at most
  friend bool operator==(const CallTensor&, const CallTensor&) = default;
};

/// A number or extent among a call's attributes.
struct CallNumber {
  bool floating = false;
  bool known = true;  ///< while compiling false where it is a symbol
  int64_t bits = 0;   ///< the integer, or the bits of the double
  double as_double() const;
  friend bool operator==(const CallNumber&, const CallNumber&) = default;
};

/// What is to be computed: everything that a provider's choice of an algorithm may depend on. Attributes come in the
/// order of the op's parameters, as graph::Attributes keeps them: structural words, then numbers and extents.
struct CallDescription {
  std::string op;
  std::vector<int64_t> words;
  std::vector<CallNumber> numbers;
  std::vector<CallTensor> operands;
  std::vector<CallTensor> results;  ///< dense, row-major
  friend bool operator==(const CallDescription&, const CallDescription&) = default;
};

}  // namespace sinter::exec
