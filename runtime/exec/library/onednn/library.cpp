// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/library.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include "runtime/device/cpu/thread_pool.h"
#include "runtime/exec/library/shared_object.h"

namespace sinter::exec::onednn {
namespace {

bool find_all(const SharedObject& object, Library& l) {
#define SINTER_FIND(name, parameters)                \
  if (!object.find("dnnl_" #name, l.name)) {         \
    l.text = object.file() + ": has no dnnl_" #name; \
    return false;                                    \
  }
  SINTER_ONEDNN(SINTER_FIND)
  SINTER_FIND(version, )
  SINTER_FIND(primitive_desc_query_md, )
  SINTER_FIND(memory_desc_get_size, )
#undef SINTER_FIND
  (void)object.find("omp_set_num_threads", l.omp_set_num_threads);
  return true;
}

Library load() {
  Library l;
  const SharedObject object({fmt::format("libdnnl.so.{}", DNNL_VERSION_MAJOR)});
  l.text = object.tried();
  if (!object.found() || !find_all(object, l)) return l;
  const dnnl_version_t* v = l.version();
  l.text = fmt::format("{}.{}.{} ({})", v->major, v->minor, v->patch, object.file());
  l.found = l.engine_create(&l.engine, dnnl_cpu, 0) == dnnl_success &&
            l.stream_create(&l.stream, l.engine, dnnl_stream_default_flags) == dnnl_success;
  if (!l.found) l.text += ": has no engine for the CPU";
  return l;
}

}  // namespace

void Library::use_our_threads() const {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(device::cpu::thread_count());
}

const Library& library() {
  static const Library l = load();
  return l;
}

void check(dnnl_status_t status, const char* call) {
  if (status != dnnl_success)
    throw DeviceError(fmt::format("oneDNN: {} failed with status {}", call, static_cast<int>(status)));
}

}  // namespace sinter::exec::onednn
