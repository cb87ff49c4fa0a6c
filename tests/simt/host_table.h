// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::simt {

/// What kernel text compiled for the host calls back into. host_text.cpp declares the same struct to the text.
struct HostTable {
  unsigned thread, block, threads, blocks;
  void (*load)(void* to, const void* from, int bytes, int read_only);
  void (*store)(void* to, const void* from, int bytes);
  void (*shared_load)(void* to, const void* from, int bytes);
  void (*shared_store)(void* to, const void* from, int bytes);
  void (*block_barrier)(int line);
  int (*block_or)(int value, int line);
  void (*warp_barrier)(unsigned mask, int line);
  unsigned (*shuffle)(unsigned mask, unsigned value, int lane, int is_xor);
  unsigned long long (*compare_and_swap)(unsigned long long* at, unsigned long long expected, unsigned long long value);
  void (*fence)();
  unsigned (*add)(unsigned* at, unsigned value);
  unsigned (*increment)(unsigned* at, unsigned limit);
  void (*atomic)(const void* at, int bytes);
  void (*cluster_arrive)();
  void (*cluster_wait)();
  void (*cluster_load)(void* to, const void* from, int bytes, unsigned block);
  void (*expect)(void* word);
  void (*bulk_copy)(void* to, const void* from, int bytes, void* word);
  void (*await)(const void* word);
};

}  // namespace sinter::simt
