// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/product.h"

#include <array>
#include <utility>
#include <vector>

#include "runtime/exec/library/onednn/library.h"

namespace sinter::exec::onednn {
namespace {

dnnl_data_type_t type_of(DType t) { return t == f32 ? dnnl_f32 : t == f16 ? dnnl_f16 : dnnl_bf16; }

/// A memory descriptor of [batches, rows, columns], or of [rows, columns] where there is one batch.
class Shape {
 public:
  Shape(const Gemm& g, DType t, const GemmMatrix& m, int64_t rows, int64_t columns) {
    const int64_t row_step = m.row_major ? m.leading : 1, column_step = m.row_major ? 1 : m.leading;
    const bool repeats = g.batches > 1 && m.batch_stride == 0;  // broadcast by an extent of 1
    const int first = g.batches > 1 ? 0 : 1;
    const std::array<int64_t, 3> dims{repeats ? 1 : g.batches, rows, columns},
        strides{repeats ? rows * columns : m.batch_stride, row_step, column_step};
    dnnl_dims_t d{}, s{};
    for (int i = first; i < 3; ++i) {
      d[i - first] = dims[static_cast<size_t>(i)];
      s[i - first] = strides[static_cast<size_t>(i)];
    }
#if DNNL_VERSION_MAJOR >= 3
    check(library().memory_desc_create_with_strides(&desc_, 3 - first, d, type_of(t), s), "memory_desc_create");
#else
    check(library().memory_desc_init_by_strides(&desc_, 3 - first, d, type_of(t), s), "memory_desc_init");
#endif
  }
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
#if DNNL_VERSION_MAJOR >= 3
  ~Shape() { library().memory_desc_destroy(desc_); }
  MemoryDesc get() const { return desc_; }
#else
  ~Shape() = default;
  MemoryDesc get() const { return &desc_; }
#endif

 private:
  dnnl_memory_desc_t desc_{};
};

/// Attributes: the workspace is the caller's, and what the epilogue asks for.
class Attributes {
 public:
  explicit Attributes(GemmEpilogue epilogue) {
    const Library& l = library();
    check(l.primitive_attr_create(&handle_), "primitive_attr_create");
    check(l.primitive_attr_set_scratchpad_mode(handle_, dnnl_scratchpad_mode_user), "set_scratchpad_mode");
    if (epilogue == GemmEpilogue::none) return;
    const dnnl_alg_kind_t kind = epilogue == GemmEpilogue::relu ? dnnl_eltwise_relu : dnnl_eltwise_gelu_tanh;
    dnnl_post_ops_t ops = nullptr;
    check(l.post_ops_create(&ops), "post_ops_create");
#if DNNL_VERSION_MAJOR >= 3
    check(l.post_ops_append_eltwise(ops, kind, 0, 0), "post_ops_append_eltwise");
#else
    check(l.post_ops_append_eltwise(ops, 1, kind, 0, 0), "post_ops_append_eltwise");
#endif
    check(l.primitive_attr_set_post_ops(handle_, ops), "primitive_attr_set_post_ops");
    l.post_ops_destroy(ops);
  }
  ~Attributes() { library().primitive_attr_destroy(handle_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  dnnl_primitive_attr_t get() const { return handle_; }

 private:
  dnnl_primitive_attr_t handle_ = nullptr;
};

/// Memory objects of one execution.
class Arguments {
 public:
  ~Arguments() {
    for (const dnnl_exec_arg_t& a : list_) library().memory_destroy(a.memory);
  }
  void add(int which, MemoryDesc desc, void* data) {
    dnnl_memory_t memory = nullptr;
    check(library().memory_create(&memory, desc, library().engine, data), "memory_create");
    list_.push_back({which, memory});
  }
  void execute(const_dnnl_primitive_t primitive) const {
    const Library& l = library();
    check(l.primitive_execute(primitive, l.stream, static_cast<int>(list_.size()), list_.data()), "primitive_execute");
    check(l.stream_wait(l.stream), "stream_wait");
  }

 private:
  std::vector<dnnl_exec_arg_t> list_;
};

class Product final : public PreparedCall {
 public:
  explicit Product(const Gemm& g)
      : gemm_(g),
        a_(g, g.operands, g.a, g.m, g.k),
        b_(g, g.operands, g.b, g.k, g.n),
        bias_(g, g.operands, {true, g.n, 0}, 1, g.n),
        d_(g, g.result, g.d, g.m, g.n) {}
  ~Product() override {
    const Library& l = library();
    if (primitive_ != nullptr) l.primitive_destroy(primitive_);
    if (desc_ != nullptr) l.primitive_desc_destroy(desc_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// Is there an implementation?
  bool create() {
    const Library& l = library();
    l.use_our_threads();
    const Attributes attributes(gemm_.epilogue);
    const MemoryDesc bias = gemm_.bias ? bias_.get() : nullptr;
#if DNNL_VERSION_MAJOR >= 3
    if (l.matmul_primitive_desc_create(&desc_, l.engine, a_.get(), b_.get(), bias, d_.get(), attributes.get()) !=
        dnnl_success)
      return false;
#else
    dnnl_matmul_desc_t op;
    if (l.matmul_desc_init(&op, a_.get(), b_.get(), bias, d_.get()) != dnnl_success ||
        l.primitive_desc_create(&desc_, &op, attributes.get(), l.engine, nullptr) != dnnl_success)
      return false;
#endif
    return l.primitive_create(&primitive_, desc_) == dnnl_success;
  }

  size_t workspace_bytes() const override { return library().memory_desc_get_size(workspace_desc()); }

  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle) const override {
    library().use_our_threads();
    const auto element = [](void* first, DType t, int64_t offset) {
      return static_cast<void*>(static_cast<char*>(first) + offset * t.bytes());
    };
    for (const auto& [a, b, d] : gemm_.offsets) {
      Arguments arguments;
      arguments.add(DNNL_ARG_SRC, a_.get(), element(operands[0], gemm_.operands, a));
      arguments.add(DNNL_ARG_WEIGHTS, b_.get(), element(operands[1], gemm_.operands, b));
      if (gemm_.bias) arguments.add(DNNL_ARG_BIAS, bias_.get(), operands[2]);
      arguments.add(DNNL_ARG_DST, d_.get(), element(results[0], gemm_.result, d));
      arguments.add(DNNL_ARG_SCRATCHPAD, workspace_desc(), workspace);
      arguments.execute(primitive_);
    }
  }

 private:
  MemoryDesc workspace_desc() const { return library().primitive_desc_query_md(desc_, dnnl_query_scratchpad_md, 0); }

  Gemm gemm_;
  Shape a_, b_, bias_, d_;
  dnnl_primitive_desc_t desc_ = nullptr;
  dnnl_primitive_t primitive_ = nullptr;
};

}  // namespace

std::shared_ptr<const PreparedCall> make_product(const Gemm& gemm) {
  auto product = std::make_shared<Product>(gemm);
  if (!product->create()) return nullptr;
  return product;
}

}  // namespace sinter::exec::onednn
