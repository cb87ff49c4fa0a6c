// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

namespace {

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string whole() {
    for (const std::string& line : kernel_.comments) text_ += line.empty() ? "//\n" : fmt::format("// {}\n", line);
    text_ += fmt::format("kernel {} warps {} ", kernel_.name, kernel_.num_warps);
    if (kernel_.cluster != 1) text_ += fmt::format("cluster {} ", kernel_.cluster);
    text_ += "(\n";
    for (const Parameter& p : kernel_.parameters) text_ += "  " + parameter(p) + ",\n";
    text_ += ") {\n";
    region(kernel_.body, 1);
    text_ += "}\n";
    return std::move(text_);
  }

  std::string line(const Instruction& i) const {
    std::string s = results(i) + head(i);
    if (i.op == Op::yield || i.op == Op::block_store || i.op == Op::scatter || i.op == Op::keep || i.op == Op::stage ||
        i.op == Op::status_check)
      return s;
    const std::vector<Type> types = result_types(i);
    for (size_t r = 0; r < types.size(); ++r) s += (r ? ", " : " : ") + types[r].text();
    return s;
  }

 private:
  void region(const Region& r, int depth) {
    const std::string indent(static_cast<size_t>(depth) * 2, ' ');
    for (const Instruction& i : r.body) {
      text_ += indent + line(i);
      for (size_t k = 0; k < i.regions.size(); ++k) {
        const bool empty = k == 1 && i.regions[k].body.size() == 1 && i.result_types.empty();
        if (empty) break;
        text_ += k ? " else {\n" : " {\n";
        region(i.regions[k], depth + 1);
        text_ += indent + "}";
      }
      text_ += '\n';
    }
  }

  static std::string parameter(const Parameter& p) {
    std::string s = fmt::format("@{}: {}{}", p.name, p.dtype.name(), p.is_pointer ? "*" : "");
    if (p.written) s += " written";
    if (!p.no_alias) s += " may_alias";
    if (p.alignment != 1) s += fmt::format(" align {}", p.alignment);
    if (p.divisibility != 1) s += fmt::format(" divisible {}", p.divisibility);
    return s;
  }

  static std::string results(const Instruction& i) {
    std::string s;
    for (const ValueId v : i.results) s += fmt::format("{}%{}", s.empty() ? "" : ", ", v);
    return s.empty() ? s : s + " = ";
  }

  std::string pointer(int index) const {
    if (index < 0 || static_cast<size_t>(index) >= kernel_.parameters.size()) return fmt::format("@?{}", index);
    return "@" + kernel_.parameters[static_cast<size_t>(index)].name;
  }

  static std::string operands(const Instruction& i, size_t from = 0) {
    std::string s;
    for (size_t k = from; k < i.operands.size(); ++k) s += fmt::format("{}%{}", k == from ? " " : ", ", i.operands[k]);
    return s;
  }

  static std::string index(const IndexOperand& x) {
    return x.is_literal() ? fmt::format("{}", x.literal) : fmt::format("%{}", x.value);
  }

  static std::string along(const AccessDim& d) {
    std::string s = index(d.origin) + " * " + index(d.stride);
    if (d.masked) s += " < " + index(d.extent);
    return s;
  }

  std::string access(const Instruction& i) const {
    const Access& a = *i.access;
    std::string s = fmt::format("{} + {} [", pointer(i.index), index(a.base));
    bool first = true;
    const auto item = [&](const std::string& t) {
      s += (first ? "" : ", ") + t;
      first = false;
    };
    if (a.parts != AccessDim{}) item("parts " + along(a.parts));
    for (const AccessDim& d : a.dims) item(along(d));
    if (a.row_masked) item("row < " + index(a.row_extent));
    if (a.alignment > 1) item(fmt::format("align {}", a.alignment));
    if (a.run >= 0) item(fmt::format("run {}", a.run));
    return s + "]";
  }

  static std::string number(DType t, uint64_t bits) {
    if (t.is_boolean()) return bits ? "true" : "false";
    if (t == f32) {
      const float v = std::bit_cast<float>(static_cast<uint32_t>(bits));
      return std::isfinite(v) ? fmt::format("{}", v) : fmt::format("bits {:#010x}", bits);
    }
    if (t == f64) {
      const double v = std::bit_cast<double>(bits);
      return std::isfinite(v) ? fmt::format("{}", v) : fmt::format("bits {:#018x}", bits);
    }
    if (t == i32) return fmt::format("{}", static_cast<int32_t>(bits));
    if (t == i64) return fmt::format("{}", static_cast<int64_t>(bits));
    return fmt::format("{}", bits);
  }

  std::string dim(int d) const { return d == parts_dim ? "parts" : fmt::format("{}", d); }

  std::string memory(const Instruction& i) const {
    std::string s(op_name(i.op));
    if (i.op == Op::block_load) {
      s += " " + access(i);
      if (!i.operands.empty()) s += fmt::format(" fill %{}", i.operands[0]);
    } else if (i.op == Op::block_store) {
      s += " " + access(i) + "," + operands(i);
      if (i.policy == CachePolicy::streaming) s += " streaming";
    } else if (i.op == Op::gather) {
      s += fmt::format(" {} [%{}]", pointer(i.index), i.operands.at(0));
      if (i.masked) s += fmt::format(" mask %{} fill %{}", i.operands.at(1), i.operands.at(2));
    } else {
      s += fmt::format(" {} [%{}], %{}", pointer(i.index), i.operands.at(0), i.operands.at(1));
      if (i.fold) s += fmt::format(" fold {}", reduce_kind_names[static_cast<size_t>(*i.fold)]);
      if (i.table > 0) s += fmt::format(" table {}", i.table);
      if (i.masked) s += fmt::format(" mask %{}", i.operands.at(2));
    }
    return s;
  }

  std::string head(const Instruction& i) const {
    const std::string name(op_name(i.op));
    switch (i.op) {
      case Op::constant:
        return name + " " + number(i.type.dtype, i.bits);
      case Op::parameter:
        return name + " " + pointer(i.index);
      case Op::iota:
        return name + " " + dim(i.dim);
      case Op::trans: {
        std::string s;
        for (int d = 0; d < i.type.rank; ++d) s += fmt::format("{}{}", d ? ", " : "", i.perm[static_cast<size_t>(d)]);
        return name + operands(i) + " [" + s + "]";
      }
      case Op::scalar: {
        const scalar::ScalarOpInfo& row = scalar::info(i.scalar);
        const bool attribute = row.rule == scalar::ScalarRule::convert || row.rule == scalar::ScalarRule::bitcast ||
                               row.rule == scalar::ScalarRule::round_to;
        return std::string(row.name) + (attribute ? fmt::format("<{}>", i.dtype.name()) : "") + operands(i);
      }
      case Op::block_load:
      case Op::block_store:
      case Op::gather:
      case Op::scatter:
        return memory(i);
      case Op::keep:
      case Op::recall:
        return store(i);
      case Op::stage:
        return fmt::format("stage {} {} + %{}, %{} of {} by {}", i.run->number, pointer(i.index), i.operands.at(0),
                           i.operands.at(1), i.run->most, i.run->piece);
      case Op::scan:
        return scan(i);
      case Op::cluster_reduce:
        return fmt::format("{} {} {} of{}", name, reduce_kind_names[static_cast<size_t>(i.index)], i.bits, operands(i));
      case Op::reduce:
        return fmt::format("{} {} {}{}", name, reduce_kind_names[static_cast<size_t>(i.index)], dim(i.dim),
                           operands(i));
      case Op::grid_reduce:
        return grid_reduce(i);
      case Op::grid_scan:
        return grid_scan(i);
      case Op::arrive:
      case Op::ticket:
        return name + operands(i) + " " + pointer(i.index);
      case Op::for_loop:
        return loop(i);
      case Op::status_check:
        return fmt::format("{} {}, %{}, {:#x}", name, pointer(i.index), i.operands.at(0), i.bits);
      default:
        return name + operands(i);
    }
  }

  /// "keep 0 of 7 bf16 [%3], %4"
  static std::string store(const Instruction& i) {
    return fmt::format("{} {} of {} {} [%{}]{}", op_name(i.op), i.index, i.bits, i.dtype.name(), i.operands.at(0),
                       i.op == Op::keep ? fmt::format(", %{}", i.operands.at(1)) : "");
  }

  /// " by %5, %6 and %7, %8"
  static std::string combine(const Instruction& i) {
    std::string s = " by";
    const std::vector<ValueId>& a = i.regions.at(0).arguments;
    for (size_t k = 0; k < a.size(); ++k)
      s += fmt::format("{}%{}", k == 0 ? " " : 2 * k == a.size() ? " and " : ", ", a[k]);
    return s;
  }

  std::string scan(const Instruction& i) const {
    return fmt::format("scan {}{}", dim(i.dim), operands(i)) + combine(i);
  }

  std::string grid_scan(const Instruction& i) const {
    return fmt::format("grid_scan %{}, %{} of %{} places {} {},{}", i.operands.at(0), i.operands.at(1),
                       i.operands.at(2), i.bits, pointer(i.index), operands(i, 3)) +
           combine(i);
  }

  std::string grid_reduce(const Instruction& i) const {
    const GridFold& g = *i.grid;
    std::string s = fmt::format("grid_reduce %{}, %{} of %{} most {} {}", i.operands.at(0), i.operands.at(1),
                                i.operands.at(2), g.most, pointer(g.arrivals));
    for (size_t k = 0; k < g.kinds.size(); ++k)
      s += fmt::format(", {} %{} {}", reduce_kind_names[static_cast<size_t>(g.kinds[k])], i.operands.at(k + 3),
                       pointer(g.partials.at(k)));
    return s;
  }

  static std::string loop(const Instruction& i) {
    const std::vector<ValueId>& a = i.regions.at(0).arguments;
    std::string s =
        fmt::format("for %{} = %{} to %{} step %{}", a.at(0), i.operands.at(0), i.operands.at(1), i.operands.at(2));
    for (size_t k = 1; k < a.size(); ++k)
      s += fmt::format("{}%{} = %{}", k == 1 ? " carry " : ", ", a[k], i.operands.at(k + 2));
    return s;
  }

  const Kernel& kernel_;
  std::string text_;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).whole(); }

std::string print(const Kernel& kernel, const Instruction& instruction) { return Printer(kernel).line(instruction); }

}  // namespace sinter::tile_ir
