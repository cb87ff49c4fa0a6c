// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/library.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/device/backend.h"
#include "runtime/exec/input_key.h"
#include "runtime/saved/constants.h"
#include "runtime/saved/program_loader.h"
#include "src/tensor/random_state.h"

namespace sinter::saved {
namespace {

constexpr int64_t small_tensor_bytes = 64 * 1024;

int device_number(Device d) { return d.is_cpu() ? -1 : d.index; }

/// An argument where the call runs, with the strides that the plan was made for.
Tensor on_device(const Tensor& argument, const TensorSource& source, Device device) {
  const tensor::TensorImpl& t = *argument.impl();
  if (source.dense && (t.device != device || !tensor::is_contiguous(t.shape, t.strides)))
    return tensor::copy_to_device(argument, device);
  return t.device == device ? argument : copy_reach(argument, device);
}

/// The places of a call's draws in the generator's sequence. Replays of a captured graph draw other numbers each time,
/// for which the runtime has no kernel.
tensor::Draw draw(const FrozenCall& call, Device device) {
  if (call.draws.empty()) return {};
  if (device::backend(device).is_capturing(device::current_stream(device)))
    throw UserError({"load",
                     "a saved function that draws random numbers cannot be captured into a graph",
                     {},
                     {},
                     "call it outside of the capture; or compile it in this program"});
  return tensor::next_draw(device, "load", {}, static_cast<int64_t>(call.draws.size()));
}

bool aligned(std::span<const Tensor> inputs) {
  uintptr_t low_bits = 0;
  for (const Tensor& t : inputs) low_bits |= reinterpret_cast<uintptr_t>(t.impl()->data());
  return (low_bits & 15) == 0;
}

}  // namespace

Library::Library(File file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

Device Library::device_of(std::span<const Tensor> arguments) const {
  if (arguments.empty()) {
    const bool cuda = !file_.targets.empty() && file_.targets[0].kind == DeviceKind::cuda;
    return cuda ? Device::cuda() : Device::cpu();
  }
  Device device = arguments[0].device();
  for (const Tensor& t : arguments)
    if (t.device().is_cuda()) device = t.device();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& t = arguments[i];
    if (t.device() == device || (t.device().is_cpu() && t.numel() * t.dtype().bytes() <= small_tensor_bytes)) continue;
    throw UserError(
        {"load",
         fmt::format("{}: argument {} is on {}, others on {}", file_.name, i, t.device().text(), device.text()),
         {},
         {},
         "move it: to(x, device)"});
  }
  return device;
}

size_t Library::find(std::span<const int64_t> key, size_t argument_count) const {
  for (size_t i = 0; i < file_.calls.size(); ++i)
    if (file_.calls[i].call.signature.matches(key)) return i;
  std::string text = fmt::format("{} ({}) was not saved for these arguments", file_.name, path_);
  for (size_t i = 0; i < file_.calls.size(); ++i) {
    const Signature& s = file_.calls[i].call.signature;
    text += fmt::format("\n  call {}: ({}): {}", i, s.text(), s.mismatch(key, argument_count));
  }
  throw UserError({"load", std::move(text), {}, {}, "give arguments that fit, or save a call with these as well"});
}

ReadyCall& Library::ready(size_t call, Device device) const {
  const std::pair key(call, device_number(device));
  std::scoped_lock lock(mutex_);
  auto& entry = ready_[key];
  if (entry == nullptr) entry = std::make_unique<ReadyCall>(make_ready(file_.calls[call], device));
  return *entry;
}

ReadyCall Library::make_ready(const SavedCall& call, Device device) const {
  ReadyCall made;
  if (call.constants.empty()) return made;
  device::Backend& backend = device::backend(device);
  const device::StreamHandle stream = device::current_stream(device);
  if (backend.is_capturing(stream))  // memory and copies would be those of the graph
    throw UserError({"load",
                     fmt::format("the first call of {} brings its constants to {}, but the current stream is being "
                                 "captured",
                                 file_.name, device.text()),
                     {},
                     {},
                     "call it once before the capture"});
  for (const int32_t c : call.constants) {
    const std::pair key(c, device_number(device));
    const auto known = constants_.find(key);
    made.constants.push_back(
        known != constants_.end() ? known->second : make_constant(file_.constants[static_cast<size_t>(c)], device));
  }
  if (device.is_cuda()) backend.synchronize(stream);  // ready for any stream from now on
  for (size_t i = 0; i < call.constants.size(); ++i)
    constants_.try_emplace({call.constants[i], device_number(device)}, made.constants[i]);
  return made;
}

const exec::Executable& Library::variant(const SavedCall& call, ReadyCall& ready, bool aligned, Device device) const {
  std::scoped_lock lock(mutex_);
  auto& executable = ready.variants[aligned ? 0 : 1];
  if (executable == nullptr) executable = load_program(file_, call, aligned, device, path_);
  return *executable;
}

std::vector<Tensor> Library::call(std::span<const Tensor> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) tensor::readable(arguments[i], "load");
  const Device device = device_of(arguments);
  exec::Key key;
  exec::append_inputs(key, arguments);
  const size_t found = find(key.words(), arguments.size());
  return run(file_.calls[found], ready(found, device), arguments, key.words(), device);
}

std::vector<Tensor> Library::run(const SavedCall& saved, ReadyCall& ready, std::span<const Tensor> arguments,
                                 std::span<const int64_t> key, Device device) const {
  const FrozenCall& call = saved.call;
  std::vector<Tensor> inputs, outputs;
  const tensor::Draw drawn = draw(call, device);
  for (const TensorSource& s : call.inputs)
    if (s.kind == TensorSource::Kind::constant)
      inputs.push_back(ready.constants[static_cast<size_t>(s.index)]);
    else if (s.kind == TensorSource::Kind::random_state)
      inputs.push_back(drawn.state);
    else
      inputs.push_back(on_device(arguments[static_cast<size_t>(s.index)], s, device));
  if (!saved.programs.empty()) {
    const exec::Executable& executable = variant(saved, ready, aligned(inputs), device);
    std::vector<tensor::TensorImpl*> in, out;
    for (const Tensor& t : inputs) in.push_back(t.impl());
    for (size_t i = 0; i < executable.plan().outputs.size(); ++i) {
      outputs.push_back(Tensor::adopt(tensor::new_impl()));
      out.push_back(outputs.back().impl());
    }
    std::vector<int64_t> symbols;
    fill_symbols(call, key, drawn.after, symbols);
    executable.run({in, symbols}, out);
  }
  std::vector<Tensor> results;
  for (const TensorSource& s : call.results) {
    const auto i = static_cast<size_t>(s.index);
    switch (s.kind) {
      case TensorSource::Kind::argument:
        results.push_back(arguments[i]);
        break;
      case TensorSource::Kind::constant:
        results.push_back(ready.constants[i]);
        break;
      case TensorSource::Kind::output:
        results.push_back(outputs[i]);
        break;
      case TensorSource::Kind::undefined:
      case TensorSource::Kind::random_state:
        results.emplace_back();
    }
  }
  return results;
}

std::string Library::why_not(Device device) const {
  if (!device::available(device)) return device.text() + " is not there";
  const device::Properties& properties = device::backend(device).properties();
  for (const SavedCall& c : file_.calls) {
    const std::vector<Target> targets = targets_of(file_, c);
    const auto fits = [&](const Target& t) { return fitness(t, device, properties) > 0; };
    if (!c.programs.empty() && std::ranges::none_of(targets, fits))
      return path_ + " " + why_none(targets, device, properties);
  }
  return {};
}

std::string Library::text() const {
  size_t code = 0, constants = 0;
  for (const Code& c : file_.code) code += c.bytes.size();
  for (const Constant& c : file_.constants) constants += c.bytes.size();
  std::string targets;
  for (const Target& t : file_.targets) targets += (targets.empty() ? "" : ", ") + t.text();
  std::string text =
      fmt::format("{}  {}\ncode for {}: {} images, {} bytes; {} constants, {} bytes\n", file_.name, file_.location,
                  targets.empty() ? "nothing" : targets, file_.code.size(), code, file_.constants.size(), constants);
  for (size_t i = 0; i < file_.calls.size(); ++i) {
    const SavedCall& c = file_.calls[i];
    text += fmt::format("call {}: ({}) -> {} tensors, {} kernels\n", i, c.call.signature.text(), c.call.results.size(),
                        c.programs.empty() ? 0 : c.programs[0].plan.steps.size());
  }
  return text;
}

}  // namespace sinter::saved
