// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/program_loader.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/device/backend.h"
#include "runtime/saved/compile_source.h"

namespace sinter::saved {
namespace {

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

std::shared_ptr<const exec::Executable> load(const File& file, const Program& program, Device device,
                                             device::Backend& backend) {
  exec::Plan plan = program.plan;
  plan.device = device;
  const Target& target = file.targets[static_cast<size_t>(program.target)];
  std::vector<exec::LoadedKernel> kernels;
  for (size_t k = 0; k < plan.kernels.size(); ++k) {
    const std::string& code = file.code[static_cast<size_t>(program.code[k])].bytes;
    exec::LoadedKernel loaded;
    if (target.source) {
      loaded.source = code;
      loaded.module =
          backend.load(bytes_of(compile_source(code, plan.kernels[k].entry, backend.properties().architecture)));
    } else {
      loaded.module = backend.load(bytes_of(code));
    }
    loaded.function = loaded.module->function(plan.kernels[k].entry);
    kernels.push_back(std::move(loaded));
  }
  return exec::make_executable(std::move(plan), std::move(kernels));
}

/// What to do about a file without code for the device.
std::string fix_for(Device device, const device::Properties& properties) {
  if (device.is_cpu())
    return fmt::format("save it with the target \"{}\" on a machine that has LLVM", properties.architecture);
  return fmt::format("save it with the target \"{}\"", properties.architecture);
}

}  // namespace

std::vector<Target> targets_of(const File& file, const SavedCall& call) {
  std::vector<Target> targets;
  for (const Program& p : call.programs) {
    const Target& t = file.targets[static_cast<size_t>(p.target)];
    if (std::ranges::find(targets, t) == targets.end()) targets.push_back(t);
  }
  return targets;
}

std::shared_ptr<const exec::Executable> load_program(const File& file, const SavedCall& call, bool aligned,
                                                     Device device, const std::string& path) {
  device::Backend& backend = device::backend(device);
  const device::Properties& properties = backend.properties();
  std::vector<std::pair<int, const Program*>> fitting;
  for (const Program& p : call.programs)
    if (const int f = fitness(file.targets[static_cast<size_t>(p.target)], device, properties);
        f > 0 && p.aligned == aligned)
      fitting.insert(std::ranges::upper_bound(fitting, f, std::greater{}, &std::pair<int, const Program*>::first),
                     {f, &p});
  std::string tried;
  for (const auto& [_, program] : fitting) {
    const Target& target = file.targets[static_cast<size_t>(program->target)];
    try {
      return load(file, *program, device, backend);
    } catch (const Error& e) {
      const std::string maker = target.made_with.empty() ? "" : fmt::format(", made with {}", target.made_with);
      tried += fmt::format("{}{}{}: {}", tried.empty() ? "" : "; ", target.text(), maker, e.parts().what);
    }
  }
  if (!tried.empty())
    throw DeviceError({"load",
                       fmt::format("{} cannot be loaded on {} {}: {}", path, device.text(), properties.name, tried),
                       {},
                       properties.driver.empty() ? "" : fmt::format("the driver is that of {}", properties.driver),
                       "update the driver, or " + fix_for(device, properties)});
  throw DeviceError({"load",
                     fmt::format("{} {}", path, why_none(targets_of(file, call), device, properties)),
                     {},
                     {},
                     fix_for(device, properties)});
}

}  // namespace sinter::saved
