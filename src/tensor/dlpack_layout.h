// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The structs of DLPack 1.0, https://dmlc.github.io/dlpack/latest/c_api.html, by their layout: a public header that
// named them would clash with the user's.

namespace sinter::tensor::dlpack {

enum DeviceType : int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : uint8_t { signed_integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4, boolean_byte = 6 };

struct DeviceRef {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  DeviceRef device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  ///< null: row-major
  uint64_t byte_offset;
};

struct Version {
  uint32_t major, minor;
};

inline constexpr uint64_t read_only_flag = 1;

/// DLManagedTensor
struct Legacy {
  Array array;
  void* context;
  void (*deleter)(Legacy*);
};

/// DLManagedTensorVersioned
struct Versioned {
  Version version;
  void* context;
  void (*deleter)(Versioned*);
  uint64_t flags;
  Array array;
};

static_assert(sizeof(void*) == 8 && sizeof(Array) == 48 && offsetof(Array, dtype) == 20 &&
              offsetof(Array, shape) == 24);
static_assert(sizeof(Legacy) == 64 && offsetof(Legacy, deleter) == 56);
static_assert(sizeof(Versioned) == 80 && offsetof(Versioned, flags) == 24 && offsetof(Versioned, array) == 32);

}  // namespace sinter::tensor::dlpack
