// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sinter::test {

/// 0, 1, 2, ... as f32 of a shape.
Tensor counting(const Dims& shape);

inline std::vector<float> f32_values(const Tensor& t) { return to_vector<float>(t); }

/// The elements' bits, so that NaN equals itself and -0 differs from 0.
template <class T>
std::vector<uint64_t> bits(const Tensor& t) {
  std::vector<uint64_t> result;
  for (T v : to_vector<T>(t)) {
    uint64_t b = 0;
    std::memcpy(&b, &v, sizeof v);
    result.push_back(b);
  }
  return result;
}

/// The message of the error of type E that `f` throws; anything else is an empty text.
template <class E, class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// "file.cpp:12" of a line of this file.
inline std::string line_text(const char* file, int line) { return SourceLine{file, line}.text(); }

}  // namespace sinter::test
