// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/benchmark.h>
#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

namespace sinter::benchmarks {

using Arguments = const std::vector<Tensor>&;
using Results = std::vector<Tensor>;

/// A tensor argument with random values in [low, high].
struct Input {
  DType dtype;
  Dims shape;
  Dims strides = {};  ///< in elements; row-major if empty
  double low = -2, high = 2;
};

/// Something to compare: a function of tensors, and what it is called with. A workload is a file in
/// benchmarks/workloads, which defines one object of this kind; its peers lie beside it, in <name>.py.
struct Workload {
  /// Adds itself to workloads().
  Workload(std::string name, std::vector<Input> inputs, std::function<Results(Arguments)> run,
           Math math = Math::accurate);

  std::string name;
  std::vector<Input> inputs;
  std::function<Results(Arguments)> run;
  Math math;
};

/// All that are linked in, by name.
const std::vector<const Workload*>& workloads();

/// Random arguments on a device.
std::vector<Tensor> make_arguments(const Workload& workload, Device device);

/// {"name": .., "ways": [{"name": .., "cold_ms": ..}, ..], ..} and, with a line of titles, comma-separated values.
std::string json(const BenchmarkResult& result);
std::string csv_titles();
std::string csv(const BenchmarkResult& result);

}  // namespace sinter::benchmarks
