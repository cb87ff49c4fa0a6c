// SPDX-License-Identifier: Apache-2.0
// Users' ops on a real GPU: CUDA text, functions that queue work, tile programs; captures; text that does not compile;
// a kernel that faults.
#include <gtest/gtest.h>
#include <sinter/benchmark.h>
#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/device/backend.h"

namespace sinter {
namespace {

constexpr const char* blur_text = R"(
extern "C" __global__ void blur(const float* x, float* y, long long rows, long long columns, double weight) {
  extern __shared__ float row[];
  long long r = blockIdx.y, c = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (c < columns) row[threadIdx.x] = x[r * columns + c];
  __syncthreads();
  if (c >= columns) return;
  float left = c == 0 ? 0.0f : threadIdx.x > 0 ? row[threadIdx.x - 1] : x[r * columns + c - 1];
  y[r * columns + c] = row[threadIdx.x] + (float)weight * left;
}
)";

void blur_reference(const CustomCall& call) {
  const Dims& shape = call.result.shape;
  const auto weight = static_cast<float>(call.number("weight"));
  const float* x = call.operands[0].as<float>();
  for (int64_t i = 0; i < shape.product(); ++i)
    call.result.as<float>()[i] = x[i] + weight * (i % shape[1] == 0 ? 0.0f : x[i - 1]);
}

OpDefinition blur_definition(const std::string& name) {
  OpDefinition d;
  d.name = name;
  d.attributes = {{"weight", AttributeKind::number, 0.5}};
  d.type = same_as_operand();
  d.reference = blur_reference;
  d.cuda = CudaKernel{blur_text, "blur", [](const CustomCall& call) {
                        const Dims& shape = call.result.shape;
                        CudaLaunch l;
                        l.grid = {(shape[1] + 127) / 128, shape[0], 1};
                        l.block = {128, 1, 1};
                        l.shared_bytes = 128 * sizeof(float);
                        l.arguments = {shape[0], shape[1], call.number("weight")};
                        return l;
                      }};
  return d;
}

Tensor counting(const Dims& shape) {
  return to(reshape(arange(shape.product(), {.dtype = f32}), shape), Device::cuda(0));
}

TEST(GpuCustomOps, CudaTextRunsBetweenFusedNeighbours) {
  const CustomOp blur = register_op(blur_definition("blur"));
  const auto body = [&](const Tensor& x) { return relu(blur({x * 0.25f}, {{"weight", 0.25}}) - 3) + 1; };
  auto f = compile(body), reference = compile(body, {.backend = "reference"});
  for (const Dims& shape : {Dims{3, 300}, Dims{1, 1}, Dims{70, 128}, Dims{0, 5}}) {
    const Tensor x = counting(shape);
    EXPECT_EQ(to_vector<float>(f(x)), to_vector<float>(reference(x))) << shape.text();
    EXPECT_EQ(to_vector<float>(body(x)), to_vector<float>(reference(x))) << shape.text();
  }
  const Explanation e = f.explain(counting({3, 300}));
  EXPECT_EQ(e.kernels().size(), 2u) << e.text();
  EXPECT_EQ(e.library_calls().size(), 1u) << e.text();
}

TEST(GpuCustomOps, RunUnderACaptureAndWithNewNumbers) {
  const CustomOp blur = register_op(blur_definition("captured_blur"));
  double weight = 0.5;
  auto f = compile([&](const Tensor& x) { return blur({x + 1}, {{"weight", weight}}); });
  const Tensor x = counting({4, 64});
  for (double w : {0.5, 1.5, 2.5}) {
    weight = w;
    const std::vector<float> y = to_vector<float>(f(x));
    EXPECT_FLOAT_EQ(y[65], 66 + static_cast<float>(w) * 65);
  }
  EXPECT_LE(f.stats().compilations, 2);
  device::Backend& gpu = device::backend(Device::cuda(0));
  const Stream stream = Stream::create(Device::cuda(0));
  const StreamGuard guard(stream);
  (void)f(x);
  gpu.begin_capture(stream.native());
  const Tensor y = f(x);
  EXPECT_EQ(gpu.captured_kernels(stream.native()), 2);
  device::GraphHandle graph = gpu.end_capture(stream.native());
  gpu.launch_graph(graph, stream.native());
  const std::vector<float> v = to_vector<float>(y);
  EXPECT_FLOAT_EQ(v[65], 66 + 2.5f * 65);
  gpu.destroy_graph(graph);
}

TEST(GpuCustomOps, AFunctionQueuesItsWorkOnTheStream) {
  OpDefinition d;
  d.name = "copied";
  d.type = same_as_operand();
  d.reference = [](const CustomCall& call) {
    for (int64_t i = 0; i < call.result.shape.product(); ++i)
      call.result.as<float>()[i] = call.operands[0].as<float>()[i];
  };
  d.launch_cuda = [](const CustomCall& call) {
    device::backend(call.device)
        .copy(call.result.data, call.operands[0].data, static_cast<size_t>(call.result.shape.product()) * sizeof(float),
              call.stream);
  };
  const CustomOp copied = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return copied({x * 2}) + 1; });
  const Tensor x = counting({1000});
  EXPECT_EQ(to_vector<float>(f(x)), to_vector<float>(x * 2 + 1));
  EXPECT_EQ(to_vector<float>(copied({x})), to_vector<float>(x));
}

TEST(GpuCustomOps, ATileProgramRuns) {
  std::ifstream file(SINTER_SOURCE_DIR "/tests/tile/transpose.tile");
  OpDefinition d;
  d.name = "turned_on_gpu";
  d.type = [](TypeContext& c) { return TensorType{f32, {c.operands()[0].shape[1], c.operands()[0].shape[0]}}; };
  d.reference = [](const CustomCall&) {};
  d.tile = TileKernel{{std::istreambuf_iterator<char>(file), {}}, [](const CustomCall& call) {
                        const Dims& in = call.operands[0].shape;
                        return TileLaunch{(in[0] + 15) / 16 * ((in[1] + 15) / 16), {in[0], in[1]}};
                      }};
  const CustomOp turned = register_op(std::move(d));
  const Tensor x = counting({37, 90});
  EXPECT_EQ(to_vector<float>(turned({x})), to_vector<float>(transpose(x, 0, 1)));
}

TEST(GpuCustomOps, TextThatDoesNotCompileIsRefusedWithItsOwnLines) {
  OpDefinition d = blur_definition("misspelt");
  d.cuda->text = "\n\nextern \"C\" __global__ void blur(float* x) {\n  x[0] = undeclared;\n}\n";
  const CustomOp op = register_op(std::move(d));
  for (int i = 0; i < 2; ++i) try {
      (void)op({counting({2, 2})});
      ADD_FAILURE() << "compiled";
    } catch (const CompileError& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find("[misspelt]"), std::string::npos) << what;
      EXPECT_NE(what.find("misspelt.cu(4)"), std::string::npos) << what;
      EXPECT_NE(what.find("\"undeclared\" is undefined"), std::string::npos) << what;
      EXPECT_EQ(what.find("error of Sinter"), std::string::npos) << what;
    }
  OpDefinition other = blur_definition("nameless");
  other.cuda->entry = "blurr";
  const CustomOp nameless = register_op(std::move(other));
  EXPECT_THROW((void)nameless({counting({2, 2})}), CompileError);
}

TEST(GpuCustomOps, LaunchesThatCannotBeAreRefused) {
  OpDefinition d = blur_definition("wide");
  d.cuda->launch = [](const CustomCall&) { return CudaLaunch{{1, 1, 1}, {1024, 2, 1}, 0, {}}; };
  const CustomOp wide = register_op(std::move(d));
  EXPECT_THROW((void)wide({counting({2, 2})}), UserError);
  OpDefinition greedy = blur_definition("greedy");
  greedy.cuda->launch = [](const CustomCall&) { return CudaLaunch{{1, 1, 1}, {32, 1, 1}, 1 << 30, {}}; };
  const CustomOp op = register_op(std::move(greedy));
  EXPECT_THROW((void)op({counting({2, 2})}), UserError);
}

/// What a program sees of a kernel that writes where it must not, on stderr.
void run_wild_kernel() {
  OpDefinition d = blur_definition("wild");
  d.cuda->text =
      "extern \"C\" __global__ void blur(const float*, float*, long long, long long, double) {\n"
      "  *(volatile float*)(0x10) = 1;\n}\n";
  const CustomOp wild = register_op(std::move(d));
  for (int i = 0; i < 2; ++i) try {
      (void)to_vector<float>(wild({counting({2, 2})}));
    } catch (const DeviceError& e) {
      std::fprintf(stderr, "%d: %s\n", i, e.what());
    }
  std::_Exit(0);
}

TEST(GpuCustomOps, AFaultIsReportedOnceWithTheNamesOfTheOps) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_wild_kernel(), testing::ExitedWithCode(0),
              "0: DeviceError: cuda:0 stopped: .*ops of one's own that were launched: .*wild(.|\n)*"
              "1: DeviceError: cuda:0 cannot be used any more");
}

}  // namespace
}  // namespace sinter
