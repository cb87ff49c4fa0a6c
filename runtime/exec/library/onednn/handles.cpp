// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/handles.h"

#include <algorithm>

#include "runtime/exec/library/onednn/convolution_functions.h"

namespace sinter::exec::onednn {
namespace {

struct RawDims {
  dnnl_dims_t values{};
  explicit RawDims(std::span<const int64_t> from) { std::ranges::copy(from, values); }
};

}  // namespace

OwnMemoryDesc::OwnMemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type, std::span<const int64_t> strides) {
  const RawDims d(dims), s(strides);
  const auto rank = static_cast<int>(dims.size());
#if DNNL_VERSION_MAJOR >= 3
  check(library().memory_desc_create_with_strides(&desc_, rank, d.values, type, s.values), "memory_desc_create");
#else
  check(library().memory_desc_init_by_strides(&desc_, rank, d.values, type, s.values), "memory_desc_init");
#endif
}

OwnMemoryDesc::OwnMemoryDesc(std::span<const int64_t> dims, dnnl_data_type_t type) {
  const RawDims d(dims);
  const auto rank = static_cast<int>(dims.size());
  const ConvolutionFunctions& f = convolution_functions();
#if DNNL_VERSION_MAJOR >= 3
  check(f.memory_desc_create_with_tag(&desc_, rank, d.values, type, dnnl_format_tag_any), "memory_desc_create");
#else
  check(f.memory_desc_init_by_tag(&desc_, rank, d.values, type, dnnl_format_tag_any), "memory_desc_init");
#endif
}

Memory memory(MemoryDesc desc, void* data) {
  dnnl_memory_t m = nullptr;
  check(library().memory_create(&m, desc, library().engine, data), "memory_create");
  return Memory(m);
}

Primitive primitive(const PrimitiveDesc& desc) {
  dnnl_primitive_t p = nullptr;
  check(library().primitive_create(&p, desc.get()), "primitive_create");
  return Primitive(p);
}

PrimitiveAttr attributes() {
  dnnl_primitive_attr_t a = nullptr;
  check(library().primitive_attr_create(&a), "primitive_attr_create");
  PrimitiveAttr owned(a);
  check(library().primitive_attr_set_scratchpad_mode(a, dnnl_scratchpad_mode_user), "set_scratchpad_mode");
  return owned;
}

PrimitiveDesc reorder(MemoryDesc from, MemoryDesc to) {
  dnnl_primitive_desc_t d = nullptr;
  const dnnl_engine_t engine = library().engine;
  check(convolution_functions().reorder_primitive_desc_create(&d, from, engine, to, engine, nullptr),
        "reorder_primitive_desc_create");
  return PrimitiveDesc(d);
}

}  // namespace sinter::exec::onednn
