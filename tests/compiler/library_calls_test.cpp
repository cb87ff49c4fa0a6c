// SPDX-License-Identifier: Apache-2.0
// Generated f32 and half code computes its functions itself: no call into a mathematical library, in CUDA text or in
// CPU objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "runtime/device/backend.h"
#include "src/compiler/codegen.h"
#include "src/compiler/pipeline.h"
#include "src/ops/ops.h"
#include "tests/support/op_cases.h"

namespace sinter::compiler {
namespace {

constexpr int cases_of_an_op = 8;
constexpr const char* functions[] = {"exp", "exp2", "expm1", "log",  "log2", "log10", "log1p", "pow",   "sin", "cos",
                                     "tan", "tanh", "sinh",  "cosh", "erf",  "erfc",  "cbrt",  "hypot", "fmod"};
/// These are instructions in CUDA.
constexpr const char* instructions[] = {"round", "floor", "trunc", "rint", "nearbyint", "ceil", "fma", "sqrt"};

bool is_double(const graph::Graph& g) {
  for (graph::NodeId i = 0; i < g.size(); ++i)
    for (const graph::ValueType& t : g.node(i).results)
      if (t.dtype == f64) return true;
  return false;
}

/// What NVRTC compiles of a text: no comments (the user's ops are in them), no host twins.
std::string device_part(const std::string& text) {
  std::string kept;
  bool host = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    const std::string line = text.substr(at, end + 1 - at);
    if (line.starts_with("#ifdef SINTER_HOST")) host = true;
    if (!host && !line.starts_with("//")) kept += line;
    if (line.starts_with("#else") || line.starts_with("#endif")) host = false;
    at = end + 1;
  }
  return kept;
}

bool is_word(char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; }

/// Is the name followed by a parenthesis anywhere, as a word of its own?
bool calls(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && end < text.size() && text[end] == '(') return true;
  }
  return false;
}

/// Is the name in an object's table of strings?
bool needs(const std::string& object, const std::string& name) {
  return object.find(std::string(1, '\0') + name + std::string(1, '\0')) != std::string::npos;
}

template <class Check>
int each_f32_case(const Check& check) {
  ops::register_all_ops();
  int cases = 0;
  for (const graph::OpDef* op : graph::all_ops()) {
    int of_this = 0;
    for (int variant = 0; of_this < cases_of_an_op; ++variant) {
      const auto c = test::op_case(*op, variant);
      if (!c) break;
      if (is_double(c->graph)) continue;
      check(*c);
      ++of_this;
      ++cases;
    }
  }
  return cases;
}

TEST(LibraryCalls, CudaTextHasNone) {
  device::Properties properties;
  properties.architecture = "simt";  // its image is the text
  properties.multiprocessors = 132;
  const int cases = each_f32_case([&](const test::OpCase& c) {
    graph::Graph g = c.graph;
    g.device = Device::cuda(0);
    for (const CodeImage& image : run_pipeline(g, {}, properties).images) {
      const std::string text = device_part(image.source);
      for (const std::string name : functions)
        for (const std::string& form : {name, name + "f", "__nv_" + name + "f", "__" + name + "f"})
          EXPECT_FALSE(calls(text, form)) << c.name << " calls " << form;
    }
  });
  EXPECT_GT(cases, 200);
}

TEST(LibraryCalls, CpuObjectsHaveNone) {
  const device::Properties& properties = device::backend(Device::cpu()).properties();
  if (!has_code_generator(Device::cpu(), properties)) GTEST_SKIP() << "built without LLVM";
  const int cases = each_f32_case([&](const test::OpCase& c) {
    for (const CodeImage& image : run_pipeline(c.graph, {}, properties).images)
      for (const std::span<const char* const> names :
           {std::span<const char* const>(functions), std::span<const char* const>(instructions)})
        for (const std::string name : names)
          EXPECT_FALSE(needs(image.image, name) || needs(image.image, name + "f")) << c.name << " needs " << name;
  });
  EXPECT_GT(cases, 200);
}

TEST(LibraryCalls, TheTestSeesWhatItLooksFor) {
  EXPECT_TRUE(calls("y = expf(x);", "expf"));
  EXPECT_FALSE(calls("y = sn_expf(x);", "expf"));
  EXPECT_EQ(device_part("a\n#ifdef SINTER_HOST\nexp2f(v)\n#else\nb\n#endif\nc\n").find("exp2f"), std::string::npos);
  // f64 functions are the platform's: their names are in objects and text.
  ops::register_all_ops();
  const graph::Graph g =
      graph::parse("graph \"f\" on cpu {\n  symbols 0\n  %0 f64 [64] = input\n  %1 f64 [64] = exp(%0)\n  return %1\n}");
  const device::Properties& properties = device::backend(Device::cpu()).properties();
  if (!has_code_generator(Device::cpu(), properties)) return;
  const Generated made = run_pipeline(g, {}, properties);
  EXPECT_TRUE(needs(made.images.at(0).image, "exp"));
}

}  // namespace
}  // namespace sinter::compiler
