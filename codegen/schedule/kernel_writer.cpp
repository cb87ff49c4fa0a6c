// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sinter::schedule {

using graph::Expr;
using tile_ir::Value;

namespace {

int alignment_of(const loop::Buffer& b, const Target& t) {
  return b.role != loop::BufferRole::input || t.aligned ? 16 : b.dtype.bytes();
}

/// A positive divisor of the value whatever the symbols are.
int64_t divisor_of(Expr e) {
  if (const auto c = e.constant()) return *c == 0 ? int64_t{1} << 30 : std::abs(*c);
  if (e.kind() == Expr::Kind::sum) {
    int64_t d = std::abs(e.offset());
    for (const auto& [c, t] : e.terms()) d = std::gcd(d, std::abs(c) * divisor_of(t));
    return std::max<int64_t>(d, 1);
  }
  if (e.kind() != Expr::Kind::product) return 1;
  int64_t d = 1;
  for (Expr f : e.operands()) d = std::min(d * divisor_of(f), int64_t{1} << 30);
  return d;
}

/// What alignment can use of a divisor, its power of two: kernels that differ in odd factors alone are one and the
/// same.
int64_t aligning_divisor(Expr e) {
  const int64_t d = divisor_of(e);
  return d & -d;
}

}  // namespace

int KernelWriter::pointer(int buffer, bool written) {
  if (const auto it = pointers_.find(buffer); it != pointers_.end()) {
    tile_ir::Parameter& known = b_.kernel().parameters[static_cast<size_t>(it->second)];
    known.written = known.written || written;
    return it->second;
  }
  const loop::Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
  const char* role = b.role == loop::BufferRole::input ? "in" : b.role == loop::BufferRole::output ? "out" : "temp";
  const int p = b_.add_pointer(fmt::format("{}{}", role, b.position), b.dtype,
                               {.written = written, .no_alias = true, .alignment = alignment_of(b, target_)});
  sources_.push_back({ParameterSource::Kind::buffer, buffer, {}, b.dtype});
  pointers_.emplace(buffer, p);
  return p;
}

int KernelWriter::status_pointer() {
  if (status_ < 0) {
    status_ = b_.add_pointer("status", u64, {.written = true, .no_alias = true, .alignment = 8});
    sources_.push_back({ParameterSource::Kind::status, -1, {}, u64});
  }
  return status_;
}

int KernelWriter::workspace(DType dtype, Expr elements) {
  const int p = b_.add_pointer(fmt::format("work{}", workspaces_++), dtype,
                               {.written = true, .no_alias = false, .alignment = 16});
  sources_.push_back({ParameterSource::Kind::workspace, -1, workspace_bytes_, dtype});
  constexpr int64_t alignment = 256;
  workspace_bytes_ =
      workspace_bytes_ + ceildiv(elements * Expr(int64_t{dtype.bytes()}), Expr(alignment)) * Expr(alignment);
  return p;
}

int KernelWriter::arrivals() {
  if (arrivals_ < 0) {
    arrivals_ = b_.add_pointer("arrivals", u32, {.written = true, .no_alias = false, .alignment = 16});
    sources_.push_back({ParameterSource::Kind::arrivals, -1, {}, u32});
  }
  return arrivals_;
}

Value KernelWriter::symbolic(Expr e) {
  const auto [at, added] = extents_.try_emplace(e, -1);
  if (added) {
    const std::string name = e.kind() == Expr::Kind::symbol ? e.text() : fmt::format("extent{}", extents_.size());
    at->second = b_.add_scalar(name, i64, aligning_divisor(e));
    sources_.push_back({ParameterSource::Kind::index, -1, e, i64});
  }
  return b_.parameter(at->second);
}

Value KernelWriter::number(int symbol, DType type) {
  const int key = static_cast<int>(type.kind()) << 8 | type.bits();
  const auto [at, added] = numbers_.try_emplace({symbol, key}, -1);
  if (added) {
    at->second = b_.add_scalar(fmt::format("number{}_{}", symbol, type.name()), type);
    sources_.push_back({ParameterSource::Kind::number, symbol, {}, type});
  }
  return b_.parameter(at->second);
}

ScheduledKernel KernelWriter::finish(Expr grid, const std::vector<std::string>& comments, int num_warps) {
  ScheduledKernel k;
  b_.kernel().comments = comments;
  b_.kernel().num_warps = num_warps;
  k.kernel = b_.finish();
  k.grid = grid;
  k.sources = std::move(sources_);
  k.workspace_bytes = workspace_bytes_;
  return k;
}

}  // namespace sinter::schedule
