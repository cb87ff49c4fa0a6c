// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {

/// sum, amax, mean_var, argmax, softmax, log_softmax, cumsum over dim `dim` of the only argument; layer_norm and
/// rms_norm over the last, with weights of its length behind; cross_entropy of [N, C] with N targets behind. Throws
/// std::invalid_argument for another name.
std::function<Results(Arguments)> named_reduction(std::string_view name, int64_t dim);

/// Of "bf16|4096 8192|1 4096|-2 2": dtype, shape, strides (none: row-major), range of values; several are separated by
/// ";". Throws std::invalid_argument.
std::vector<Input> parse_inputs(std::string_view text);

}  // namespace sinter::benchmarks
