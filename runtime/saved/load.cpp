// SPDX-License-Identifier: Apache-2.0
#include <sinter/saved.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "runtime/cache/files.h"
#include "runtime/device/hooks.h"
#include "runtime/exec/status.h"
#include "runtime/saved/library.h"

namespace sinter {
namespace {

UserError at_line(const UserError& e, SourceLine line) {
  ErrorParts parts = e.parts();
  parts.line = line;
  return UserError(std::move(parts));
}

/// Kernels report indices out of range through status words, which synchronisation looks at.
void report_status_words() {
  device::Hooks& hooks = device::hooks();
  if (hooks.after_synchronize == nullptr)
    hooks.after_synchronize = [](Device device, std::optional<void*> stream) {
      exec::check_pending_status(device, stream);
    };
}

}  // namespace

Loaded load(const std::string& path, SourceLine line) {
  static const bool once = (report_status_words(), true);
  (void)once;
  errno = 0;
  const auto bytes = cache::read_file(path);
  if (!bytes)
    throw UserError({"load",
                     path + " cannot be read: " + (errno != 0 ? std::strerror(errno) : "not a regular file"),
                     line,
                     {},
                     "give a file that save() wrote"});
  try {
    return Loaded(std::make_shared<const saved::Library>(saved::unpack(*bytes, path), path));
  } catch (const UserError& e) {
    throw at_line(e, line);
  }
}

std::vector<Tensor> Loaded::call(std::span<const Tensor> arguments) const { return library_->call(arguments); }
std::string Loaded::why_not(Device device) const { return library_->why_not(device); }
std::string Loaded::text() const { return library_->text(); }
size_t Loaded::call_count() const { return library_->call_count(); }

}  // namespace sinter
