// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <stdexcept>
#include <string>

namespace sinter::exec::onednn {

/// The functions we use of libdnnl that versions 2 and 3 have alike, after "dnnl_".
#define SINTER_ONEDNN(X)                \
  X(engine_create)                      \
  X(stream_create)                      \
  X(stream_destroy)                     \
  X(memory_create)                      \
  X(memory_destroy)                     \
  X(memory_desc_equal)                  \
  X(memory_desc_get_size)               \
  X(primitive_attr_create)              \
  X(primitive_attr_destroy)             \
  X(primitive_attr_set_scratchpad_mode) \
  X(primitive_desc_destroy)             \
  X(primitive_desc_query_md)            \
  X(primitive_create)                   \
  X(primitive_destroy)                  \
  X(primitive_execute)                  \
  X(reorder_primitive_desc_create)

/// Those that differ.
#if DNNL_VERSION_MAJOR < 3
#define SINTER_ONEDNN_OF_VERSION(X)        \
  X(memory_desc_init_by_strides)           \
  X(memory_desc_init_by_tag)               \
  X(dilated_convolution_forward_desc_init) \
  X(primitive_desc_create)
#else
#define SINTER_ONEDNN_OF_VERSION(X)  \
  X(memory_desc_create_with_strides) \
  X(memory_desc_create_with_tag)     \
  X(memory_desc_destroy)             \
  X(convolution_forward_primitive_desc_create)
#endif

/// The loaded library, or the words why there is none. The headers that we were built with say which major version.
struct Library {
#define SINTER_MEMBER(name) decltype(&::dnnl_##name) name = nullptr;
  SINTER_ONEDNN(SINTER_MEMBER)
  SINTER_ONEDNN_OF_VERSION(SINTER_MEMBER)
#undef SINTER_MEMBER
  bool found = false;
  std::string text;  ///< "oneDNN 2.6.3", or "oneDNN: tried libdnnl.so.2: not found"
};

Library load(const std::string& file);
/// Opened once a process: libdnnl.so.<major version of the headers>.
const Library& library();

/// oneDNN said no.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Refusal unless the call succeeded.
void check(dnnl_status_t status, const char* call);

/// The CPU engine of the process.
dnnl_engine_t engine();

}  // namespace sinter::exec::onednn
