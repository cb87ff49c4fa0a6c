// SPDX-License-Identifier: Apache-2.0
#include "src/capture/eager.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/capture/device_hooks.h"
#include "src/capture/region_recorder.h"
#include "src/capture/scope_pool.h"
#include "src/compiler/library_choice.h"
#include "src/ops/ops.h"

namespace sinter::capture {
namespace {

std::unique_ptr<Function> make_eager_function(std::string_view name) {
  CompileOptions options;
  options.name = std::string(name);
  options.dynamic = Dynamic::always;
  return std::make_unique<Function>(options, SourceLine{});
}

/// One function an op, so that looking for a call's trace stays short whatever else ran before.
Function& eager_function(const graph::OpDef& op) {
  static std::mutex mutex;
  static std::unordered_map<const graph::OpDef*, std::unique_ptr<Function>> functions;
  std::scoped_lock lock(mutex);
  auto& f = functions[&op];
  if (!f) f = make_eager_function(op.name);
  return *f;
}

/// The same for several ops together, by the name of what they are.
Function& eager_function(const char* name) {
  static std::mutex mutex;
  static std::unordered_map<std::string_view, std::unique_ptr<Function>> functions;
  std::scoped_lock lock(mutex);
  auto& f = functions[name];
  if (!f) f = make_eager_function(name);
  return *f;
}

/// The trace, and the texts that kernels carry for indices out of range, may be of an earlier call from another line.
ErrorParts of_this_call(ErrorParts parts, const graph::Call& call) {
  const std::string head = fmt::format("[{}] ", call.op->name);
  if (parts.op.empty() && parts.what.starts_with(head)) {
    parts.what = parts.what.substr(head.size(), parts.what.find("\n  at ") - head.size());
    parts.op = call.op->name;
  }
  parts.line = call.line;
  return parts;
}

class EagerRecorder final : public graph::Recorder {
 public:
  Tensor call(const graph::Call& call) override {
    return at_once(call, [&](RegionRecorder& recorder) { return recorder.call(call); });
  }
  void write(const graph::Call& call) override {
    at_once(call, [&](RegionRecorder& recorder) {
      recorder.write(call);
      return Tensor();
    });
  }

  void open(const char* name) override { activate(eager_function(name)); }
  void close(bool succeeded, SourceLine line) override {
    RegionRecorder& recorder = *active_recorder();
    try {
      if (succeeded) recorder.end_call("eager", line);
    } catch (const UserError& e) {
      recorder.abandon();
      deactivate();
      ErrorParts parts = e.parts();
      parts.line = line;  // the trace may be of an earlier call
      throw UserError(std::move(parts));
    } catch (...) {
      recorder.abandon();
      deactivate();
      throw;
    }
    if (!succeeded) recorder.abandon();
    deactivate();
  }

 private:
  template <class Record>
  static Tensor at_once(const graph::Call& call, const Record& record) {
    RegionRecorder& recorder = activate(eager_function(*call.op));
    try {
      Tensor result = record(recorder);
      recorder.end_call("eager", call.line);
      deactivate();
      return result;
    } catch (const UserError& e) {
      recorder.abandon();
      deactivate();
      throw UserError(of_this_call(e.parts(), call));
    } catch (...) {
      recorder.abandon();
      deactivate();
      throw;
    }
  }
};

}  // namespace

void register_eager_recorder() {
  static EagerRecorder recorder;
  static const bool once = (ops::register_all_ops(), graph::set_default_recorder(&recorder), install_device_hooks(),
                            install_user_code_hooks(), compiler::register_compiled_providers(), true);
  (void)once;
}

}  // namespace sinter::capture
