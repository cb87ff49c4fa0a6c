// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "codegen/schedule/schedule.h"
#include "runtime/device/cubin.h"
#include "runtime/device/log.h"
#include "src/compiler/library_choice.h"
#include "src/compiler/steps.h"
#include "src/graph/registry.h"
#include "src/lower/lower.h"
#include "src/passes/channels_last.h"
#include "src/passes/decompose.h"
#include "src/passes/fuse_activations.h"
#include "src/passes/fuse_epilogues.h"
#include "src/passes/unroll_contractions.h"
#include "src/passes/use_approximations.h"

namespace sinter::compiler {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Has clusters of blocks, of at least 8 on every machine, and bulk copies.
bool is_hopper_or_later(std::string_view architecture) {
  constexpr std::string_view known[] = {"simt", "sm_90", "sm_90a", "sm_100", "sm_100a"};
  return std::ranges::find(known, architecture) != std::end(known);
}

schedule::Target target_of(Device device, const device::Properties& p, const Options& o) {
  schedule::Target t;
  t.cuda = device.is_cuda();
  t.vector_bits = p.vector_bits;
  t.processors = p.multiprocessors;
  t.aligned = o.aligned;
  t.folds = o.folds;
  t.shared_bytes = static_cast<int64_t>(p.shared_bytes_per_block);
  t.bulk_copies = is_hopper_or_later(p.architecture);
  t.cluster = t.bulk_copies ? 8 : 1;
  return t;
}

/// Groups as the machine wants them. Of few long rows, what goes through them several times is one kernel where the
/// programs of a cluster can keep a row; whether they can is seen when the groups are there.
loop::Program lower_for(const schedule::Target& target, const graph::Graph& graph, const Options& o) {
  lower::Options options{.fuse = o.fusion != Fusion::none,
                         .several_outputs = o.fusion == Fusion::all,
                         .round_each_op = o.rounding == Rounding::per_op};
  if (!target.cuda) return lower::lower(graph, options);
  if (target.cluster > 1) {
    options.many_rows = 0;
    loop::Program program = lower::lower(graph, options);
    const auto idles = [&](const loop::Group& g) {
      return !g.nests.empty() && schedule::leaves_processors_idle(program, g.nests[0], target);
    };
    if (std::ranges::none_of(program.groups, idles)) return program;
  }
  options.many_rows = target.processors;
  return lower::lower(graph, options);
}

/// Who computes each call that decomposition left.
void choose_providers(loop::Program& program, const graph::Graph& primitive) {
  for (loop::Group& group : program.groups)
    if (group.call)
      group.call->provider =
          required_provider(describe(primitive, primitive.node(group.nodes.at(0))), primitive.device).name();
}

/// Which nodes share each kernel, and why the values between kernels have memory.
void log_fusion(const loop::Program& program) {
  using device::LogChannel;
  if (!device::log_enabled(LogChannel::fusion)) return;
  for (const loop::Group& group : program.groups) {
    std::string nodes;
    for (const graph::NodeId id : group.nodes) nodes += fmt::format(" %{}", id);
    device::log(LogChannel::fusion, fmt::format("{}: {}{}", group.name, group.call ? "call" : "kernel", nodes));
    for (const std::string& note : group.notes)
      device::log(LogChannel::fusion, fmt::format("{}: {}", group.name, note));
  }
}

/// Does a kernel keep values in memory because it has no registers left? A stack frame alone does not say so: slow
/// paths of divisions have one.
bool spills(const CodeImage& image, const device::Properties& properties) {
  if (!properties.architecture.starts_with("sm_")) return false;
  const device::FunctionInfo info =
      device::kernel_resources(std::as_bytes(std::span(image.image.data(), image.image.size())), image.entry);
  constexpr int registers = 64 * 1024, most = 255, granularity = 8;
  return info.local_bytes > 0 && info.registers > std::min(registers / image.threads, most) - granularity;
}

/// Generates code once for kernels that are equal but for their names: the many boxes of a long cat, repeated layers.
class CodeGenerator {
 public:
  CodeGenerator(Device device, const device::Properties& properties) : device_(device), properties_(properties) {}

  CodeImage operator()(const schedule::ScheduledKernel& kernel) {
    const auto [at, added] = images_.try_emplace(nameless_text(kernel.kernel));
    if (!added) return at->second;
    const auto begin = Clock::now();
    at->second = generate_code(kernel, device_, properties_);
    total_ms_ += ms_since(begin);
    machine_ms_ += at->second.machine_ms;
    return at->second;
  }

  /// Of the code generated so far.
  double text_ms() const { return total_ms_ - machine_ms_; }
  double machine_ms() const { return machine_ms_; }

 private:
  static std::string nameless_text(tile_ir::Kernel kernel) {
    kernel.name = "kernel";
    kernel.comments.clear();
    for (size_t i = 0; i < kernel.parameters.size(); ++i) kernel.parameters[i].name = "p" + std::to_string(i);
    return tile_ir::print(kernel);
  }

  Device device_;
  const device::Properties& properties_;
  std::unordered_map<std::string, CodeImage> images_;
  double total_ms_ = 0, machine_ms_ = 0;
};

/// The first candidate that does not spill, or else the last, which needs the fewest registers.
std::pair<schedule::ScheduledKernel, CodeImage> first_that_fits(const std::vector<schedule::Candidate>& candidates,
                                                                CodeGenerator& generate,
                                                                const device::Properties& properties) {
  for (size_t i = 0;; ++i) {
    schedule::ScheduledKernel kernel = candidates[i]();
    CodeImage image = generate(kernel);
    if (i + 1 == candidates.size() || !spills(image, properties)) return {std::move(kernel), std::move(image)};
  }
}

/// The tile program of each group, with its image in `out`.
std::vector<schedule::ScheduledKernel> generate_kernels(const loop::Program& program, const schedule::Target& target,
                                                        CodeGenerator& generate, const device::Properties& properties,
                                                        Dump& dump, Generated& out) {
  std::vector<schedule::ScheduledKernel> kernels;
  for (const loop::Group& group : program.groups) {
    if (group.nests.empty()) continue;  // a call, or it writes nothing
    auto [kernel, image] = first_that_fits(schedule::schedule(program, group, target), generate, properties);
    kernels.push_back(std::move(kernel));
    out.images.push_back(std::move(image));
    dump.write(group.name + ".tile", tile_ir::print(kernels.back().kernel));
    if (target.cuda) dump.write(group.name + ".cu", out.images.back().source);
    out.notes.push_back(group.notes);
  }
  return kernels;
}

}  // namespace

Generated run_pipeline(const graph::Graph& input, const Options& options, const device::Properties& properties) {
  const auto begin = Clock::now();
  static const bool verified = is_check_wanted("verify");
  Steps steps(input.name, verified);

  // The user's ops as recorded. Everything after this line keeps their meaning bit by bit, but for sums in libraries.
  graph::verify(input);
  steps.made("graph", input);

  // A convolution and the activation that reads it become one call.
  const graph::Graph fused = options.fusion == Fusion::none ? input : passes::fuse_activations(input);
  steps.made("fuse_activations", fused);

  // Values that eager execution keeps channels-last get the channel as last dim: memory is row-major from here on.
  const graph::Graph ordered = passes::channels_last(fused);
  steps.made("channels_last", ordered);

  // Composites become primitive ops, calls that no library computes among them; what no output needs is dropped.
  LibraryChoice libraries(input.device);
  const graph::Graph decomposed = passes::decompose(ordered, [&](const graph::Graph& g, const graph::Node& call) {
    return options.libraries && !passes::is_short_product(g, call) && libraries.provider(g, call) != nullptr;
  });
  steps.made("decompose", decomposed);

  // Products of a few terms, such as a colour matrix for each pixel, become pointwise arithmetic.
  const graph::Graph unrolled = passes::unroll_contractions(decomposed);
  steps.made("unroll_contractions", unrolled);

  // What libraries can do to their results on the way out, they are asked to do.
  const graph::Graph called = passes::fuse_epilogues(
      unrolled, [&](const graph::Graph& g, const graph::Node& call) { return libraries.has_provider(g, call); });
  steps.made("epilogues", called);

  // Math::fast: functions and divisions by what hardware approximates.
  const graph::Graph primitive = options.math == Math::fast ? passes::use_approximations(called) : called;
  steps.made("approximations", primitive);

  // Which values get memory, which share a kernel; each kernel becomes a loop nest over index expressions.
  const schedule::Target target = target_of(input.device, properties, options);
  loop::Program program = lower_for(target, primitive, options);
  choose_providers(program, primitive);
  steps.made("loops", program);
  log_fusion(program);

  // Each group becomes a tile program; each tile program becomes text and machine code.
  Generated out;
  out.library_notes = libraries.notes();
  CodeGenerator generate(input.device, properties);
  const auto kernels = generate_kernels(program, target, generate, properties, steps.dump(), out);

  // Slots, grids, temporaries and outputs as plain data.
  out.plan = build_plan(ordered, program, kernels, out.images);
  out.times.text_ms = generate.text_ms();
  out.times.machine_ms = generate.machine_ms();
  out.times.passes_ms = ms_since(begin) - out.times.text_ms - out.times.machine_ms;
  return out;
}

}  // namespace sinter::compiler
