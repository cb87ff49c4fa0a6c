// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace sinter::tensor {

/// Something that reads memory later than the program says, and has to do so before the memory may change.
class LateReader {
 public:
  virtual ~LateReader() = default;
  /// Reads now, on any thread. Failures are kept for whoever asks for the result.
  virtual void settle() noexcept = 0;
};

/// Memory shared by tensors: owned (from the device's allocator) or a user's.
struct Storage {
  void* data = nullptr;
  size_t bytes = 0;
  Device device;
  void* stream = nullptr;         ///< native stream the memory was allocated on
  Callback<void(void*)> deleter;  ///< user-owned memory
  bool owned = false;             ///< release to the device's allocator
  bool read_only = false;         ///< another library's, which forbids writing
  std::mutex mutex;               ///< of the lists below
  struct DeviceCopy {
    int64_t offset;  ///< of the view that was copied
    Dims strides;
    Tensor tensor;
  };
  std::vector<DeviceCopy> device_copies;  ///< of small constants that followed other operands to their devices
  std::vector<LateReader*> late_readers;  ///< never freed, so that settle() may come late
  std::atomic<int32_t> late_reader_count{0};
  std::atomic<bool> exposed{false};  ///< the host was given the address and may write at any time
  std::atomic<uint64_t> version{0};  ///< writes by in-place ops so far
  ~Storage();

  /// May the contents change without Sinter knowing?
  bool may_change() const { return !owned || exposed.load(std::memory_order_relaxed); }
  /// The host gets the address: late readers, and the region that this thread is recording, read first.
  void expose();
  /// An in-place op is about to write: late readers read first, copies on other devices are no longer the same.
  void before_write();
  /// It has written, or failed to: what was computed from the contents before is out of date.
  void after_write();
  /// False if the memory may change already; the reader is noted all the same, until remove_late_reader().
  bool add_late_reader(LateReader* reader);
  void remove_late_reader(LateReader* reader);

 private:
  void settle_late_readers();
};

struct TensorImpl;

/// Does this thread record a region that writes to memory? Then whoever reads memory asks it first.
extern constinit thread_local bool writes_are_pending;
/// Set once, while the library starts: the region that this thread records is computed if it writes to the memory.
extern void (*before_read)(const TensorImpl&);
/// Does this thread record a region? Set once, while the library starts.
extern bool (*is_recording)();
/// The last handle but one to a borrowed tensor is gone. If this thread's recorder has that one, the region reads the
/// memory now: the program may free it next.
extern void (*before_memory_goes)(const TensorImpl* t) noexcept;

/// What recording wants to know; set once, while the library starts. The contents of the storage may change from now
/// on: whatever this thread recorded and did not compute yet reads them first.
extern void (*before_exposure)(const Storage&);

/// Who will compute a pending tensor. Any thread may call these, also with an address that it read just before the
/// tensor was computed: owners are never freed, and answer or refuse such a call.
class PendingOwner {
 public:
  virtual ~PendingOwner() = default;
  /// May any thread compute the tensor, or only the one that records it?
  virtual bool on_any_thread() const noexcept { return false; }
  virtual DType dtype(const TensorImpl& t) = 0;
  virtual Dims shape(const TensorImpl& t) = 0;
  virtual Device device(const TensorImpl& t) = 0;
  virtual int rank(const TensorImpl& t) { return static_cast<int>(shape(t).size()); }
  virtual int64_t extent(const TensorImpl& t, size_t dim) { return shape(t)[dim]; }
  /// Of a pending tensor that is computed for it, unless the owner knows better.
  virtual Dims strides(TensorImpl& t);
  /// Throws if the tensor can be no operand of an op at `line`.
  virtual void check_operand(const TensorImpl& t, std::string_view op, SourceLine line) {
    (void)t;
    (void)op;
    (void)line;
  }
  /// Gives the tensor its data because `why` ("item", "data_ptr") needs it at `line`, or throws.
  virtual void compute(TensorImpl& t, const char* why, SourceLine line) = 0;
  /// The same for several of its tensors, which one run may compute together. Tensors that were this owner's a moment
  /// ago are passed over.
  virtual void compute_together(std::span<TensorImpl* const> tensors, const char* why, SourceLine line) = 0;
  /// The last handle to a pending tensor is gone. True: the caller recycles it; false: the owner will.
  virtual bool forget(TensorImpl& t) noexcept = 0;
};

struct TensorImpl {
  std::atomic<uint32_t> references{1};
  DType dtype;
  Device device;
  int32_t slot = -1;  ///< pending: number of the value in its region
  /// Null once computed: what the owner wrote below is seen by whoever reads the null with acquire.
  std::atomic<PendingOwner*> pending{nullptr};
  std::shared_ptr<Storage> storage;  ///< null while pending
  int64_t offset = 0;                ///< elements
  bool frozen = false;               ///< contents change by in-place ops alone (freeze)
  Dims shape;
  Dims strides;
  TensorImpl* next_free = nullptr;  ///< while recycled
  bool borrowed = false;            ///< wraps memory that may go with its last handle; see before_memory_goes

  void* data() const { return static_cast<char*>(storage->data) + offset * dtype.bytes(); }
};

inline Dims PendingOwner::strides(TensorImpl& t) {
  compute(t, "strides", {});
  return t.strides;
}

/// Recycled per thread: a pending handle costs a few nanoseconds.
TensorImpl* new_impl();
void recycle(TensorImpl* t) noexcept;
/// What `pending` holds once the last handle died on another thread than its owner's; the owner then recycles it.
PendingOwner* abandoned();
Tensor make_pending(PendingOwner* owner, int32_t slot);
Tensor make_tensor(std::shared_ptr<Storage> storage, DType dtype, const Dims& shape, const Dims& strides,
                   int64_t offset = 0);
/// Fresh row-major memory on the device's current stream.
Tensor empty(const Dims& shape, DType dtype, Device device);
/// A pending tensor is computed first.
TensorImpl& computed(const Tensor& t, const char* why, SourceLine line = {});
/// The same for whoever reads the elements: what was recorded and writes to them is computed as well.
TensorImpl& readable(const Tensor& t, const char* why, SourceLine line = {});
/// The bytes that a tensor's elements span, as addresses; [0, 0) if it has none.
std::pair<uintptr_t, uintptr_t> byte_range(const TensorImpl& t);
/// The tensor's offset in elements of another dtype; UserError where these do not begin at its first element.
int64_t offset_as(const TensorImpl& t, DType dtype);
bool overlap(const TensorImpl& a, const TensorImpl& b);

Dims contiguous_strides(const Dims& shape);
/// Row-major without gaps; strides of single elements do not count. Inline: guards ask for it on every call.
inline bool is_contiguous(const Dims& shape, const Dims& strides) {
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}
/// [N,C,S...] with two or three spatial dims, dense with the channel innermost; extents of 1 do not count. Row-major
/// memory may be both.
inline bool is_channels_last(const Dims& shape, const Dims& strides) {
  const size_t rank = shape.size();
  if (rank != 4 && rank != 5) return false;
  int64_t expected = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t d = i == 0 ? 1 : i + 1 == rank ? 0 : rank - i;
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}
std::string describe(const Tensor& t);  ///< "f32 [2,3]"

/// A dense row-major copy on the CPU, in the tensor's dtype; waits for the device.
void read_elements(const TensorImpl& t, void* out);
/// The reverse; waits for the device as well.
void write_elements(const TensorImpl& t, const void* in);
/// A small CPU tensor that follows other operands to their device: Sinter's own memory is copied once a device and
/// kept, memory that the host may write to is copied on every call.
Tensor follow_to_device(const Tensor& t, Device device);
/// The same elements with the same strides in memory of their own, on the current stream.
Tensor copy_of(const Tensor& t);
/// The same data on another device, row-major.
Tensor copy_to_device(const Tensor& t, Device device);

}  // namespace sinter::tensor
