// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cudnn_graph.h>

#include <string>
#include <vector>

namespace sinter::exec::cudnn {

/// The functions we use of libcudnn, after "cudnn".
#define SINTER_CUDNN(X)                                                                                      \
  X(Create, (cudnnHandle_t * handle))                                                                        \
  X(SetStream, (cudnnHandle_t handle, cudaStream_t stream))                                                  \
  X(BackendCreateDescriptor, (cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t * descriptor))     \
  X(BackendDestroyDescriptor, (cudnnBackendDescriptor_t descriptor))                                         \
  X(BackendFinalize, (cudnnBackendDescriptor_t descriptor))                                                  \
  X(BackendSetAttribute, (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,             \
                          cudnnBackendAttributeType_t type, int64_t count, const void* elements))            \
  X(BackendGetAttribute, (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,             \
                          cudnnBackendAttributeType_t type, int64_t wanted, int64_t* count, void* elements)) \
  X(BackendExecute,                                                                                          \
    (cudnnHandle_t handle, cudnnBackendDescriptor_t execution_plan, cudnnBackendDescriptor_t variant_pack))

/// The loaded library, or the words why there is none.
struct Library {
#define SINTER_MEMBER(name, parameters) cudnnStatus_t(*name) parameters = nullptr;
  SINTER_CUDNN(SINTER_MEMBER)
#undef SINTER_MEMBER
  const char* (*GetErrorString)(cudnnStatus_t status) = nullptr;
  void (*GetLastErrorString)(char* message, size_t size) = nullptr;
  bool found = false;
  std::string text;  ///< "cuDNN 9.14.0", or "cuDNN: tried libcudnn.so.9: not found"
};

/// The first of these files that can be opened, if it is a cuDNN 9.
Library load(const std::vector<std::string>& files);
/// Opened once a process: libcudnn.so.9 as the loader finds it, then where toolkits keep it.
const Library& library();

}  // namespace sinter::exec::cudnn
