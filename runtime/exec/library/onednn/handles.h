// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

using Memory = Owned<dnnl_memory_t, &Library::memory_destroy>;
using PrimitiveAttr = Owned<dnnl_primitive_attr_t, &Library::primitive_attr_destroy>;
using PrimitiveDesc = Owned<dnnl_primitive_desc_t, &Library::primitive_desc_destroy>;
using Primitive = Owned<dnnl_primitive_t, &Library::primitive_destroy>;

/// A memory descriptor of our own; those that primitives have are MemoryDesc, a view.
class OwnMemoryDesc {
 public:
  /// Elements at these strides.
  OwnMemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type, std::span<const int64_t> strides);
  /// In whatever layout suits the primitive.
  OwnMemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type);
  OwnMemoryDesc(const OwnMemoryDesc&) = delete;
  OwnMemoryDesc& operator=(const OwnMemoryDesc&) = delete;

#if DNNL_VERSION_MAJOR >= 3
  ~OwnMemoryDesc() { library().memory_desc_destroy(desc_); }
  MemoryDesc get() const { return desc_; }
#else
  ~OwnMemoryDesc() = default;
  MemoryDesc get() const { return &desc_; }
#endif

 private:
  dnnl_memory_desc_t desc_{};
};

Memory memory(MemoryDesc desc, void* data);
Primitive primitive(const PrimitiveDesc& desc);
/// Scratch memory is the caller's.
PrimitiveAttr attributes();
PrimitiveDesc reorder(MemoryDesc from, MemoryDesc to);
inline size_t bytes(MemoryDesc desc) { return library().memory_desc_get_size(desc); }

}  // namespace sinter::exec::onednn
