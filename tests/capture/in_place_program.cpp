// SPDX-License-Identifier: Apache-2.0
#include "tests/capture/in_place_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace sinter::test {
namespace {

/// Words of a line.
class Words {
 public:
  explicit Words(const std::string& line) : in_(line) {}
  std::string word() {
    std::string w;
    in_ >> w;
    return w;
  }
  int64_t integer() { return std::stoll(word()); }
  Dims dims() {
    Dims d;
    const std::string w = word();
    if (w == "-") return d;
    std::istringstream in(w);
    for (std::string part; std::getline(in, part, ',');) d.push_back(std::stoll(part));
    return d;
  }
  std::vector<double> numbers() {
    std::vector<double> values;
    for (std::string w = word(); !w.empty(); w = word()) values.push_back(std::strtod(w.c_str(), nullptr));
    return values;
  }

 private:
  std::istringstream in_;
};

Tensor initial(DType dtype, const Dims& shape, int64_t salt) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.product(); ++i)
    values.push_back(static_cast<double>((i * 7 + salt) % 11 - (dtype == u8 ? 0 : 4)));
  return to(from<double>(values, shape), dtype);
}

using Maker = std::function<Tensor(const Tensor& x, const Variables& variables, Words& words)>;

const std::map<std::string, Maker>& makers() {
  using V = const Variables&;
  static const std::map<std::string, Maker> all = {
      {"slice",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer(), a = w.integer(), b = w.integer();
         return slice(x, d, a, b, w.integer());
       }},
      {"select",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer();
         return select(x, d, w.integer());
       }},
      {"narrow",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer(), a = w.integer();
         return narrow(x, d, a, w.integer());
       }},
      {"transpose",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer();
         return transpose(x, d, w.integer());
       }},
      {"permute", [](const Tensor& x, V, Words& w) { return permute(x, w.dims()); }},
      {"reshape", [](const Tensor& x, V, Words& w) { return reshape(x, w.dims()); }},
      {"unflatten",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer();
         return unflatten(x, d, w.dims());
       }},
      {"flatten", [](const Tensor& x, V, Words&) { return flatten(x); }},
      {"unsqueeze", [](const Tensor& x, V, Words& w) { return unsqueeze(x, w.integer()); }},
      {"squeeze", [](const Tensor& x, V, Words&) { return squeeze(x); }},
      {"expand", [](const Tensor& x, V, Words& w) { return expand(x, w.dims()); }},
      {"diagonal",
       [](const Tensor& x, V, Words& w) {
         const int64_t o = w.integer(), a = w.integer();
         return diagonal(x, o, a, w.integer());
       }},
      {"unfold",
       [](const Tensor& x, V, Words& w) {
         const int64_t d = w.integer(), size = w.integer();
         return unfold(x, d, size, w.integer());
       }},
      {"as", [](const Tensor& x, V, Words& w) { return view(x, *DType::parse(w.word())); }},
      {"flip", [](const Tensor& x, V, Words& w) { return flip(x, {w.integer()}); }},
      {"relu", [](const Tensor& x, V, Words&) { return relu(x); }},
      {"clone", [](const Tensor& x, V, Words&) { return clone(x); }},
      {"sum", [](const Tensor& x, V, Words& w) { return sum(x, {.dims = {w.integer()}}); }},
      {"add", [](const Tensor& x, V variables, Words& w) { return add(x, variables.at(w.word())); }},
  };
  return all;
}

bool write(const std::string& op, Variables& v, Words& w) {
  static const std::set<std::string> with_number{"add_", "mul_", "fill_"}, with_tensor{"copy_", "addt_"};
  if (op != "relu_" && !with_number.contains(op) && !with_tensor.contains(op)) return false;
  const Tensor x = v.at(w.word());
  if (op == "relu_") {
    relu_(x);
  } else if (with_tensor.contains(op)) {
    const Tensor y = v.at(w.word());
    op == "copy_" ? copy_(x, y) : add_(x, y);
  } else {
    const int64_t number = w.integer();
    op == "add_" ? add_(x, number) : op == "mul_" ? mul_(x, number) : fill_(x, number);
  }
  return true;
}

std::string check(Variables& v, Words& w) {
  const std::string name = w.word();
  const Tensor t = v.at(name);
  const Dims shape = w.dims();
  if (!(t.shape() == shape)) return fmt::format("{} has shape {}, expected {}", name, t.shape().text(), shape.text());
  const std::vector<double> expected = w.numbers(), got = to_vector<double>(to(t, f64));
  for (size_t i = 0; i < expected.size(); ++i)
    if (got[i] != expected[i] && !(std::isnan(got[i]) && std::isnan(expected[i])))
      return fmt::format("{}: element {} is {}, expected {}", name, i, got[i], expected[i]);
  return {};
}

}  // namespace

std::vector<InPlaceProgram> read_programs(const std::string& file) {
  std::ifstream in(file);
  std::vector<InPlaceProgram> programs;
  std::vector<std::string>* lines = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("program ")) {
      programs.push_back({line, {}, {}, {}});
      lines = &programs.back().before;
    } else if (line == "begin") {
      lines = &programs.back().body;
    } else if (line == "end") {
      lines = &programs.back().after;
    } else {
      lines->push_back(line);
    }
  }
  return programs;
}

std::string program_text(const InPlaceProgram& p, const std::vector<std::string>& failures) {
  return fmt::format("{}\n  {}\n begin\n  {}\n end\n  {}\n failures\n  {}", p.name, fmt::join(p.before, "\n  "),
                     fmt::join(p.body, "\n  "), fmt::join(p.after, "\n  "), fmt::join(failures, "\n  "));
}

void run_line(const std::string& line, Variables& variables, std::vector<std::string>& failures, Device device) {
  Words w(line);
  const std::string first = w.word();
  if (first == "break") return graph_break();
  if (first == "del") {
    variables.erase(w.word());
    return;
  }
  if (first == "check") {
    if (std::string wrong = check(variables, w); !wrong.empty()) failures.push_back(std::move(wrong));
    return;
  }
  if (write(first, variables, w)) return;
  w.word();  // =
  const std::string op = w.word();
  if (op == "input") {
    const DType dtype = *DType::parse(w.word());
    const Dims shape = w.dims();
    variables[first] = to(initial(dtype, shape, w.integer()), device);
    return;
  }
  const Tensor x = variables.at(w.word());
  variables[first] = makers().at(op)(x, variables, w);
}

}  // namespace sinter::test
