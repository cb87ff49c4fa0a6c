// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/dlpack.h>

#include <memory>

#include "runtime/device/backend.h"
#include "src/tensor/dlpack_layout.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace {

using namespace tensor::dlpack;

[[noreturn]] void refuse_export(std::string what, SourceLine line, std::string fix = {}) {
  throw UserError({"to_dlpack", std::move(what), line, {}, std::move(fix)});
}

DataType data_type(DType t) {
  const TypeCode code = t.is_boolean()    ? boolean_byte
                        : t == bf16       ? bfloat
                        : t.is_floating() ? floating
                        : t.is_signed()   ? signed_integer
                                          : unsigned_integer;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * t.bytes()), 1};
}

/// What the consumer holds: the struct, its arrays, and the tensor.
template <class Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Dims shape, strides;
};

/// The consumer's stream waits for the current one, and the memory is kept from reuse until that stream is done.
void make_ready(const tensor::TensorImpl& t, std::optional<int64_t> stream, SourceLine line) {
  if (stream == -1) return;
  if (t.device.is_cpu()) {
    if (stream) refuse_export(fmt::format("stream {} for a tensor on the CPU", *stream), line, "give no stream");
    return;
  }
  if (stream && (*stream == 0 || *stream < -1))
    refuse_export(fmt::format("stream {}", *stream), line, "1 is the legacy default stream, 2 the per-thread one");
  const int64_t number = stream.value_or(1);
  const device::StreamHandle consumer = number == 1 ? nullptr : reinterpret_cast<device::StreamHandle>(number);
  device::Backend& backend = device::backend(t.device);
  const device::StreamHandle current = device::current_stream(t.device);
  if (t.storage->owned && t.storage->stream != consumer) backend.record_use(t.storage->data, consumer);
  if (consumer == current) return;
  const device::EventHandle event = backend.create_event();
  backend.record(event, current);
  backend.wait(consumer, event);
  backend.destroy_event(event);
}

template <class Managed>
Managed* export_tensor(const Tensor& tensor, const DlpackExport& options, SourceLine line) {
  if (!tensor.defined()) refuse_export("the tensor is undefined", line);
  tensor::TensorImpl& t = tensor::readable(tensor, "to_dlpack", line);
  make_ready(t, options.stream, line);
  t.storage->expose();
  auto exported = std::make_unique<Exported<Managed>>();
  exported->tensor = tensor;
  exported->shape = t.shape;
  exported->strides = t.strides;
  Managed& m = exported->managed;
  m.array = {t.data(),
             {t.device.is_cpu() ? cpu : cuda, t.device.is_cpu() ? 0 : t.device.index},
             static_cast<int32_t>(t.shape.size()),
             data_type(t.dtype),
             exported->shape.begin(),
             exported->strides.begin(),
             0};
  m.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->context); };
  m.context = exported.get();
  return &exported.release()->managed;
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(const Tensor& t, DlpackExport options, SourceLine line) {
  auto* managed = export_tensor<Versioned>(t, options, line);
  managed->version = {1, 0};
  managed->flags = t.impl()->storage->read_only ? read_only_flag : 0;
  return reinterpret_cast<DLManagedTensorVersioned*>(managed);
}

DLManagedTensor* to_dlpack_legacy(const Tensor& t, DlpackExport options, SourceLine line) {
  if (t.defined() && tensor::computed(t, "to_dlpack", line).storage->read_only)
    refuse_export("the memory is read-only, which this form cannot say", line, "to_dlpack(t), or clone(t)");
  return reinterpret_cast<DLManagedTensor*>(export_tensor<Legacy>(t, options, line));
}

}  // namespace sinter
