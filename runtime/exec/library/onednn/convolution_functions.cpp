// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/convolution_functions.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include "runtime/exec/library/shared_object.h"

namespace sinter::exec::onednn {
namespace {

ConvolutionFunctions load() {
  const SharedObject object({fmt::format("libdnnl.so.{}", DNNL_VERSION_MAJOR)});
  ConvolutionFunctions f;
#define SINTER_FIND(name) \
  if (!object.find("dnnl_" #name, f.name)) throw DeviceError(object.file() + ": has no dnnl_" #name);
  SINTER_ONEDNN_CONVOLUTION(SINTER_FIND)
#undef SINTER_FIND
  return f;
}

}  // namespace

const ConvolutionFunctions& convolution_functions() {
  static const ConvolutionFunctions f = load();
  return f;
}

}  // namespace sinter::exec::onednn
