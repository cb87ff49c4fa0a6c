// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/cuda/driver.h"

namespace sinter::device::cuda {

/// A CUDA driver of which every call is written down and whose answers a test chooses. Memory is host memory; work is
/// done at once, except that events stay unfinished while `busy` is set. One exists at a time; threads may share it.
struct FakeDriver {
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  Driver functions;
  int devices = 2;
  size_t memory_bytes = size_t{1} << 30, used_bytes = 0;
  bool busy = false;
  uint64_t capture_id = 0;                  ///< of every stream but the default one
  std::map<std::string, CUresult> results;  ///< what a call answers, by name ("MemAlloc"); success if absent
  std::map<std::string, int> calls;
  std::map<CUdeviceptr, size_t> blocks;
  std::set<void*> events;
  static thread_local CUcontext current;
  std::vector<CUstream> waited_for;  ///< by StreamSynchronize
  std::set<CUstream> streams;        ///< that EventRecord, LaunchKernel, StreamSynchronize or a copy to the host named

  struct Launch {
    unsigned grid, block, shared;
    CUstream stream;
    std::vector<uint64_t> slots;
    CUcontext context;
  };
  std::vector<Launch> launches;
  std::vector<std::pair<CUhostFn, void*>> user_objects;

  /// Counts the call; what it answers.
  CUresult answer(const char* name);
  /// Of everything above.
  std::recursive_mutex mutex;

 private:
  void describe_devices();
  void copy_memory();
  void load_and_launch();
  void order_streams();
};

}  // namespace sinter::device::cuda
