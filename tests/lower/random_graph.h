// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "tests/lower/build.h"

namespace sinter::test {

struct RandomGraph {
  GraphBuilder builder;
  std::vector<reference::Array> inputs;
};

/// A graph of 3 to `max_nodes` ops over small tensors: arithmetic with broadcasting, functions, views, pads, joins,
/// folds over any dims, several outputs. Every value is used or leaves.
RandomGraph random_graph(uint64_t seed, int max_nodes);

}  // namespace sinter::test
