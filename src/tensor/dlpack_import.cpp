// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/dlpack.h>

#include "src/tensor/dlpack_layout.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace {

using namespace tensor::dlpack;

[[noreturn]] void refuse_import(std::string what, SourceLine line, std::string fix = {}) {
  throw UserError({"from_dlpack", std::move(what), line, {}, std::move(fix)});
}

std::optional<DType> dtype_of_code(const DataType& t) {
  if (t.lanes != 1) return std::nullopt;
  for (const DType known : all_dtypes) {
    const bool bits = known.bytes() * 8 == t.bits;
    switch (t.code) {
      case signed_integer:
        if (bits && known.is_integer() && known.is_signed()) return known;
        break;
      case unsigned_integer:
        if (bits && known.is_integer() && !known.is_signed()) return known;
        break;
      case floating:
        if (bits && known.is_floating() && known != bf16) return known;
        break;
      case bfloat:
        if (bits && known == bf16) return known;
        break;
      case boolean_byte:
        if (bits && known.is_boolean()) return known;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

Device device_of(const DeviceRef& d, SourceLine line) {
  if (d.type == cpu || d.type == cuda_host) return Device::cpu();
  if (d.type == cuda || d.type == cuda_managed) return Device::cuda(d.id);
  refuse_import(fmt::format("device type {}", d.type), line, "CPU (1), CUDA (2) and CUDA host memory (3) are known");
}

/// The deleter runs with the storage, which from_blob() makes last: what is refused before stays the caller's.
template <class Managed>
Tensor import_tensor(Managed* managed, SourceLine line) {
  const Array& a = managed->array;
  const auto dtype = dtype_of_code(a.dtype);
  if (!dtype)
    refuse_import(fmt::format("type code {} of {} bits, {} lanes", a.dtype.code, a.dtype.bits, a.dtype.lanes), line,
                  "integers and booleans, f16, bf16, f32 and f64 of one lane are known; convert before");
  if (a.ndim < 0 || static_cast<size_t>(a.ndim) > Dims::max_size)
    refuse_import(fmt::format("{} dims; {} are the most", a.ndim, Dims::max_size), line);
  Dims shape, strides;
  for (int32_t d = 0; d < a.ndim; ++d) shape.push_back(a.shape[d]);
  for (int32_t d = 0; d < a.ndim && a.strides != nullptr; ++d) strides.push_back(a.strides[d]);
  const Device device = device_of(a.device, line);
  void* data = a.data == nullptr ? nullptr : static_cast<char*>(a.data) + a.byte_offset;
  try {
    return from_blob(
        data, shape, *dtype, device, strides,
        [managed](void*) {
          if (managed->deleter != nullptr) managed->deleter(managed);
        },
        line);
  } catch (const UserError& e) {
    ErrorParts parts = e.parts();
    parts.op = "from_dlpack";
    throw UserError(std::move(parts));
  }
}

}  // namespace

Tensor from_dlpack(DLManagedTensorVersioned* given, SourceLine line) {
  if (given == nullptr) refuse_import("a null pointer", line);
  auto* managed = reinterpret_cast<Versioned*>(given);
  if (managed->version.major != 1)
    refuse_import(fmt::format("version {}.{}; 1.x is known", managed->version.major, managed->version.minor), line);
  Tensor t = import_tensor(managed, line);
  t.impl()->storage->read_only = (managed->flags & read_only_flag) != 0;
  return t;
}

Tensor from_dlpack(DLManagedTensor* given, SourceLine line) {
  if (given == nullptr) refuse_import("a null pointer", line);
  return import_tensor(reinterpret_cast<Legacy*>(given), line);
}

}  // namespace sinter
