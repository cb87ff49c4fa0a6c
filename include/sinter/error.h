// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace sinter {

/// A line of the user's source. As a default argument, SourceLine::current() is the caller's line.
struct SourceLine {
  const char* file = nullptr;
  int line = 0;
  static constexpr SourceLine current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  /// "pose.cpp:41", without folders; empty if unknown.
  std::string text() const {
    if (!file) return {};
    std::string name(file);
    if (const size_t slash = name.find_last_of("/\\"); slash != std::string::npos) name.erase(0, slash + 1);
    return name + ":" + std::to_string(line);
  }
};

/// The parts of an error message; empty parts are left out.
struct ErrorParts {
  std::string op;       ///< op name, printed in brackets
  std::string what;     ///< what was expected and what was got
  SourceLine line;      ///< the user's line
  std::string context;  ///< where the values came from, tracing which function
  std::string fix;      ///< one thing to do
};

/// Base of all errors thrown by Sinter.
///
///     UserError: [sub] cannot broadcast f32 [2,3] with f32 [4]: dim -1 is 3 against 4
///       at pose.cpp:41, tracing "pre"
///       fix: give the right side 3 elements or 1
class Error : public std::runtime_error {
 public:
  const ErrorParts& parts() const noexcept { return parts_; }

 protected:
  Error(const char* kind, ErrorParts parts) : std::runtime_error(format(kind, parts)), parts_(std::move(parts)) {}

 private:
  static std::string format(const char* kind, const ErrorParts& p) {
    std::string s = kind;
    s += ": ";
    if (!p.op.empty()) s += "[" + p.op + "] ";
    s += p.what;
    const std::string at = p.line.text();
    if (!at.empty()) s += "\n  at " + at;
    if (!p.context.empty()) s += (at.empty() ? "\n  " : ", ") + p.context;
    if (!p.fix.empty()) s += "\n  fix: " + p.fix;
    return s;
  }
  ErrorParts parts_;
};

/// The program asks for something that has no meaning: shapes, dtypes, dims, indices, devices that do not fit.
class UserError : public Error {
 public:
  explicit UserError(ErrorParts parts) : Error("UserError", std::move(parts)) {}
  explicit UserError(std::string what)
      : UserError(ErrorParts{.op = {}, .what = std::move(what), .line = {}, .context = {}, .fix = {}}) {}
};

/// Compilation cannot go on: a refused graph break, a back end's compiler error, a broken internal invariant.
class CompileError : public Error {
 public:
  explicit CompileError(ErrorParts parts) : Error("CompileError", std::move(parts)) {}
  explicit CompileError(std::string what)
      : CompileError(ErrorParts{.op = {}, .what = std::move(what), .line = {}, .context = {}, .fix = {}}) {}
};

/// A device cannot do what is asked: absent, out of memory, faulted.
class DeviceError : public Error {
 public:
  explicit DeviceError(ErrorParts parts) : Error("DeviceError", std::move(parts)) {}
  explicit DeviceError(std::string what)
      : DeviceError(ErrorParts{.op = {}, .what = std::move(what), .line = {}, .context = {}, .fix = {}}) {}
};

}  // namespace sinter
#pragma GCC visibility pop
