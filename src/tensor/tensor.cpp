// SPDX-License-Identifier: Apache-2.0
#include <sinter/tensor.h>

#include <fmt/format.h>

#include "src/tensor/impl.h"

namespace sinter {
namespace {

tensor::TensorImpl& checked(const Tensor& t) {
  if (!t.defined()) throw UserError("the tensor is undefined");
  return *t.impl();
}

}  // namespace

DType Tensor::dtype() const {
  tensor::TensorImpl& t = checked(*this);
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->dtype(t) : t.dtype;
}

Device Tensor::device() const {
  tensor::TensorImpl& t = checked(*this);
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->device(t) : t.device;
}

Dims Tensor::shape() const {
  tensor::TensorImpl& t = checked(*this);
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->shape(t) : t.shape;
}

int Tensor::rank() const {
  tensor::TensorImpl& t = checked(*this);
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->rank(t) : static_cast<int>(t.shape.size());
}

int64_t Tensor::size(int dim) const {
  const int n = rank();
  if (dim < -n || dim >= n)
    throw UserError({"size",
                     fmt::format("dim {} of a tensor of rank {}", dim, n),
                     {},
                     {},
                     fmt::format("give a dim in [{}, {})", -n, n)});
  const auto d = static_cast<size_t>(dim < 0 ? dim + n : dim);
  tensor::TensorImpl& t = *impl_;
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->extent(t, d) : t.shape[d];
}

int64_t Tensor::numel() const { return shape().product(); }

Dims Tensor::strides() const {
  tensor::TensorImpl& t = checked(*this);
  tensor::PendingOwner* owner = t.pending.load(std::memory_order_acquire);
  return owner ? owner->strides(t) : tensor::computed(*this, "strides").strides;
}

bool Tensor::is_contiguous() const {
  const Dims s = strides();
  return tensor::is_contiguous(shape(), s);
}

void* Tensor::data_ptr() const {
  const tensor::TensorImpl& t = tensor::computed(*this, "data_ptr");
  t.storage->expose();
  return t.data();
}

std::string Tensor::text() const {
  if (!defined()) return "undefined";
  return fmt::format("{} {} {}", dtype().name(), shape().text(), device().text());
}

}  // namespace sinter
