// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dtype.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::exec {

/// An integer expression over the call's value array, evaluated on the host: postfix code in Plan::code.
struct HostExpr {
  int32_t begin = 0;
  int32_t length = 0;  ///< 0: the literal
  int64_t literal = 0;
  friend bool operator==(const HostExpr&, const HostExpr&) = default;
};

enum class HostOp : uint8_t { push, symbol, add, mul, floordiv, mod, ceildiv, min, max, doubled };

struct HostInstruction {
  HostOp op;
  int64_t operand = 0;  ///< push: the literal; symbol: index into the call's symbol values
  friend bool operator==(const HostInstruction&, const HostInstruction&) = default;
};

/// One 8-byte slot of a kernel's parameter block.
struct SlotSource {
  enum class Kind : uint8_t {
    input,      ///< data pointer of input `index` (+ its storage offset) + byte offset `expr`
    output,     ///< data pointer of output `index` + byte offset `expr`
    temporary,  ///< arena base + byte offset `expr`
    index,      ///< i64 value of `expr`
    number,     ///< number symbol `index` converted to compute type `dtype`
    literal,    ///< `bits`
    status,     ///< pointer to the call's status word
    arrivals,   ///< pointer to zero words that kernels leave zero (Backend::arrivals)
  };
  Kind kind = Kind::literal;
  int32_t index = -1;
  DType dtype;
  HostExpr expr;
  uint64_t bits = 0;
  friend bool operator==(const SlotSource&, const SlotSource&) = default;
};

/// Where a compiled kernel comes from; images themselves are stored apart, by key.
struct KernelRef {
  std::string key;      ///< content key of the image (cache key); equal text gives equal keys
  std::string entry;    ///< symbol name
  int32_t threads = 1;  ///< CUDA block size
  int32_t shared_bytes = 0;
  friend bool operator==(const KernelRef&, const KernelRef&) = default;
};

/// A tensor of a call: `address` is an input, an output or a temporary; its expr the byte offset of the first element.
struct CallTensorSource {
  SlotSource address;
  DType dtype;
  std::vector<HostExpr> shape;
  std::vector<HostExpr> strides;  ///< in elements
  friend bool operator==(const CallTensorSource&, const CallTensorSource&) = default;
};

/// A number or extent among a call's attributes.
struct CallNumberSource {
  bool floating = false;
  int32_t symbol = -1;  ///< >= 0: the bits are those of this symbol; else `value`
  HostExpr value;
  friend bool operator==(const CallNumberSource&, const CallNumberSource&) = default;
};

/// A call that a provider computes (runtime/exec/library): what becomes a CallDescription when it is run.
struct CallRef {
  std::string op;
  std::string provider;
  std::vector<int64_t> words;
  std::vector<CallNumberSource> numbers;
  std::vector<CallTensorSource> operands;
  std::vector<CallTensorSource> results;
  friend bool operator==(const CallRef&, const CallRef&) = default;
};

/// Launches a kernel or makes a call: one of the two indices is set.
struct Step {
  int32_t kernel = -1;
  HostExpr grid;  ///< number of blocks; 0 skips the launch
  std::vector<SlotSource> slots;
  int32_t call = -1;
  friend bool operator==(const Step&, const Step&) = default;
};

struct TensorSpec {
  DType dtype;
  int32_t alias_input = -1;  ///< >= 0: no memory of its own, a view of that input at element `alias_offset` of it
  HostExpr alias_offset;
  std::vector<HostExpr> shape;
  std::vector<HostExpr> strides;
  int32_t alias_output = -1;  ///< >= 0: a view of that output instead, which comes before this one
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// A compiled region as plain data: what to allocate, what to launch, in order. No pointers, no lambdas.
struct Plan {
  static constexpr uint32_t version = 5;
  std::string name;
  Device device = Device::cpu();
  int32_t input_count = 0;
  int32_t symbol_count = 0;  ///< 64-bit words of a call's key, which symbols are positions of
  std::vector<TensorSpec> outputs;
  HostExpr arena_bytes;
  std::vector<KernelRef> kernels;
  std::vector<CallRef> calls;
  std::vector<Step> steps;
  std::vector<HostInstruction> code;
  bool uses_status = false;
  bool uses_arrivals = false;                ///< some slot is of that kind
  std::vector<std::string> status_messages;  ///< status value k > 0 means messages[k-1]
  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string serialize(const Plan& plan);
/// Bounds-checked; throws CompileError on anything malformed or of another version.
Plan deserialize(std::string_view bytes);

}  // namespace sinter::exec
