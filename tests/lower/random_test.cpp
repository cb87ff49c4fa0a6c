// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/lower/random_graph.h"

namespace sinter::test {
namespace {

// Whatever is fused, the loops give the reference's bits.
TEST(LowerRandom, FusionNeverChangesBits) {
  ops::register_all_ops();
  size_t fused = 0, unfused = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph r = random_graph(seed, 14);
    const auto expected = reference::interpret(r.builder.g, r.inputs);
    for (const lower::Options& o :
         {lower::Options{}, lower::Options{.several_outputs = false}, lower::Options{.fuse = false}})
      for (bool collapsed : {false, true}) {
        const loop::Program p = lowered(r.builder.g, o, collapsed);
        (o.fuse ? fused : unfused) += p.groups.size();
        const auto got = run(p, r.builder.g, r.inputs);
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_EQ(first_difference(expected[i], got[i]), "")
              << "seed " << seed << ", output " << i << (o.fuse ? ", fused" : ", not fused") << "\n"
              << graph::print(r.builder.g) << loop::print(p);
      }
  }
  EXPECT_LT(fused, unfused) << "two fused programs against one unfused one";
}

}  // namespace
}  // namespace sinter::test
