// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/save_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/compiler/codegen.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace sinter::compiler {
namespace {

/// GPUs that code is made for without one being there. The number of multiprocessors decides how folds are split, never
/// a result: that of the usual part of the architecture (A100, A10, Orin, L40S, H100, B200, RTX 5090).
struct Architecture {
  std::string_view name;
  int multiprocessors;
  int shared_kilobytes;  ///< a block, with opt-in
};
constexpr Architecture architectures[] = {{"sm_80", 108, 163}, {"sm_86", 72, 99},    {"sm_87", 16, 163},
                                          {"sm_89", 142, 99},  {"sm_90a", 132, 227}, {"sm_100", 148, 227},
                                          {"sm_120", 170, 99}};

constexpr std::pair<std::string_view, int> cpu_levels[] = {{"x86-64-v3", 256}, {"x86-64-v4", 512}};

std::string known_names() {
  std::string names = "cpu, cuda";
  for (const auto& [name, _] : cpu_levels) names += fmt::format(", {}", name);
  for (const Architecture& a : architectures) names += fmt::format(", {}", a.name);
  return names;
}

std::string cuda_maker() {
#ifdef SINTER_WITH_CUDA
  const int version = device::cuda::nvrtc_version().version;
  return version == 0 ? "" : fmt::format("NVRTC {}.{}", version / 1000, version % 1000 / 10);
#else
  return {};
#endif
}

SaveTarget here(Device device) {
  const device::Properties& p = device::backend(device).properties();
  return {{device.kind, p.architecture, false, device.is_cuda() ? cuda_maker() : ""}, p};
}

SaveTarget cpu_level(std::string_view name, int vector_bits) {
  SaveTarget t = here(Device::cpu());
  t.target.architecture = t.properties.architecture = name;
  t.properties.vector_bits = vector_bits;
  return t;
}

SaveTarget gpu(const Architecture& a) {
  SaveTarget t;
  t.target = {DeviceKind::cuda, std::string(a.name), false, cuda_maker()};
  t.properties.name = a.name;
  t.properties.architecture = a.name;
  t.properties.multiprocessors = a.multiprocessors;
  t.properties.max_threads_per_block = 1024;
  t.properties.shared_bytes_per_block = static_cast<size_t>(a.shared_kilobytes) * 1024;
  return t;
}

SaveTarget named(const std::string& name) {
  if (name == "cpu") return here(Device::cpu());
  if (name == "cuda") return here(Device::cuda());
  for (const auto& [level, bits] : cpu_levels)
    if (level == name) return cpu_level(level, bits);
  // A GPU of that architecture that is here tells more about itself than the table.
  if (device::available(Device::cuda()) && device::backend(Device::cuda()).properties().architecture == name)
    return here(Device::cuda());
  const auto* found = std::ranges::find(architectures, name, &Architecture::name);
  if (found == std::end(architectures))
    throw UserError({"save", fmt::format("unknown target \"{}\"", name), {}, {}, "use one of " + known_names()});
  return gpu(*found);
}

void check_generator(const SaveTarget& t) {
  const Device device = t.target.kind == DeviceKind::cpu ? Device::cpu() : Device::cuda();
  if (!has_code_generator(device, t.properties))
    throw UserError({"save",
                     fmt::format("there is no code generator for {} in this build or on this machine", t.target.text()),
                     {},
                     {},
                     "build with LLVM 16 to 19 on a CPU of level x86-64-v3 or with NEON, or save for CUDA targets"});
}

}  // namespace

std::vector<SaveTarget> save_targets(const std::vector<std::string>& names, Device arguments) {
  std::vector<SaveTarget> targets;
  if (names.empty()) targets.push_back(here(arguments));
  for (const std::string& name : names) targets.push_back(named(name));
  for (const SaveTarget& t : targets) check_generator(t);
  return targets;
}

}  // namespace sinter::compiler
