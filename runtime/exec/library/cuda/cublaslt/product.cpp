// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/cuda/cublaslt/product.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/exec/library/cuda/cublaslt/library.h"

namespace sinter::exec::cublaslt {
namespace {

constexpr size_t most_workspace = size_t{32} << 20;  // what PyTorch gives on sm_90; split-K needs about a result in f32

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(fmt::format("cuBLASLt: {} failed: {}", call, library().GetStatusString(status)));
}

cudaDataType type_of(DType t) { return t == f32 ? CUDA_R_32F : t == f16 ? CUDA_R_16F : CUDA_R_16BF; }

cublasLtEpilogue_t epilogue_of(const Gemm& g) {
  switch (g.epilogue) {
    case GemmEpilogue::relu:
      return g.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case GemmEpilogue::gelu_tanh:
      return g.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case GemmEpilogue::none:
      break;
  }
  return g.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// A descriptor with its destructor.
template <class Handle, cublasStatus_t (*Library::*destroy)(Handle)>
struct Owned {
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle != nullptr) (library().*destroy)(handle);
  }
  Handle handle = nullptr;
};

using Desc = Owned<cublasLtMatmulDesc_t, &Library::MatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, &Library::MatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, &Library::MatmulPreferenceDestroy>;

/// The library is column-major, so it is asked for the transposed product: d^T [n,m] = b^T [n,k] @ a^T [k,m]. A
/// row-major b is a column-major b^T, which is taken as it is; a column-major one is transposed by the library.
class Product final : public PreparedCall {
 public:
  Product(const Gpu& gpu, const CallDescription& call) : gpu_(gpu), gemm_(gemm_of(call)) {
    const Library& l = library();
    check(l.MatmulDescCreate(&desc_.handle, CUBLAS_COMPUTE_32F, CUDA_R_32F), "MatmulDescCreate");
    const cublasOperation_t left = gemm_.b.row_major ? CUBLAS_OP_N : CUBLAS_OP_T,
                            right = gemm_.a.row_major ? CUBLAS_OP_N : CUBLAS_OP_T;
    set(CUBLASLT_MATMUL_DESC_TRANSA, left);
    set(CUBLASLT_MATMUL_DESC_TRANSB, right);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(gemm_));
    if (gemm_.bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, some_address);  // the heuristic wants one
    make_layout(left_, gemm_.operands, gemm_.b, gemm_.k, gemm_.n);
    make_layout(right_, gemm_.operands, gemm_.a, gemm_.m, gemm_.k);
    make_layout(result_, gemm_.result, gemm_.d, gemm_.m, gemm_.n);
    // The library reads a bias by vectors without asking where it begins.
    copies_bias_ = gemm_.bias && call.operands[2].alignment < vector_bytes;
    choose_algorithm(call);
  }

  size_t workspace_bytes() const override { return bias_bytes() + algorithm_.workspaceSize; }

  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle stream) const override {
    const Library& l = library();
    const device::cuda::Context::Guard guard(gpu_.context);
    const std::lock_guard lock(mutex_);  // the descriptor holds the address of the bias
    if (gemm_.bias) set_bias(operands[2], workspace, stream);
    constexpr float alpha = 1, beta = 0;
    for (const auto& [a, b, d] : gemm_.offsets) {
      void* to = element(results[0], gemm_.result, d);
      check(l.Matmul(static_cast<cublasLtHandle_t>(gpu_.handle), desc_.handle, &alpha,
                     element(operands[1], gemm_.operands, b), left_.handle, element(operands[0], gemm_.operands, a),
                     right_.handle, &beta, to, result_.handle, to, result_.handle, &algorithm_.algo,
                     static_cast<char*>(workspace) + bias_bytes(), algorithm_.workspaceSize,
                     static_cast<cudaStream_t>(stream)),
            "Matmul");
    }
  }

 private:
  static constexpr int vector_bytes = 16;
  static constexpr size_t workspace_alignment = 256;
  static constexpr uintptr_t some_address = workspace_alignment;

  static void* element(void* first, DType t, int64_t offset) { return static_cast<char*>(first) + offset * t.bytes(); }

  size_t bias_bytes() const {
    if (!copies_bias_) return 0;
    const auto bytes = static_cast<size_t>(gemm_.n * gemm_.operands.bytes());
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  }

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    check(library().MatmulDescSetAttribute(desc_.handle, attribute, &value, sizeof value), "MatmulDescSetAttribute");
  }

  void set_bias(void* bias, void* workspace, device::StreamHandle stream) const {
    if (copies_bias_) {
      const auto address = [](void* p) { return reinterpret_cast<CUdeviceptr>(p); };
      const auto bytes = static_cast<size_t>(gemm_.n * gemm_.operands.bytes());
      const device::cuda::Context& context = gpu_.context;
      context.check(
          context.driver().MemcpyAsync(address(workspace), address(bias), bytes, static_cast<CUstream>(stream)),
          "cuMemcpyAsync");
      bias = workspace;
    }
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<uintptr_t>(bias));
  }

  /// A row-major matrix is its transpose in the library's order.
  void make_layout(Layout& layout, DType t, const GemmMatrix& m, int64_t rows, int64_t columns) const {
    const Library& l = library();
    if (m.row_major) std::swap(rows, columns);
    check(l.MatrixLayoutCreate(&layout.handle, type_of(t), static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                               m.leading),
          "MatrixLayoutCreate");
    const auto put = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
      check(l.MatrixLayoutSetAttribute(layout.handle, attribute, &value, sizeof value), "MatrixLayoutSetAttribute");
    };
    put(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(gemm_.batches));
    put(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, m.batch_stride);
  }

  /// What every matrix of the batch, and of each launch, begins at a multiple of.
  uint32_t alignment(const CallTensor& t, size_t which, const GemmMatrix& m) const {
    uint64_t bits = static_cast<uint64_t>(t.alignment) | static_cast<uint64_t>(m.batch_stride * t.dtype.bytes());
    for (const auto& offset : gemm_.offsets) bits |= static_cast<uint64_t>(offset[which] * t.dtype.bytes());
    return static_cast<uint32_t>(uint64_t{1} << std::countr_zero(bits));
  }

  void choose_algorithm(const CallDescription& call) {
    const Library& l = library();
    Preference preference;
    check(l.MatmulPreferenceCreate(&preference.handle), "MatmulPreferenceCreate");
    const auto put = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
      check(l.MatmulPreferenceSetAttribute(preference.handle, attribute, &value, sizeof value),
            "MatmulPreferenceSetAttribute");
    };
    put(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
    // Partial sums stay in f32.
    put(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    const uint32_t of_d = alignment(call.results[0], 2, gemm_.d);
    put(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(call.operands[1], 1, gemm_.b));
    put(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(call.operands[0], 0, gemm_.a));
    put(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, of_d);
    put(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, of_d);
    int found = 0;
    check(
        l.MatmulAlgoGetHeuristic(static_cast<cublasLtHandle_t>(gpu_.handle), desc_.handle, left_.handle, right_.handle,
                                 result_.handle, result_.handle, preference.handle, 1, &algorithm_, &found),
        "MatmulAlgoGetHeuristic");
    if (found == 0)
      throw DeviceError(fmt::format("cuBLASLt: no algorithm for {} [{},{}] @ [{},{}]", gemm_.operands.name(), gemm_.m,
                                    gemm_.k, gemm_.k, gemm_.n));
  }

  const Gpu& gpu_;
  Gemm gemm_;
  Desc desc_;
  Layout left_, right_, result_;
  cublasLtMatmulHeuristicResult_t algorithm_{};
  bool copies_bias_ = false;
  mutable std::mutex mutex_;
};

}  // namespace

Gpu::Gpu(int index) : context(*device::cuda::driver().driver, index) {
  const device::cuda::Context::Guard guard(context);
  const device::cuda::OutsideCapture outside(context.driver());
  cublasLtHandle_t made = nullptr;
  check(library().Create(&made), "Create");
  handle = made;
}

std::shared_ptr<const PreparedCall> prepare_product(const Gpu& gpu, const CallDescription& call) {
  const device::cuda::Context::Guard guard(gpu.context);
  const device::cuda::OutsideCapture outside(gpu.context.driver());
  return std::make_shared<Product>(gpu, call);
}

}  // namespace sinter::exec::cublaslt
