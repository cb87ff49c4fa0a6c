// SPDX-License-Identifier: Apache-2.0
// Calls that write, count and order by index against PyTorch's results (tests/golden/index_writes.txt), bit for bit: at
// once and compiled.
#include <functional>
#include <map>

#include "tests/capture/support.h"
#include "tests/ops/golden.h"

namespace sinter::test {
namespace {

struct Case {
  std::string text;  ///< name and arguments
  std::string name;
  std::map<std::string, int64_t> arguments;
  std::vector<Tensor> tensors;  ///< operands, then results

  int64_t operator[](const std::string& key) const { return arguments.at(key); }
};

Tensor tensor_of(const std::vector<std::string>& words) {
  const DType t = *DType::parse(words[0]);
  const Dims shape(std::span<const int64_t>(golden::integers(words[1])));
  std::vector<std::byte> data;
  for (size_t i = 2; i < words.size(); ++i) {
    const uint64_t bits = golden::bits(words[i]);
    const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
    data.insert(data.end(), bytes, bytes + t.bytes());
  }
  const Tensor borrowed = from_blob(data.data(), shape, t);
  Tensor own = zeros(shape, t);
  if (!data.empty()) own = to(borrowed, t);
  (void)own.data_ptr();  // computed before the words go
  return own;
}

Case case_of(const std::vector<std::string>& words) {
  Case c;
  size_t i = 0;
  for (; words[i] != "|"; ++i) {
    c.text += (i > 0 ? " " : "") + words[i];
    const size_t equal = words[i].find('=');
    if (i > 0) c.arguments[words[i].substr(0, equal)] = std::stoll(words[i].substr(equal + 1));
  }
  c.name = words[0];
  while (i < words.size()) {
    std::vector<std::string> tensor;
    for (++i; i < words.size() && words[i] != "|"; ++i) tensor.push_back(words[i]);
    c.tensors.push_back(tensor_of(tensor));
  }
  return c;
}

using Operands = std::vector<Tensor>;
using Function = std::function<std::vector<Tensor>(const Case&, const Operands&)>;

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"scatter", [](const Case& c, const Operands& t) { return Operands{scatter(t[0], c["dim"], t[1], t[2])}; }},
      {"scatter_add",
       [](const Case& c, const Operands& t) { return Operands{scatter_add(t[0], c["dim"], t[1], t[2])}; }},
      {"index_copy", [](const Case& c, const Operands& t) { return Operands{index_copy(t[0], c["dim"], t[1], t[2])}; }},
      {"index_add", [](const Case& c, const Operands& t) { return Operands{index_add(t[0], c["dim"], t[1], t[2])}; }},
      {"index_fill",
       [](const Case& c, const Operands& t) { return Operands{index_fill(t[0], c["dim"], t[1], c["value"])}; }},
      {"index_put",
       [](const Case& c, const Operands& t) {
         const auto end = t.begin() + 2 + c["count"];
         return Operands{index_put(t[0], {t.begin() + 2, end}, t[1], {.accumulate = c["accumulate"] != 0})};
       }},
      {"sort",
       [](const Case& c, const Operands& t) {
         const Sorted s = sort(t[0], {.dim = c["dim"], .descending = c["descending"] != 0});
         return Operands{s.values, s.indices};
       }},
      {"argsort",
       [](const Case& c, const Operands& t) {
         return Operands{argsort(t[0], {.dim = c["dim"], .descending = c["descending"] != 0})};
       }},
      {"topk",
       [](const Case& c, const Operands& t) {
         const Sorted s = topk(t[0], c["k"], {.dim = c["dim"], .largest = c["largest"] != 0});
         return Operands{s.values, s.indices};
       }},
      {"bincount",
       [](const Case& c, const Operands& t) { return Operands{bincount(t[0], {.minlength = c["minlength"]})}; }},
      {"weights", [](const Case&, const Operands& t) { return Operands{bincount(t[0], {.weights = t[1]})}; }},
      {"histc",
       [](const Case& c, const Operands& t) {
         return Operands{histc(
             t[0], {.bins = c["bins"], .min = static_cast<double>(c["min"]), .max = static_cast<double>(c["max"])})};
       }},
  };
  return all;
}

std::vector<std::byte> bytes_of(const Tensor& t) {
  std::vector<std::byte> bytes(static_cast<size_t>(t.numel() * t.dtype().bytes()));
  copy_to_host(t, bytes.data(), t.dtype(), {});
  return bytes;
}

void expect_results(const Case& c, const std::vector<Tensor>& results) {
  const size_t operands = c.tensors.size() - results.size();
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& expected = c.tensors[operands + i];
    ASSERT_EQ(results[i].dtype(), expected.dtype());
    ASSERT_EQ(results[i].shape(), expected.shape());
    EXPECT_EQ(bytes_of(results[i]), bytes_of(expected)) << "result " << i;
  }
}

TEST(IndexWrites, GoldensAtOnceAndCompiled) {
  size_t cases = 0;
  for (const auto& words : golden::read("index_writes")) {
    const Case c = case_of(words);
    SCOPED_TRACE(c.text + " of " + std::string(c.tensors[0].dtype().name()) + " " + c.tensors[0].shape().text());
    const Function& f = functions().at(c.name);
    expect_results(c, f(c, c.tensors));
    auto compiled = compile([&](const std::vector<Tensor>& t) { return f(c, t); });
    expect_results(c, compiled(c.tensors));
    ++cases;
  }
  EXPECT_GT(cases, 60u);
}

}  // namespace
}  // namespace sinter::test
