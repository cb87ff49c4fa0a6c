// SPDX-License-Identifier: Apache-2.0
// What is written in place: which elements move, in which order, and when a value needs memory of its own.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/reference/interpret.h"
#include "tests/lower/build.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Value;

struct WriteBuilder : GraphBuilder {
  Value slice(Value x, int64_t dim, int64_t start, int64_t stop, int64_t step = 1) {
    return op("slice", {x}, slice_attributes(dim, start, stop, step));
  }
  /// x with the slice replaced.
  Value with_slice(Value x, Value value, int64_t dim, int64_t start, int64_t stop, int64_t step = 1) {
    return op("slice_scatter", {x, value}, slice_attributes(dim, start, stop, step));
  }
  Value assign(Value to, Value value) {
    return op("assign", {to, value}, CallAttributes().flag(false).enumeration(Mode::copy));
  }
  Value fill(Value to, double value) {
    return op("assign", {to}, CallAttributes().flag(true).number(graph::Number::of(value)).enumeration(Mode::copy));
  }
  void write(Value value, int input, bool overlapped = false) { g.add_write({value, input, overlapped}); }

 private:
  enum class Mode { copy };
  static CallAttributes slice_attributes(int64_t dim, int64_t start, int64_t stop, int64_t step) {
    return CallAttributes().integer(dim).integer(step).flag(true).extent(start).extent(stop);
  }
};

/// Points of all nests: elements that are stored, one store a nest.
int64_t stored_elements(const loop::Program& p) {
  int64_t n = 0;
  for (const loop::Group& g : p.groups)
    for (const loop::Nest& nest : g.nests) {
      int64_t points = static_cast<int64_t>(nest.stores.size());
      for (const loop::Axis& a : nest.axes) points *= a.reduction ? 1 : *a.extent.constant();
      n += points;
    }
  return n;
}

size_t loads(const loop::Program& p) {
  size_t n = 0;
  for (const loop::Group& g : p.groups)
    for (const loop::Nest& nest : g.nests)
      n += static_cast<size_t>(std::ranges::count_if(nest.body.instructions(), [](const loop::Instruction& in) {
        return in.kind == loop::InstructionKind::load;
      }));
  return n;
}

size_t temporaries(const loop::Program& p) {
  return static_cast<size_t>(std::ranges::count(p.buffers, loop::BufferRole::temporary, &loop::Buffer::role));
}

/// Runs the program and the interpreter; outputs and written inputs must agree.
void expect_equal(const graph::Graph& g, const loop::Program& p) {
  std::vector<reference::Array> inputs;
  for (size_t i = 0; i < g.inputs().size(); ++i) {
    Dims shape;
    for (Expr e : g.type(g.inputs()[i]).shape) shape.push_back(*e.constant());
    inputs.push_back(random_values(g.type(g.inputs()[i]).dtype, shape, i + 1));
  }
  graph::Graph values = g;
  std::vector<Value> outputs = g.outputs();
  for (const graph::Write& w : g.writes()) outputs.push_back(w.value);
  values.set_outputs(outputs);
  const std::vector<reference::Array> expected = reference::interpret(values, inputs);
  std::vector<reference::Array> memory = inputs;
  const std::vector<reference::Array> got = run(p, g, memory);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(first_difference(expected[i], got[i]), "") << "output " << i;
  for (size_t i = 0; i < g.writes().size(); ++i)
    EXPECT_EQ(first_difference(expected[got.size() + i], memory[static_cast<size_t>(g.writes()[i].input)]), "")
        << "write " << i;
}

loop::Program checked(const graph::Graph& g) {
  expect_equal(g, lowered(g, {}, false));
  expect_equal(g, lowered(g, {.fuse = false}));
  loop::Program p = lowered(g);
  expect_equal(g, p);
  return p;
}

TEST(Writes, OnlyTheBoxIsWritten) {
  for (const int64_t step : {1, 3}) {
    WriteBuilder b;
    const Value x = b.input(f32, {100, 64}), v = b.slice(x, 0, 10, 40, step);
    b.write(b.with_slice(x, b.fill(v, 2), 0, 10, 40, step), 0);
    const loop::Program p = checked(b.g);
    EXPECT_EQ(stored_elements(p), 30 / step * 64);
    EXPECT_EQ(loads(p), 0u);
    EXPECT_EQ(temporaries(p), 0u);
  }
}

TEST(Writes, AnUpdateReadsWhereItWrites) {
  WriteBuilder b;
  const Value x = b.input(f32, {100, 64}), rows = b.slice(x, 0, 10, 40), v = b.slice(rows, 1, 0, 64, 2);
  const Value value = b.assign(v, b.with_number("add", v, 1));
  const Value written = b.with_slice(rows, value, 1, 0, 64, 2);
  b.write(b.with_slice(x, written, 0, 10, 40), 0);
  const loop::Program p = checked(b.g);
  EXPECT_EQ(stored_elements(p), 30 * 32);
  EXPECT_EQ(loads(p), 1u);
  EXPECT_EQ(temporaries(p), 0u);
  EXPECT_EQ(p.groups.size(), 1u);
}

TEST(Writes, AWholeUpdateIsOneKernelWithWhatReadsIt) {
  WriteBuilder b;
  const Value x = b.input(f32, {1000}), y = b.assign(x, b.with_number("mul", x, 3));
  b.g.add_output(b.with_number("add", y, 1));
  b.write(y, 0);
  const loop::Program p = checked(b.g);
  EXPECT_EQ(p.groups.size(), 1u);
  EXPECT_EQ(loads(p), 1u);
  EXPECT_EQ(temporaries(p), 0u);
}

TEST(Writes, AShiftGoesThroughMemoryOfItsOwn) {
  WriteBuilder b;
  const Value x = b.input(f32, {1000}), tail = b.slice(x, 0, 1, 1000);
  b.write(b.with_slice(x, b.assign(tail, b.slice(x, 0, 0, 999)), 0, 1, 1000), 0);
  const loop::Program p = checked(b.g);
  EXPECT_EQ(temporaries(p), 1u);
  EXPECT_EQ(p.groups.size(), 2u);
}

TEST(Writes, OtherReadersComeFirst) {
  WriteBuilder b;
  const Value x = b.input(f32, {8, 100});
  const Value y = b.assign(x, b.with_number("add", x, 1));
  b.g.add_output(b.op("flip", {x}, CallAttributes().integers({0})));  // another address
  b.g.add_output(b.reduce("sum", x, {1}));                            // another space
  b.write(y, 0);
  const loop::Program p = checked(b.g);
  EXPECT_EQ(temporaries(p), 0u);
  EXPECT_EQ(p.groups.size(), 2u);  // the readers share one
}

TEST(Writes, TwoInputsChangePlaces) {
  WriteBuilder b;
  const Value x = b.input(f32, {100}), y = b.input(f32, {100});
  b.write(b.assign(x, y), 0);
  b.write(b.assign(y, x), 1);
  checked(b.g);
}

TEST(Writes, SeveralBoxesInOrder) {
  WriteBuilder b;
  const Value x = b.input(f32, {100});
  const Value first = b.slice(x, 0, 0, 60), one = b.with_slice(x, b.fill(first, 1), 0, 0, 60);
  const Value second = b.slice(one, 0, 40, 90);
  const Value two = b.with_slice(one, b.assign(second, b.with_number("mul", second, 5)), 0, 40, 90);
  const Value again = b.slice(two, 0, 0, 60);
  b.write(b.with_slice(two, b.fill(again, 7), 0, 0, 60), 0);  // covers the first one exactly
  const loop::Program p = checked(b.g);
  EXPECT_LE(stored_elements(p), 50 + 60 + 50);
}

TEST(Writes, OverlappedInputsAreReadBeforeAnyIsWritten) {
  WriteBuilder b;
  const Value x = b.input(f32, {100}), y = b.input(f32, {100});
  b.write(b.assign(x, b.binary("add", x, y)), 0, true);
  const loop::Program p = checked(b.g);
  EXPECT_EQ(temporaries(p), 1u);
  EXPECT_EQ(p.groups.size(), 2u);
}

TEST(Writes, AFoldOfWhatItWrites) {
  WriteBuilder b;
  const Value x = b.input(f32, {16, 200});
  b.write(b.assign(x, b.softmax(x)), 0);
  checked(b.g);
}

}  // namespace
}  // namespace sinter::test
