// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "runtime/exec/library/onednn/library.h"

namespace sinter::exec::onednn {

/// A handle that is destroyed by one of the library's functions.
template <class T, auto destroy>
struct Destroy {
  void operator()(T handle) const { (library().*destroy)(handle); }
};
template <class T, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy<T, destroy>>;

using Stream = Owned<dnnl_stream_t, &Library::stream_destroy>;
using Memory = Owned<dnnl_memory_t, &Library::memory_destroy>;
using PrimitiveAttr = Owned<dnnl_primitive_attr_t, &Library::primitive_attr_destroy>;
using PrimitiveDesc = Owned<dnnl_primitive_desc_t, &Library::primitive_desc_destroy>;
using Primitive = Owned<dnnl_primitive_t, &Library::primitive_destroy>;

/// How the library's functions take a memory descriptor, which is a structure in version 2 and a handle in version 3.
#if DNNL_VERSION_MAJOR < 3
using MemoryDescView = const dnnl_memory_desc_t*;
#else
using MemoryDescView = const_dnnl_memory_desc_t;
#endif

class MemoryDesc {
 public:
  /// Elements at these strides.
  MemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type, std::span<const int64_t> strides);
  /// In whatever layout suits the primitive.
  MemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type);
  MemoryDesc(const MemoryDesc&) = delete;
  MemoryDesc& operator=(const MemoryDesc&) = delete;

#if DNNL_VERSION_MAJOR < 3
  MemoryDescView get() const { return &desc_; }

 private:
  dnnl_memory_desc_t desc_{};
#else
  ~MemoryDesc() { library().memory_desc_destroy(desc_); }
  MemoryDescView get() const { return desc_; }

 private:
  dnnl_memory_desc_t desc_ = nullptr;
#endif
};

Memory memory(MemoryDescView desc, void* data);
Primitive primitive(const PrimitiveDesc& desc);
Stream stream();
/// Scratch memory is the caller's.
PrimitiveAttr attributes();
PrimitiveDesc reorder(MemoryDescView from, MemoryDescView to, const PrimitiveAttr& attr);
inline size_t bytes(MemoryDescView desc) { return library().memory_desc_get_size(desc); }

}  // namespace sinter::exec::onednn
