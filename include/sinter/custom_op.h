// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/attribute.h>
#include <sinter/error.h>
#include <sinter/tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Ops of one's own: a kernel as CUDA text, a tile program, or a function that queues work, with what Sinter must know
// to put it into a graph. Everything around such an op is fused as usual.
#pragma GCC visibility push(default)
namespace sinter {

/// An extent in a type rule: a number, or where it changes from call to call an expression that stands for it. One rule
/// serves both, so that a new shape compiles nothing.
class Extent {
 public:
  Extent(int64_t value);  // NOLINT(google-explicit-constructor): numbers are extents
  /// The number, if it is one.
  std::optional<int64_t> constant() const;
  std::string text() const;

  friend Extent operator+(Extent a, Extent b);
  friend Extent operator-(Extent a, Extent b);
  friend Extent operator*(Extent a, Extent b);
  friend Extent floor_div(Extent a, Extent b);  ///< b is positive
  friend Extent ceil_div(Extent a, Extent b);   ///< b is positive
  friend Extent min(Extent a, Extent b);
  friend Extent max(Extent a, Extent b);

 private:
  friend struct ExtentAccess;
  Extent() = default;
  const void* node_ = nullptr;
};

/// The type of an operand or result.
struct TensorType {
  DType dtype;
  std::vector<Extent> shape;
};

/// What a type rule sees of a call.
class TypeContext {
 public:
  virtual ~TypeContext() = default;
  const std::vector<TensorType>& operands() const { return operands_; }
  /// A structural attribute; UserError for one of kind `number`, which may change from call to call.
  virtual const AttributeValue& attribute(std::string_view name) const = 0;
  /// Are they equal? What is open is assumed, and checked in every call.
  virtual bool same(Extent a, Extent b) = 0;
  /// Refuses the call: UserError "[op] what" at the user's line.
  [[noreturn]] virtual void fail(const std::string& what, const std::string& fix = {}) const = 0;

 protected:
  std::vector<TensorType> operands_;
};

/// The type of the result. A pure function: it may be asked any number of times.
using TypeRule = std::function<TensorType(TypeContext&)>;

/// A tensor as implementations see it.
struct CustomTensor {
  void* data = nullptr;  ///< device memory on CUDA; null where only shapes are known
  DType dtype;
  Dims shape;
  Dims strides;  ///< in elements
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// One call, with everything known.
struct CustomCall {
  std::vector<CustomTensor> operands;
  CustomTensor result;  ///< dense, row-major
  std::vector<Attribute> attributes;
  Device device;
  void* stream = nullptr;  ///< native; the current stream, which may be being captured

  /// UserError if there is none of that name.
  const AttributeValue& attribute(std::string_view name) const;
  double number(std::string_view name) const;  ///< of an integer, floating number or flag
};

/// An argument of a kernel after its pointers: `long long` or `double`.
using KernelArgument = std::variant<int64_t, double>;

struct CudaLaunch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int, 3> block = {256, 1, 1};
  int shared_bytes = 0;  ///< dynamic
  std::vector<KernelArgument> arguments = {};
};

/// CUDA C, compiled by NVRTC for the device when first needed and kept in the disk cache. The kernel is
/// `extern "C" __global__ void entry(const T* operand.., T* result, arguments..)`.
struct CudaKernel {
  std::string text;
  std::string entry;
  std::function<CudaLaunch(const CustomCall&)> launch;  ///< by shapes and attributes; addresses are null
  std::vector<std::string> options = {};                ///< for NVRTC: "--use_fast_math"
};

struct TileLaunch {
  int64_t programs = 1;
  std::vector<KernelArgument> arguments = {};
};

/// A tile program as text (docs/architecture.md), which runs on the CPU and on CUDA. Its parameters are the operands,
/// the result (written), then the arguments.
struct TileKernel {
  std::string text;
  std::function<TileLaunch(const CustomCall&)> launch;
};

/// Queues the work of a call on call.stream without waiting; on the CPU it does the work. It must not allocate memory
/// on the stream while that is captured, nor touch anything but its operands and result.
using LaunchFunction = std::function<void(const CustomCall&)>;

enum class AttributeKind : uint8_t {
  flag,
  integer,
  integers,
  dtype,
  number,  ///< run-time: a new value compiles nothing; the type rule cannot see it
};

struct AttributeSchema {
  std::string name;
  AttributeKind kind = AttributeKind::number;
  AttributeValue value = {};  ///< if a call gives none; absent: every call must
};

/// An op of one's own. What a device has no implementation for it computes otherwise: the CPU by `reference`, CUDA by
/// `composite`, else the call is refused (CompileError).
struct OpDefinition {
  std::string name;
  int min_operands = 1;
  int max_operands = 1;  ///< -1: any number
  std::vector<AttributeSchema> attributes = {};
  TypeRule type;
  /// The meaning, in host memory: operands are dense and row-major. Slow and obvious; backend "reference" uses it.
  std::function<void(const CustomCall&)> reference;

  std::optional<CudaKernel> cuda = {};
  std::optional<TileKernel> tile = {};  ///< after `cuda` and the launch functions
  LaunchFunction launch_cuda = {};
  LaunchFunction launch_cpu = {};
  /// The same in terms of other ops: recorded in place of the call, so that it is fused, on devices without another
  /// implementation than the reference.
  std::function<Tensor(std::span<const Tensor> operands, std::span<const Attribute> attributes)> composite = {};
  bool any_strides = false;  ///< operands are read where they lie; else they are made dense and row-major first
};

/// A registered op, to be called: `blur({image}, {{"radius", int64_t{3}}})`.
class CustomOp {
 public:
  const std::string& name() const;
  Tensor operator()(std::vector<Tensor> operands, std::vector<Attribute> attributes = {},
                    SourceLine line = SourceLine::current()) const;
  struct Registered;

 private:
  friend CustomOp register_op(OpDefinition definition, SourceLine line);
  explicit CustomOp(std::shared_ptr<const Registered> op) : op_(std::move(op)) {}
  std::shared_ptr<const Registered> op_;
};

/// Adds an op for the life of the process. It is a pure function with one result: calls whose result nobody needs are
/// dropped, others run after what they depend on. In a compiled function it is a step of the plan between kernels that
/// are fused as usual; outside of one it runs at once.
///
/// In its functions Sinter's ops run at once, but the op itself may not be used there. Their exceptions reach the
/// caller. A kernel that faults stops the device (DeviceError, which names the ops of one's own that were launched).
/// UserError for a name that is taken or empty, and for missing or contradictory parts; CompileError, with NVRTC's log
/// and the lines of the text, for CUDA text that does not compile.
CustomOp register_op(OpDefinition definition, SourceLine line = SourceLine::current());

/// A type rule that is often meant: the type of operand `i`.
TypeRule same_as_operand(size_t i = 0);

}  // namespace sinter
#pragma GCC visibility pop
