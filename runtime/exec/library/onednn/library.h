// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <string>

namespace sinter::exec::onednn {

// Version 3 made memory descriptors opaque and dropped operation descriptors; all else that we use is the same.
#if DNNL_VERSION_MAJOR >= 3
using MemoryDesc = const_dnnl_memory_desc_t;
#define SINTER_ONEDNN_VERSIONED(X)                                                                                   \
  X(memory_desc_create_with_strides,                                                                                 \
    (dnnl_memory_desc_t * desc, int rank, const dnnl_dims_t dims, dnnl_data_type_t type, const dnnl_dims_t strides)) \
  X(memory_desc_destroy, (dnnl_memory_desc_t desc))                                                                  \
  X(matmul_primitive_desc_create,                                                                                    \
    (dnnl_primitive_desc_t * desc, dnnl_engine_t engine, const_dnnl_memory_desc_t a, const_dnnl_memory_desc_t b,     \
     const_dnnl_memory_desc_t bias, const_dnnl_memory_desc_t d, const_dnnl_primitive_attr_t attributes))             \
  X(post_ops_append_eltwise, (dnnl_post_ops_t ops, dnnl_alg_kind_t kind, float alpha, float beta))
#else
using MemoryDesc = const dnnl_memory_desc_t*;
#define SINTER_ONEDNN_VERSIONED(X)                                                                                   \
  X(memory_desc_init_by_strides,                                                                                     \
    (dnnl_memory_desc_t * desc, int rank, const dnnl_dims_t dims, dnnl_data_type_t type, const dnnl_dims_t strides)) \
  X(matmul_desc_init, (dnnl_matmul_desc_t * desc, const dnnl_memory_desc_t* a, const dnnl_memory_desc_t* b,          \
                       const dnnl_memory_desc_t* bias, const dnnl_memory_desc_t* d))                                 \
  X(primitive_desc_create,                                                                                           \
    (dnnl_primitive_desc_t * desc, const_dnnl_op_desc_t op, const_dnnl_primitive_attr_t attributes,                  \
     dnnl_engine_t engine, const_dnnl_primitive_desc_t hint))                                                        \
  X(post_ops_append_eltwise, (dnnl_post_ops_t ops, float scale, dnnl_alg_kind_t kind, float alpha, float beta))
#endif

#define SINTER_ONEDNN(X)                                                                                   \
  X(engine_create, (dnnl_engine_t * engine, dnnl_engine_kind_t kind, size_t index))                        \
  X(stream_create, (dnnl_stream_t * stream, dnnl_engine_t engine, unsigned flags))                         \
  X(stream_wait, (dnnl_stream_t stream))                                                                   \
  X(primitive_create, (dnnl_primitive_t * primitive, const_dnnl_primitive_desc_t desc))                    \
  X(primitive_execute,                                                                                     \
    (const_dnnl_primitive_t primitive, dnnl_stream_t stream, int count, const dnnl_exec_arg_t* arguments)) \
  X(primitive_destroy, (dnnl_primitive_t primitive))                                                       \
  X(primitive_desc_destroy, (dnnl_primitive_desc_t desc))                                                  \
  X(primitive_attr_create, (dnnl_primitive_attr_t * attributes))                                           \
  X(primitive_attr_destroy, (dnnl_primitive_attr_t attributes))                                            \
  X(primitive_attr_set_scratchpad_mode, (dnnl_primitive_attr_t attributes, dnnl_scratchpad_mode_t mode))   \
  X(primitive_attr_set_post_ops, (dnnl_primitive_attr_t attributes, const_dnnl_post_ops_t ops))            \
  X(post_ops_create, (dnnl_post_ops_t * ops))                                                              \
  X(post_ops_destroy, (dnnl_post_ops_t ops))                                                               \
  X(memory_create, (dnnl_memory_t * memory, MemoryDesc desc, dnnl_engine_t engine, void* data))            \
  X(memory_destroy, (dnnl_memory_t memory))                                                                \
  SINTER_ONEDNN_VERSIONED(X)

struct Library {
#define SINTER_MEMBER(name, parameters) dnnl_status_t(*name) parameters = nullptr;
  SINTER_ONEDNN(SINTER_MEMBER)
#undef SINTER_MEMBER
  const dnnl_version_t* (*version)() = nullptr;
  MemoryDesc (*primitive_desc_query_md)(const_dnnl_primitive_desc_t desc, dnnl_query_t what, int index) = nullptr;
  size_t (*memory_desc_get_size)(MemoryDesc desc) = nullptr;
  void (*omp_set_num_threads)(int threads) = nullptr;  ///< of the OpenMP runtime it uses; nullptr with another one
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  bool found = false;
  std::string text;  ///< "2.6.3 (libdnnl.so.2)", or what was tried

  /// It uses as many threads as our own kernels do.
  void use_our_threads() const;
};

/// The process's oneDNN, opened on first use: of the major version that this was built with.
const Library& library();

/// Throws DeviceError if a call failed.
void check(dnnl_status_t status, const char* call);

}  // namespace sinter::exec::onednn
