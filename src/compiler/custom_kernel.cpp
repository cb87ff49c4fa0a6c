// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/custom_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "runtime/cache/kernel_store.h"
#include "runtime/device/user_ops.h"
#include "src/compiler/codegen.h"
#include "src/graph/user_code.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace sinter::compiler {
namespace {

/// Code on a device.
struct Loaded {
  std::shared_ptr<device::Module> module;
  device::Function* function = nullptr;
  int threads = 1, shared_bytes = 0;  ///< of tile programs
  size_t parameters = 0;              ///< of tile programs
};

/// By op and device. One thread makes the code, others wait.
template <class Make>
Loaded loaded_once(const RegisteredOp& op, Device device, const Make& make) {
  static std::mutex mutex;
  static std::map<std::pair<const RegisteredOp*, std::string>, Loaded> known;
  const std::scoped_lock lock(mutex);
  const auto key = std::pair(&op, device.text());
  const auto it = known.find(key);
  return it != known.end() ? it->second : known.emplace(key, make()).first->second;
}

Loaded load(const std::string& image, const std::string& entry, Device device) {
  Loaded l;
  l.module = device::backend(device).load(std::as_bytes(std::span(image.data(), image.size())));
  l.function = l.module->function(entry);
  return l;
}

#ifdef SINTER_WITH_CUDA
/// NVRTC's log has the lines of the user's own text; where to report an error of Sinter does not help.
std::string compile_text(const RegisteredOp& op, const std::string& architecture) {
  const CudaKernel& k = *op.definition.cuda;
  std::vector<std::string_view> options = {"--std=c++17"};
  options.insert(options.end(), k.options.begin(), k.options.end());
  try {
    const auto compiled = device::cuda::compile({k.text, op.definition.name, architecture, options});
    return {reinterpret_cast<const char*>(compiled.cubin.data()), compiled.cubin.size()};
  } catch (const CompileError& e) {
    ErrorParts parts = e.parts();
    parts.op = op.definition.name;
    parts.fix = "correct the CUDA text that the op was registered with";
    throw CompileError(std::move(parts));
  }
}

Loaded load_text(const RegisteredOp& op, Device device) {
  const CudaKernel& k = *op.definition.cuda;
  const std::string& architecture = device::backend(device).properties().architecture;
  const std::string key =
      fmt::format("user's kernel {} {} {} {}\n{}", architecture, device::cuda::nvrtc_version().version,
                  fmt::join(k.options, " "), k.entry, k.text);
  cache::DiskCache& disk = cache::DiskCache::standard();
  const auto stored = cache::load_kernel(disk, key);
  const std::string image = stored ? stored->image : compile_text(op, architecture);
  if (!stored) cache::store_kernel(disk, key, image, k.entry);
  try {
    return load(image, k.entry, device);
  } catch (const CompileError&) {
    throw CompileError({op.definition.name,
                        fmt::format("its CUDA text has no kernel {}", k.entry),
                        {},
                        {},
                        "declare the kernel extern \"C\" __global__"});
  }
}
#endif

Loaded load_tile(const RegisteredOp& op, Device device) {
  schedule::ScheduledKernel scheduled;
  scheduled.kernel = tile_ir::parse(op.definition.tile->text);
  tile_ir::verify(scheduled.kernel);
  const CodeImage image = generate_code(scheduled, device, device::backend(device).properties());
  Loaded l = load(image.image, image.entry, device);
  l.threads = image.threads;
  l.shared_bytes = image.shared_bytes;
  l.parameters = scheduled.kernel.parameters.size();
  return l;
}

uint64_t slot(const KernelArgument& a) {
  uint64_t bits = 0;
  std::visit([&](auto v) { std::memcpy(&bits, &v, sizeof v); }, a);
  return bits;
}

class KernelCall final : public exec::PreparedCall {
 public:
  KernelCall(std::shared_ptr<const RegisteredOp> op, Loaded loaded, device::LaunchConfig config, Device device,
             const std::vector<KernelArgument>& arguments)
      : op_(std::move(op)), loaded_(std::move(loaded)), config_(config), device_(device) {
    for (const KernelArgument& a : arguments) arguments_.push_back(slot(a));
  }

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle stream) const override {
    std::vector<uint64_t> slots;
    for (void* p : operands) slots.push_back(reinterpret_cast<uint64_t>(p));
    for (void* p : results) slots.push_back(reinterpret_cast<uint64_t>(p));
    slots.insert(slots.end(), arguments_.begin(), arguments_.end());
    if (device_.is_cuda()) device::note_user_op(op_->definition.name);
    device::backend(device_).launch(*loaded_.function, config_, slots.data(), slots.size(), stream);
  }

 private:
  std::shared_ptr<const RegisteredOp> op_;
  Loaded loaded_;
  device::LaunchConfig config_;
  Device device_;
  std::vector<uint64_t> arguments_;
};

/// What the user's function says of a launch.
template <class Launch>
auto asked(const RegisteredOp& op, const Launch& launch, const CustomCall& call) {
  const graph::UserCode user_code(&op, op.definition.name);
  return launch(call);
}

}  // namespace

#ifdef SINTER_WITH_CUDA
std::shared_ptr<const exec::PreparedCall> cuda_call(std::shared_ptr<const RegisteredOp> op, const CustomCall& call) {
  const CudaLaunch l = asked(*op, op->definition.cuda->launch, call);
  device::LaunchConfig config;
  config.grid = l.grid[0];
  config.grid_y = l.grid[1];
  config.grid_z = l.grid[2];
  config.threads = l.block[0];
  config.threads_y = l.block[1];
  config.threads_z = l.block[2];
  config.shared_bytes = l.shared_bytes;
  const device::Properties& p = device::backend(call.device).properties();
  const int64_t threads = int64_t{l.block[0]} * l.block[1] * l.block[2];
  if (std::min({l.block[0], l.block[1], l.block[2]}) < 1 || threads > p.max_threads_per_block)
    throw UserError({op->definition.name,
                     fmt::format("asks for blocks of {} x {} x {} threads; at most {} are possible", l.block[0],
                                 l.block[1], l.block[2], p.max_threads_per_block),
                     {},
                     {},
                     {}});
  if (l.shared_bytes < 0 || static_cast<size_t>(l.shared_bytes) > p.shared_bytes_per_block)
    throw UserError({op->definition.name,
                     fmt::format("asks for {} bytes of shared memory a block; at most {} are possible", l.shared_bytes,
                                 p.shared_bytes_per_block),
                     {},
                     {},
                     {}});
  Loaded loaded = loaded_once(*op, call.device, [&] { return load_text(*op, call.device); });
  return std::make_shared<KernelCall>(std::move(op), std::move(loaded), config, call.device, l.arguments);
}
#else
std::shared_ptr<const exec::PreparedCall> cuda_call(std::shared_ptr<const RegisteredOp>, const CustomCall&) {
  throw DeviceError("this build has no CUDA support");
}
#endif

std::shared_ptr<const exec::PreparedCall> tile_call(std::shared_ptr<const RegisteredOp> op, const CustomCall& call) {
  const TileLaunch l = asked(*op, op->definition.tile->launch, call);
  Loaded loaded = loaded_once(*op, call.device, [&] { return load_tile(*op, call.device); });
  const size_t given = call.operands.size() + 1 + l.arguments.size();
  if (given != loaded.parameters)
    throw UserError({op->definition.name,
                     fmt::format("its tile program has {} parameters; operands, result and arguments are {}",
                                 loaded.parameters, given),
                     {},
                     {},
                     {}});
  device::LaunchConfig config;
  config.grid = l.programs;
  config.threads = loaded.threads;
  config.shared_bytes = loaded.shared_bytes;
  return std::make_shared<KernelCall>(std::move(op), std::move(loaded), config, call.device, l.arguments);
}

}  // namespace sinter::compiler
