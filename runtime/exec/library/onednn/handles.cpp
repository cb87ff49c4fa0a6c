// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/handles.h"

#include <algorithm>

namespace sinter::exec::onednn {
namespace {

struct RawDims {
  dnnl_dims_t values{};
  explicit RawDims(std::span<const int64_t> from) { std::ranges::copy(from, values); }
};

}  // namespace

MemoryDesc::MemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type, std::span<const int64_t> strides) {
  const RawDims d(dims), s(strides);
  const auto rank = static_cast<int>(dims.size());
#if DNNL_VERSION_MAJOR < 3
  check(library().memory_desc_init_by_strides(&desc_, rank, d.values, type, s.values),
        "dnnl_memory_desc_init_by_strides");
#else
  check(library().memory_desc_create_with_strides(&desc_, rank, d.values, type, s.values),
        "dnnl_memory_desc_create_with_strides");
#endif
}

MemoryDesc::MemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type) {
  const RawDims d(dims);
  const auto rank = static_cast<int>(dims.size());
#if DNNL_VERSION_MAJOR < 3
  check(library().memory_desc_init_by_tag(&desc_, rank, d.values, type, dnnl_format_tag_any),
        "dnnl_memory_desc_init_by_tag");
#else
  check(library().memory_desc_create_with_tag(&desc_, rank, d.values, type, dnnl_format_tag_any),
        "dnnl_memory_desc_create_with_tag");
#endif
}

Memory memory(MemoryDescView desc, void* data) {
  dnnl_memory_t m = nullptr;
  check(library().memory_create(&m, desc, engine(), data), "dnnl_memory_create");
  return Memory(m);
}

Primitive primitive(const PrimitiveDesc& desc) {
  dnnl_primitive_t p = nullptr;
  check(library().primitive_create(&p, desc.get()), "dnnl_primitive_create");
  return Primitive(p);
}

Stream stream() {
  dnnl_stream_t s = nullptr;
  check(library().stream_create(&s, engine(), dnnl_stream_default_flags), "dnnl_stream_create");
  return Stream(s);
}

PrimitiveAttr attributes() {
  dnnl_primitive_attr_t a = nullptr;
  check(library().primitive_attr_create(&a), "dnnl_primitive_attr_create");
  PrimitiveAttr owned(a);
  check(library().primitive_attr_set_scratchpad_mode(a, dnnl_scratchpad_mode_user),
        "dnnl_primitive_attr_set_scratchpad_mode");
  return owned;
}

PrimitiveDesc reorder(MemoryDescView from, MemoryDescView to, const PrimitiveAttr& attr) {
  dnnl_primitive_desc_t d = nullptr;
  check(library().reorder_primitive_desc_create(&d, from, engine(), to, engine(), attr.get()),
        "dnnl_reorder_primitive_desc_create");
  return PrimitiveDesc(d);
}

}  // namespace sinter::exec::onednn
