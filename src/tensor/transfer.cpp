// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/hooks.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace tensor {
namespace {

/// Elements from the lowest to the highest address that the strides reach: [first, last] around the first element.
std::pair<int64_t, int64_t> reach(const TensorImpl& t) {
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < t.shape.size(); ++d) {
    const int64_t step = (t.shape[d] - 1) * t.strides[d];
    (step < 0 ? low : high) += step;
  }
  return {low, high};
}

void gather(char*& out, const char* from, const TensorImpl& t, size_t dim) {
  const auto bytes = static_cast<size_t>(t.dtype.bytes());
  if (dim == t.shape.size()) {
    std::memcpy(out, from, bytes);
    out += bytes;
    return;
  }
  const int64_t step = t.strides[dim] * static_cast<int64_t>(bytes);
  if (dim + 1 == t.shape.size() && t.strides[dim] == 1) {
    const size_t n = static_cast<size_t>(t.shape[dim]) * bytes;
    std::memcpy(out, from, n);
    out += n;
    return;
  }
  for (int64_t i = 0; i < t.shape[dim]; ++i) gather(out, from + i * step, t, dim + 1);
}

void scatter(const char*& in, char* to, const TensorImpl& t, size_t dim) {
  const auto bytes = static_cast<size_t>(t.dtype.bytes());
  if (dim == t.shape.size()) {
    std::memcpy(to, in, bytes);
    in += bytes;
    return;
  }
  const int64_t step = t.strides[dim] * static_cast<int64_t>(bytes);
  for (int64_t i = 0; i < t.shape[dim]; ++i) scatter(in, to + i * step, t, dim + 1);
}

}  // namespace

void read_elements(const TensorImpl& t, void* out) {
  if (t.shape.product() == 0) return;
  device::Backend& backend = device::backend(t.device);
  const device::StreamHandle stream = device::current_stream(t.device);
  if (backend.is_capturing(stream))
    throw UserError({.op = {},
                     .what = fmt::format("the host needs the values of {} {} {}, but the current stream is being "
                                         "captured: nothing runs before its graph is launched",
                                         t.dtype.name(), t.shape.text(), t.device.text()),
                     .line = {},
                     .context = {},
                     .fix = "read it after the capture, from a tensor that lives until then"});
  const auto wait = [&] {
    backend.synchronize(stream);
    if (auto* hook = device::hooks().after_synchronize) hook(t.device, stream);  // reports bad indices
  };
  const auto bytes = static_cast<int64_t>(t.dtype.bytes());
  if (is_contiguous(t.shape, t.strides)) {
    backend.copy_to_host(out, t.data(), static_cast<size_t>(t.shape.product() * bytes), stream);
    wait();
    return;
  }
  const auto [low, high] = reach(t);
  const char* first = static_cast<const char*>(t.data()) + low * bytes;
  const auto span = static_cast<size_t>((high - low + 1) * bytes);
  const auto staging = std::make_unique<char[]>(span);
  backend.copy_to_host(staging.get(), first, span, stream);
  wait();
  char* to = static_cast<char*>(out);
  gather(to, staging.get() - low * bytes, t, 0);
}

void write_elements(const TensorImpl& t, const void* in) {
  if (t.shape.product() == 0) return;
  const char* from = static_cast<const char*>(in);
  if (t.device.is_cpu()) return scatter(from, static_cast<char*>(t.data()), t, 0);
  device::Backend& backend = device::backend(t.device);
  const device::StreamHandle stream = device::current_stream(t.device);
  const auto bytes = static_cast<int64_t>(t.dtype.bytes());
  const auto [low, high] = reach(t);
  char* first = static_cast<char*>(t.data()) + low * bytes;
  const auto span = static_cast<size_t>((high - low + 1) * bytes);
  const auto staging = std::make_unique<char[]>(span);
  if (!is_contiguous(t.shape, t.strides)) {  // what lies between the elements stays
    backend.copy_to_host(staging.get(), first, span, stream);
    backend.synchronize(stream);
  }
  scatter(from, staging.get() - low * bytes, t, 0);
  backend.copy_from_host(first, staging.get(), span, stream);
  backend.synchronize(stream);
}

Tensor copy_to_device(const Tensor& source, Device device) {
  const TensorImpl& t = readable(source, "to");
  Tensor result = empty(t.shape, t.dtype, device);
  const auto bytes = static_cast<size_t>(t.shape.product() * t.dtype.bytes());
  if (bytes == 0) return result;
  const device::StreamHandle stream = device::current_stream(device);
  if (device.is_cpu()) {
    read_elements(t, result.impl()->data());
    return result;
  }
  device::Backend& backend = device::backend(device);
  if (backend.is_capturing(stream)) {  // each replay copies from the host what is there now
    const auto kept = std::make_shared<std::vector<char>>(bytes);
    read_elements(t, kept->data());
    backend.copy_from_host(result.impl()->data(), kept->data(), bytes, stream);
    backend.keep_for_graph(stream, kept);
    return result;
  }
  if (t.device.is_cpu() && is_contiguous(t.shape, t.strides)) {
    backend.copy_from_host(result.impl()->data(), t.data(), bytes, stream);
    return result;
  }
  const auto staging = std::make_unique<char[]>(bytes);
  read_elements(t, staging.get());
  backend.copy_from_host(result.impl()->data(), staging.get(), bytes, stream);
  backend.synchronize(stream);
  return result;
}

Tensor copy_of(const Tensor& source) {
  const TensorImpl& t = readable(source, "copy");
  if (t.shape.product() == 0) return empty(t.shape, t.dtype, t.device);
  const auto [low, high] = reach(t);
  const auto bytes = static_cast<int64_t>(t.dtype.bytes());
  const Tensor span = empty({high - low + 1}, t.dtype, t.device);
  const char* first = static_cast<const char*>(t.data()) + low * bytes;
  device::backend(t.device).copy(span.impl()->data(), first, static_cast<size_t>((high - low + 1) * bytes),
                                 device::current_stream(t.device));
  return make_tensor(span.impl()->storage, t.dtype, t.shape, t.strides, span.impl()->offset - low);
}

Tensor follow_to_device(const Tensor& source, Device device) {
  const TensorImpl& t = readable(source, "to");
  // What a graph copies is there only while it runs.
  device::Backend& backend = device::backend(device);
  const device::StreamHandle stream = device::current_stream(device);
  if (t.storage->may_change() || backend.is_capturing(stream)) return copy_to_device(source, device);
  std::scoped_lock lock(t.storage->mutex);
  for (const Storage::DeviceCopy& c : t.storage->device_copies) {
    const TensorImpl& to = *c.tensor.impl();
    if (to.device == device && to.shape == t.shape && to.dtype == t.dtype && c.offset == t.offset &&
        c.strides == t.strides) {
      if (stream != to.storage->stream) backend.record_use(to.storage->data, stream);
      return c.tensor;
    }
  }
  Tensor copy = copy_to_device(source, device);
  backend.synchronize(stream);  // any stream may read it from now on
  t.storage->device_copies.push_back({t.offset, t.strides, copy});
  return copy;
}

}  // namespace tensor

namespace {

/// A value as the host wants it; floating to integer saturates and NaN gives 0, as on the devices.
template <class T, class V>
T host_number(V v) {
  if constexpr (std::is_floating_point_v<V> && std::is_integral_v<T>) {
    constexpr V limit = static_cast<V>(uint64_t{1} << 63);
    if (!(v < limit)) return v >= limit ? std::numeric_limits<T>::max() : T{0};
    if (v < -limit) return std::numeric_limits<T>::min();
  }
  return static_cast<T>(v);
}

template <class T>
T read_number(const void* p, DType dtype) {
  const auto as = [p]<class V>(V) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return host_number<T>(v);
  };
  if (dtype == boolean) return as(uint8_t{}) != 0;
  if (dtype == u8) return as(uint8_t{});
  if (dtype == u16) return as(uint16_t{});
  if (dtype == u32) return as(uint32_t{});
  if (dtype == u64) return as(uint64_t{});
  if (dtype == i8) return as(int8_t{});
  if (dtype == i16) return as(int16_t{});
  if (dtype == i32) return as(int32_t{});
  if (dtype == i64) return as(int64_t{});
  if (dtype == f64) return as(double{});
  if (dtype == f32) return as(float{});
  uint16_t bits;
  std::memcpy(&bits, p, sizeof bits);
  return host_number<T>(dtype == f16 ? f16_bits_to_f32(bits) : bf16_bits_to_f32(bits));
}

template <class T>
T read_item(const Tensor& t, SourceLine line) {
  if (!t.defined()) throw UserError({"item", "the tensor is undefined", line, {}, {}});
  const Dims shape = t.shape();
  if (shape.product() != 1)
    throw UserError({"item",
                     fmt::format("reads one element, got {}", tensor::describe(t)),
                     line,
                     {},
                     "reduce it first (sum, amax, ...), or read all with to_vector"});
  const tensor::TensorImpl& impl = tensor::readable(t, "item", line);
  alignas(8) char element[8];
  tensor::read_elements(impl, element);
  return read_number<T>(element, impl.dtype);
}

}  // namespace

double item_as_double(const Tensor& t, SourceLine line) { return read_item<double>(t, line); }
int64_t item_as_int(const Tensor& t, SourceLine line) { return read_item<int64_t>(t, line); }

void copy_to_host(const Tensor& t, void* out, DType expected, SourceLine line) {
  if (t.dtype() != expected)
    throw UserError({"to_vector",
                     fmt::format("the tensor is {}, read as {}", tensor::describe(t), expected.name()),
                     line,
                     {},
                     fmt::format("convert first: to(t, {})", expected.name())});
  tensor::read_elements(tensor::readable(t, "to_vector", line), out);
}

}  // namespace sinter
