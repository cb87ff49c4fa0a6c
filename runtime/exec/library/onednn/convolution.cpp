// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/onednn/convolution.h"

#include <utility>
#include <vector>

#include "runtime/exec/library/onednn/convolution_functions.h"
#include "runtime/exec/library/onednn/handles.h"

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

/// Of the tensors of a call.
struct Descs {
  OwnMemoryDesc x, w, bias, y;
  explicit Descs(const ConvolutionCall& call)
      : x(call.x.span(), type_of(call), call.strides(call.x).span()),
        w(grouped(call, call.w).span(), type_of(call), grouped_strides(call).span()),
        bias(Dims{call.w[0]}.span(), type_of(call), Dims{1}.span()),
        y(call.y.span(), type_of(call), call.strides(call.y).span()) {}
};

/// Null if the library has no such primitive.
PrimitiveDesc describe(const ConvolutionCall& call, const Descs& of) {
  const PrimitiveAttr attr = attributes();
  const OwnMemoryDesc w(grouped(call, call.w).span(), type_of(call));
  const Dims dilates = extra(call.dilation);
  const MemoryDesc bias = call.has_bias ? of.bias.get() : nullptr;
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl_status_t status = convolution_functions().convolution_forward_primitive_desc_create(
      &made, library().engine, dnnl_forward_inference, dnnl_convolution_direct, of.x.get(), w.get(), bias, of.y.get(),
      call.stride.begin(), dilates.begin(), call.before.begin(), call.after.begin(), attr.get());
#else
  dnnl_convolution_desc_t desc;
  check(convolution_functions().dilated_convolution_forward_desc_init(
            &desc, dnnl_forward_inference, dnnl_convolution_direct, of.x.get(), w.get(), bias, of.y.get(),
            call.stride.begin(), dilates.begin(), call.before.begin(), call.after.begin()),
        "dilated_convolution_forward_desc_init");
  const dnnl_status_t status = library().primitive_desc_create(&made, &desc, attr.get(), library().engine, nullptr);
#endif
  if (status != dnnl_unimplemented) check(status, "convolution_primitive_desc_create");
  return PrimitiveDesc(made);
}

class Convolution final : public PreparedCall {
 public:
  Convolution(const ConvolutionCall& call, std::unique_ptr<const Descs> tensors, PrimitiveDesc desc)
      : has_bias_(call.has_bias), tensors_(std::move(tensors)), desc_(std::move(desc)), convolution_(primitive(desc_)) {
    weights_ = library().primitive_desc_query_md(desc_.get(), dnnl_query_weights_md, 0);
    scratch_ = library().primitive_desc_query_md(desc_.get(), dnnl_query_scratchpad_md, 0);
    if (convolution_functions().memory_desc_equal(weights_, tensors_->w.get()) != 0) return;
    reorder_ = primitive(reorder(tensors_->w.get(), weights_));
    scratch_at_ = (bytes(weights_) + alignment - 1) / alignment * alignment;
  }

  size_t workspace_bytes() const override { return scratch_at_ + bytes(scratch_); }

  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle) const override {
    library().use_our_threads();
    const Memory x = memory(tensors_->x.get(), operands[0]), w = memory(tensors_->w.get(), operands[1]);
    const Memory y = memory(tensors_->y.get(), results[0]);
    Memory packed, bias;
    if (reorder_) {
      packed = memory(weights_, workspace);
      execute(reorder_, {{DNNL_ARG_FROM, w.get()}, {DNNL_ARG_TO, packed.get()}});
    }
    const Memory scratch = memory(scratch_, static_cast<char*>(workspace) + scratch_at_);
    std::vector<dnnl_exec_arg_t> arguments{{DNNL_ARG_SRC, x.get()},
                                           {DNNL_ARG_WEIGHTS, reorder_ ? packed.get() : w.get()},
                                           {DNNL_ARG_DST, y.get()},
                                           {DNNL_ARG_SCRATCHPAD, scratch.get()}};
    if (has_bias_) {
      bias = memory(tensors_->bias.get(), operands[2]);
      arguments.push_back({DNNL_ARG_BIAS, bias.get()});
    }
    execute(convolution_, arguments);
    check(library().stream_wait(library().stream), "stream_wait");
  }

 private:
  static void execute(const Primitive& primitive, const std::vector<dnnl_exec_arg_t>& arguments) {
    check(library().primitive_execute(primitive.get(), library().stream, static_cast<int>(arguments.size()),
                                      arguments.data()),
          "primitive_execute");
  }

  const bool has_bias_;
  const std::unique_ptr<const Descs> tensors_;
  const PrimitiveDesc desc_;
  const Primitive convolution_;
  Primitive reorder_;                                 ///< none where the primitive takes weights as they are
  MemoryDesc weights_ = nullptr, scratch_ = nullptr;  ///< of desc_
  size_t scratch_at_ = 0;
};

}  // namespace

std::shared_ptr<const PreparedCall> make_convolution(const ConvolutionCall& call) {
  auto tensors = std::make_unique<const Descs>(call);
  PrimitiveDesc desc = describe(call, *tensors);
  if (!desc) return nullptr;
  return std::make_shared<const Convolution>(call, std::move(tensors), std::move(desc));
}

}  // namespace sinter::exec::onednn
