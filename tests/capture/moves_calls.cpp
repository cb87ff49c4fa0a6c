// SPDX-License-Identifier: Apache-2.0
#include "tests/capture/moves_calls.h"

#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// The fields of a case's name after the first.
struct Arguments {
  std::vector<std::string> fields;

  bool has(size_t i) const { return i < fields.size(); }
  std::vector<int64_t> list(size_t i) const {
    std::vector<int64_t> values;
    std::istringstream parts(fields.at(i));
    for (std::string part; std::getline(parts, part, ',');) values.push_back(std::stoll(part));
    return values;
  }
  Dims dims(size_t i) const { return Dims(std::span<const int64_t>(list(i))); }
  int64_t integer(size_t i) const { return std::stoll(fields.at(i)); }
  DType dtype(size_t i) const { return *DType::parse(fields.at(i)); }
};

using Results = std::vector<Tensor>;
using Handler = std::function<Results(const MoveInputs&, const Arguments&)>;
using Handlers = std::map<std::string, Handler>;

template <class F>
Handler one(const F& f) {
  return [f](const MoveInputs& in, const Arguments& a) { return Results{f(in, a)}; };
}

void add_parts(Handlers& h) {
  h["narrow"] = one([](auto& in, auto& a) { return narrow(in.x, a.integer(0), a.integer(1), a.integer(2)); });
  h["narrow_scalar"] = one([](auto& in, auto&) { return narrow(in.s, 0, 0, 1); });
  h["split"] = [](auto& in, auto& a) { return split(in.x, a.integer(0), a.integer(1)); };
  h["split_empty"] = [](auto& in, auto& a) { return split(in.e, a.integer(0)); };
  h["split_scalar"] = [](auto& in, auto&) { return split(in.s, 1); };
  h["sizes"] = [](auto& in, auto& a) { return split_with_sizes(in.x, a.list(0), 1); };
  h["chunk"] = [](auto& in, auto& a) { return chunk(in.x, a.integer(0), a.integer(1)); };
  h["chunk_ten"] = [](auto& in, auto& a) { return chunk(in.v, a.integer(0)); };
  h["chunk_empty"] = [](auto& in, auto& a) { return chunk(in.e, a.integer(0)); };
  h["chunk_scalar"] = [](auto& in, auto&) { return chunk(in.s, 1); };
  h["unbind"] = [](auto& in, auto& a) { return unbind(in.x, a.integer(0)); };
  h["unbind_empty"] = [](auto& in, auto&) { return unbind(in.e); };
  h["unbind_scalar"] = [](auto& in, auto&) { return unbind(in.s); };
}

void add_copies(Handlers& h) {
  h["repeat"] = one([](auto& in, auto& a) { return repeat(in.x, a.dims(0)); });
  h["repeat_scalar"] = one([](auto& in, auto& a) { return repeat(in.s, a.has(0) ? a.dims(0) : Dims{}); });
  h["repeat_empty"] = one([](auto& in, auto& a) { return repeat(in.e, a.dims(0)); });
  h["tile"] = one([](auto& in, auto& a) { return tile(in.x, a.has(0) ? a.dims(0) : Dims{}); });
  const auto optional_dim = [](const Arguments& a) { return a.has(1) ? std::optional(a.integer(1)) : std::nullopt; };
  h["repeat_interleave"] =
      one([=](auto& in, auto& a) { return repeat_interleave(in.x, a.integer(0), optional_dim(a)); });
  h["repeat_interleave_scalar"] =
      one([=](auto& in, auto& a) { return repeat_interleave(in.s, a.integer(0), optional_dim(a)); });
  h["roll"] = one([](auto& in, auto& a) { return roll(in.x, a.dims(0), a.has(1) ? a.dims(1) : Dims{}); });
  h["roll_scalar"] = one([](auto& in, auto& a) { return roll(in.s, {1}, a.has(0) ? a.dims(0) : Dims{}); });
  h["roll_empty"] = one([](auto& in, auto& a) { return roll(in.e, {1}, a.dims(0)); });
  h["tril"] = one([](auto& in, auto& a) { return tril(in.m, a.integer(0)); });
  h["triu"] = one([](auto& in, auto& a) { return triu(in.m, a.integer(0)); });
  h["triu_batch"] = one([](auto& in, auto& a) { return triu(in.x, a.integer(0)); });
  h["tril_special"] = one([](auto& in, auto&) { return tril(in.logic); });
  h["tril_row"] = one([](auto& in, auto&) { return tril(in.v); });
  h["triu_scalar"] = one([](auto& in, auto&) { return triu(in.s); });
}

void add_views(Handlers& h) {
  h["unfold"] = one([](auto& in, auto& a) { return unfold(in.v, a.integer(0), a.integer(1), a.integer(2)); });
  h["unfold_middle"] = one([](auto& in, auto&) { return unfold(in.x, 1, 2, 1); });
  h["unfold_scalar"] = one([](auto& in, auto& a) { return unfold(in.s, 0, a.integer(0), 1); });
  h["diagonal"] = one([](auto& in, auto& a) { return diagonal(in.x, a.integer(0), a.integer(1), a.integer(2)); });
  h["diagonal_row"] = one([](auto& in, auto&) { return diagonal(in.v); });
  h["diagonal_scalar"] = one([](auto& in, auto&) { return diagonal(in.s); });
  h["movedim"] = one(
      [](auto& in, auto& a) { return movedim(in.x, a.has(0) ? a.dims(0) : Dims{}, a.has(1) ? a.dims(1) : Dims{}); });
  h["movedim_scalar"] = one([](auto& in, auto&) { return movedim(in.s, {0}, {-1}); });
  h["swapaxes"] = one([](auto& in, auto& a) { return swapaxes(in.x, a.integer(0), a.integer(1)); });
  h["unflatten"] = one([](auto& in, auto& a) { return unflatten(in.x, a.integer(0), a.has(1) ? a.dims(1) : Dims{}); });
  h["unflatten_scalar"] = one([](auto& in, auto&) { return unflatten(in.s, 0, {1, 1}); });
  h["unflatten_empty"] = one([](auto& in, auto& a) { return unflatten(in.e, 0, a.dims(0)); });
  h["broadcast_to"] = one([](auto& in, auto& a) { return broadcast_to(in.x, a.dims(0)); });
}

Tensor reinterpreted(const std::string& name) {
  if (name == "f32" || name == "f16" || name == "bf16" || name == "f64") {
    const Tensor values =
        from<double>({0.0, -0.0, 1.0, -1.5, HUGE_VAL, -HUGE_VAL, 1e-6, 65504.0, 3.14159, 1e-7, -2e-8, 0.3});
    return to(to(values, f32), *DType::parse(name));
  }
  return to(from<int16_t>({0, 1, 2, 127, -128, -1, 32767, -32768, 0x3C00, 0x0001, 0x03FF, 0x7C00}),
            *DType::parse(name));
}

void add_reinterpretations(Handlers& h) {
  h["view"] = one([](auto&, auto& a) { return view(reinterpreted(a.fields[0]), a.dtype(1)); });
  h["view_scalar"] = one([](auto& in, auto& a) { return view(in.s, a.dtype(0)); });
  h["view_odd"] = one([](auto& in, auto& a) { return view(narrow(in.v, 0, 0, 3), a.dtype(0)); });
}

void add_pads(Handlers& h) {
  for (const auto& [name, mode] : {std::pair<std::string, PadMode>{"reflect", PadMode::reflect},
                                   {"replicate", PadMode::replicate},
                                   {"circular", PadMode::circular}}) {
    const auto pads = [](const Arguments& a) { return a.has(0) ? a.dims(0) : Dims{}; };
    h["pad_" + name] = one([=, mode = mode](auto& in, auto& a) { return pad(select(in.x, 0, 0), pads(a), mode); });
    h["pad_" + name + "_plane"] = one([=, mode = mode](auto& in, auto& a) { return pad(in.x, pads(a), mode); });
    h["pad_" + name + "_volume"] =
        one([=, mode = mode](auto& in, auto& a) { return pad(unsqueeze(in.x, 0), pads(a), mode); });
    h["pad_" + name + "_row"] = one([mode = mode](auto& in, auto&) { return pad(in.v, {1, 1}, mode); });
    h["pad_" + name + "_no_batch"] = one([mode = mode](auto&, auto&) { return pad(zeros({0, 2, 3}), {1, 1}, mode); });
    h["pad_" + name + "_no_elements"] = one([mode = mode](auto&, auto&) { return pad(zeros({2, 0}), {1, 1}, mode); });
  }
}

Tensor classes() { return from<int64_t>({0, 2, 1, 3, 3, 0}, {2, 3}); }

void add_one_hot(Handlers& h) {
  h["one_hot"] = one([](auto&, auto& a) { return one_hot(classes(), a.integer(0)); });
  h["one_hot_negative"] = one([](auto&, auto&) { return one_hot(classes() - 1, 4); });
  h["one_hot_i32"] = one([](auto&, auto&) { return one_hot(to(classes(), i32), 4); });
  h["one_hot_scalar"] = one([](auto&, auto&) { return one_hot(full({}, 2, i64), 4); });
  h["one_hot_empty"] = one([](auto&, auto&) { return one_hot(zeros({0, 2}, i64), 4); });
}

void add_grids(Handlers& h) {
  for (const auto& [name, way] :
       {std::pair<std::string, MeshIndexing>{"meshgrid_ij", MeshIndexing::ij}, {"meshgrid_xy", MeshIndexing::xy}}) {
    h[name] = [way = way](auto& in, auto& a) {
      const auto first = [&](int64_t n) { return narrow(in.v, 0, 0, n); };
      const int64_t n = a.integer(0);
      if (n == 1) return meshgrid({in.v}, way);
      return n == 2 ? meshgrid({in.v, first(3)}, way) : meshgrid({first(2), first(3), first(4)}, way);
    };
    h[name + "_scalar"] = [way = way](auto& in, auto&) { return meshgrid({narrow(in.v, 0, 0, 2), in.s}, way); };
    h[name + "_empty"] = [way = way](auto& in, auto&) {
      return meshgrid({narrow(in.v, 0, 0, 0), narrow(in.v, 0, 0, 3)}, way);
    };
    h[name + "_matrix"] = [way = way](auto& in, auto&) { return meshgrid({in.m, in.v}, way); };
    h[name + "_dtypes"] = [way = way](auto& in, auto&) { return meshgrid({in.v, to(in.v, f64)}, way); };
  }
}

Tensor linspace_of(const Arguments& a) {
  const bool floating = a.fields[0].find_first_of(".e") != std::string::npos;
  const DType dtype = a.dtype(3);
  if (floating) return linspace(std::stod(a.fields[0]), std::stod(a.fields[1]), a.integer(2), dtype);
  return linspace(a.integer(0), a.integer(1), a.integer(2), dtype);
}

void add_creations(Handlers& h) {
  add_grids(h);
  h["eye"] = one([](auto&, auto& a) { return eye(a.integer(0), a.integer(1)); });
  h["eye_dtype"] = one([](auto&, auto& a) { return eye(3, std::nullopt, a.dtype(0)); });
  h["full_like"] =
      one([](auto& in, auto& a) { return a.has(0) ? full_like(in.x, 2.7, a.dtype(0)) : full_like(in.x, 7); });
  h["full_like_too_large"] = one([](auto& in, auto&) { return full_like(to(in.x, u8), 300); });
  h["full_like_nan"] = one([](auto& in, auto&) { return full_like(to(in.x, i32), std::nan("")); });
  h["zeros_like"] = one([](auto& in, auto&) { return zeros_like(in.m); });
  h["ones_like"] = one([](auto& in, auto&) { return ones_like(in.e); });
  h["arange_product"] = one([](auto&, auto& a) { return arange(9, {.dtype = a.dtype(0)}) * 1500000000; });
  h["linspace"] = one([](auto&, auto& a) { return linspace_of(a); });
}

using Counting = Tensor (*)(Operand, ReduceOptions);

Tensor counted(Counting f, const MoveInputs& in, const Arguments& a) {
  const std::string& what = a.fields.at(0);
  if (what == "all") return f(in.logic, {});
  if (what == "scalar") return f(in.s, {});
  if (what == "empty") return f(in.e, {.dims = a.dims(1)});
  if (what == "twice") return f(in.logic, {.dims = {0, -2}});
  if (what == "outside") return f(in.logic, {.dims = {2}});
  if (what == "keepdim") return f(in.logic, {.dims = f == &any ? Dims{1} : Dims{0, 1}, .keepdim = true});
  return f(in.logic, {.dims = a.dims(0)});
}

void add_counts(Handlers& h) {
  for (const auto& [name, f] :
       {std::pair<std::string, Counting>{"any", &any}, {"all", &all}, {"count_nonzero", &count_nonzero}}) {
    h[name] = one([f = f](auto& in, auto& a) { return counted(f, in, a); });
    h[name + "_u8"] = one([f = f](auto& in, auto& a) { return f(in.bytes, {.dims = a.dims(0)}); });
  }
}

Handlers all_handlers() {
  Handlers h;
  add_parts(h);
  add_copies(h);
  add_views(h);
  add_reinterpretations(h);
  add_pads(h);
  add_one_hot(h);
  add_creations(h);
  add_counts(h);
  return h;
}

}  // namespace

MoveInputs move_inputs() {
  const float nan = std::nanf("");
  return {counting({2, 3, 4}),
          counting({5, 7}),
          counting({10}),
          full({}, 7, f32),
          zeros({0, 3}),
          from<float>({0.0f, -0.0f, 0.0f, nan, 0.0f, 2.0f, 1.0f, -3.0f, HUGE_VALF}, {3, 3}),
          from<uint8_t>({0, 0, 255, 0, 7, 1}, {2, 3})};
}

std::vector<Tensor> move_call(const std::string& name, const MoveInputs& inputs) {
  static const Handlers handlers = all_handlers();
  std::istringstream parts(name);
  std::string head;
  std::getline(parts, head, ':');
  Arguments arguments;
  for (std::string part; std::getline(parts, part, ':');) arguments.fields.push_back(part);
  const auto found = handlers.find(head);
  if (found == handlers.end()) throw std::runtime_error("no call is known for case " + name);
  return found->second(inputs, arguments);
}

}  // namespace sinter::test
