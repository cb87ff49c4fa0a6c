// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <string>

namespace sinter::exec::cublaslt {

/// The functions that we use; their signatures are the same from CUDA 12.4 to 13.
#define SINTER_CUBLASLT(X)                                                                                             \
  X(cublasStatus_t, Create, (cublasLtHandle_t * handle))                                                               \
  X(size_t, GetVersion, ())                                                                                            \
  X(const char*, GetStatusString, (cublasStatus_t status))                                                             \
  X(cublasStatus_t, MatmulDescCreate,                                                                                  \
    (cublasLtMatmulDesc_t * desc, cublasComputeType_t compute, cudaDataType_t scale))                                  \
  X(cublasStatus_t, MatmulDescDestroy, (cublasLtMatmulDesc_t desc))                                                    \
  X(cublasStatus_t, MatmulDescSetAttribute,                                                                            \
    (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void* value, size_t bytes))            \
  X(cublasStatus_t, MatrixLayoutCreate,                                                                                \
    (cublasLtMatrixLayout_t * layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t leading))            \
  X(cublasStatus_t, MatrixLayoutDestroy, (cublasLtMatrixLayout_t layout))                                              \
  X(cublasStatus_t, MatrixLayoutSetAttribute,                                                                          \
    (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* value, size_t bytes))       \
  X(cublasStatus_t, MatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference))                                 \
  X(cublasStatus_t, MatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference))                                  \
  X(cublasStatus_t, MatmulPreferenceSetAttribute,                                                                      \
    (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, const void* value,         \
     size_t bytes))                                                                                                    \
  X(cublasStatus_t, MatmulAlgoGetHeuristic,                                                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,           \
     cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int requested,         \
     cublasLtMatmulHeuristicResult_t results[], int* found))                                                           \
  X(cublasStatus_t, Matmul,                                                                                            \
    (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,                             \
     cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void* beta, const void* c, \
     cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo,      \
     void* workspace, size_t workspace_bytes, cudaStream_t stream))

struct Library {
#define SINTER_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  SINTER_CUBLASLT(SINTER_MEMBER)
#undef SINTER_MEMBER
  bool found = false;
  std::string text;  ///< "13.1.0 (libcublasLt.so.13)", or what was tried
};

/// The process's cuBLASLt, opened on first use: version 13 or 12, whichever the driver can run.
const Library& library();

}  // namespace sinter::exec::cublaslt
