// SPDX-License-Identifier: Apache-2.0
// Ordered sums on the CPU: rows are handed to threads.
#include <algorithm>

#include "runtime/device/cpu/thread_pool.h"
#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/fold/row_fold.h"

namespace sinter::exec {
namespace {

template <class T>
struct Rows {
  const RowFold& fold;
  const T *rows, *source;
  const int64_t *order, *sorted, *starts;
  T* to;

  void run(int64_t begin, int64_t end) const {
    for (int64_t row = begin; row < end; ++row) {
      T* const out = to + row * fold.width;
      std::copy_n(rows + row * fold.width, fold.width, out);
      for (int64_t k = starts[row]; k >= 0 && k < fold.count && sorted[k] == row; ++k) {
        const T* const added = source + order[k] * fold.width;
        for (int64_t i = 0; i < fold.width; ++i) out[i] += added[i];
      }
    }
  }
};

template <class T>
void fold_rows(const RowFold& fold, std::span<void* const> operands, void* result) {
  Rows<T> rows{fold,
               static_cast<const T*>(operands[0]),
               static_cast<const T*>(operands[1]),
               static_cast<const int64_t*>(operands[2]),
               static_cast<const int64_t*>(operands[3]),
               static_cast<const int64_t*>(operands[4]),
               static_cast<T*>(result)};
  device::cpu::parallel_for(
      fold.rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, fold.width)),
      [](void* context, int64_t begin, int64_t end) { static_cast<Rows<T>*>(context)->run(begin, end); }, &rows);
}

class HostFold final : public PreparedCall {
 public:
  explicit HostFold(const RowFold& fold) : fold_(fold) {}
  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle) const override {
    fold_.dtype == f64 ? fold_rows<double>(fold_, operands, results[0]) : fold_rows<float>(fold_, operands, results[0]);
  }

 private:
  RowFold fold_;
};

class HostFolder final : public Provider {
 public:
  std::string_view name() const override { return "fold"; }
  bool serves(std::string_view op, Device device) const override { return op == "fold_rows" && device.is_cpu(); }
  std::string identity(Device) const override { return "1"; }
  std::string why_not(const CallDescription&, Device) const override { return {}; }
  std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device) const override {
    return std::make_shared<HostFold>(row_fold_of(call));
  }
};

}  // namespace

std::unique_ptr<Provider> make_host_fold_provider() { return std::make_unique<HostFolder>(); }

}  // namespace sinter::exec
