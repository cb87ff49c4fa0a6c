// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/convolution.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

namespace sinter::exec::onednn {
namespace {

constexpr size_t alignment = 256;

dnnl_data_type_t type_of(const ConvolutionCall& call) {
  return call.dtype == f16 ? dnnl_f16 : call.dtype == bf16 ? dnnl_bf16 : dnnl_f32;
}

/// Groups are a dim of their own: [M,C/G,K...] as [G,M/G,C/G,K...].
Dims grouped(const ConvolutionCall& call, const Dims& w) {
  if (call.groups == 1) return w;
  Dims d{call.groups, w[0] / call.groups};
  for (size_t i = 1; i < w.size(); ++i) d.push_back(w[i]);
  return d;
}
Dims grouped_strides(const ConvolutionCall& call) {
  const Dims s = call.strides(call.w);
  if (call.groups == 1) return s;
  Dims d{s[0] * (call.w[0] / call.groups)};
  for (int64_t v : s) d.push_back(v);
  return d;
}

Dims extra(const Dims& dilation) {
  Dims d;
  for (int64_t v : dilation) d.push_back(v - 1);
  return d;
}

PrimitiveDesc describe(const ConvolutionCall& call, const MemoryDesc& x, const MemoryDesc& w, const MemoryDesc* bias,
                       const MemoryDesc& y, const PrimitiveAttr& attr) {
  const auto raw = [](const Dims& d) { return d.begin(); };
  const Dims dilates = extra(call.dilation);
  const MemoryDescView b = bias == nullptr ? nullptr : bias->get();
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR < 3
  dnnl_convolution_desc_t desc;
  check(library().dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, dnnl_convolution_direct, x.get(),
                                                        w.get(), b, y.get(), raw(call.stride), raw(dilates),
                                                        raw(call.before), raw(call.after)),
        "dnnl_dilated_convolution_forward_desc_init");
  check(library().primitive_desc_create(&made, &desc, attr.get(), engine(), nullptr), "dnnl_primitive_desc_create");
#else
  check(library().convolution_forward_primitive_desc_create(
            &made, engine(), dnnl_forward_inference, dnnl_convolution_direct, x.get(), w.get(), b, y.get(),
            raw(call.stride), raw(dilates), raw(call.before), raw(call.after), attr.get()),
        "dnnl_convolution_forward_primitive_desc_create");
#endif
  return PrimitiveDesc(made);
}

}  // namespace

Convolution::Convolution(const ConvolutionCall& call)
    : x_(call.x.span(), type_of(call), call.strides(call.x).span()),
      w_(grouped(call, call.w).span(), type_of(call), grouped_strides(call).span()),
      bias_(Dims{call.w[0]}.span(), type_of(call), Dims{1}.span()),
      y_(call.y.span(), type_of(call), call.strides(call.y).span()),
      has_bias_(call.has_bias) {
  const PrimitiveAttr attr = attributes();
  const MemoryDesc any(grouped(call, call.w).span(), type_of(call));
  desc_ = describe(call, x_, any, has_bias_ ? &bias_ : nullptr, y_, attr);
  convolution_ = primitive(desc_);
  weights_ = library().primitive_desc_query_md(desc_.get(), dnnl_query_weights_md, 0);
  scratch_ = library().primitive_desc_query_md(desc_.get(), dnnl_query_scratchpad_md, 0);
  if (library().memory_desc_equal(weights_, w_.get()) != 0) return;
  reorder_ = primitive(reorder(w_.get(), weights_, {}));
  scratch_at_ = (bytes(weights_) + alignment - 1) / alignment * alignment;
}

void Convolution::run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
                      device::StreamHandle) const {
  try {
    const Stream order = stream();
    const Memory x = memory(x_.get(), operands[0]), w = memory(w_.get(), operands[1]), y = memory(y_.get(), results[0]);
    Memory packed, bias;
    if (reorder_) {
      packed = memory(weights_, workspace);
      const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, w.get()}, {DNNL_ARG_TO, packed.get()}};
      check(library().primitive_execute(reorder_.get(), order.get(), 2, arguments), "dnnl_primitive_execute");
    }
    const Memory scratch = memory(scratch_, static_cast<char*>(workspace) + scratch_at_);
    std::vector<dnnl_exec_arg_t> arguments{{DNNL_ARG_SRC, x.get()},
                                           {DNNL_ARG_WEIGHTS, reorder_ ? packed.get() : w.get()},
                                           {DNNL_ARG_DST, y.get()},
                                           {DNNL_ARG_SCRATCHPAD, scratch.get()}};
    if (has_bias_) {
      bias = memory(bias_.get(), operands[2]);
      arguments.push_back({DNNL_ARG_BIAS, bias.get()});
    }
    check(library().primitive_execute(convolution_.get(), order.get(), static_cast<int>(arguments.size()),
                                      arguments.data()),
          "dnnl_primitive_execute");
  } catch (const Refusal& e) {
    throw DeviceError(fmt::format("oneDNN: {}", e.what()));
  }
}

}  // namespace sinter::exec::onednn
