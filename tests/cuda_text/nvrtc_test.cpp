// SPDX-License-Identifier: Apache-2.0
// The text that the emulator runs is the text that NVRTC takes, for every architecture.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/cache/hash.h"
#include "tests/cuda_text/device_kernel.h"
#include "tests/cuda_text/samples.h"
#include "tests/simt/backend.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace sinter::cuda::testing {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

TEST(Text, IncludesNothing) {
  for (const Sample& s : samples()) {
    const std::string text = emit(tile_ir::assign_layouts(s.kernel)).text;
    EXPECT_EQ(text.find("#include"), std::string::npos) << s.name;
  }
}

TEST(Text, IsTheSameEveryTime) {
  for (const Sample& s : samples())
    EXPECT_EQ(emit(tile_ir::assign_layouts(s.kernel)).text, emit(tile_ir::assign_layouts(s.kernel)).text) << s.name;
}

TEST(Text, TheEmitterKnowsTileOpsOnly) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SINTER_SOURCE_DIR "/codegen/cuda")) {
    const std::string source = read(entry.path());
    for (const char* folder : {"src/graph/", "src/ops/", "src/loop/", "src/lower/", "codegen/schedule/"})
      EXPECT_EQ(source.find(std::string("#include \"") + folder), std::string::npos) << entry.path() << " " << folder;
    ++files;
  }
  EXPECT_GT(files, 8);
}

TEST(Text, TheEmulatorRunsWhatNvrtcGets) {
  if (gpu().properties().architecture != "simt") GTEST_SKIP();
  for (const Sample& s : samples()) {
    const DeviceKernel kernel(s.kernel);
    EXPECT_EQ(cache::hash128(simt::text_of(kernel.function())), cache::hash128(kernel.text().text)) << s.name;
  }
}

#ifdef SINTER_WITH_CUDA

TEST(Text, NvrtcTakesItForEveryArchitecture) {
  const device::cuda::NvrtcVersion found = device::cuda::nvrtc_version();
  if (found.version == 0) GTEST_SKIP() << found.text;
  for (const Sample& s : samples()) {
    const CudaText text = emit(tile_ir::assign_layouts(s.kernel));
    for (const std::string_view architecture : {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100", "sm_120"}) {
      const bool has_clusters = architecture == "sm_90a" || architecture == "sm_100" || architecture == "sm_120";
      const bool needs_them = s.kernel.cluster > 1 || text.text.find("cp.async.bulk") != std::string::npos;
      if (needs_them && !has_clusters) continue;
      if (found.version < 12080 && (architecture == "sm_100" || architecture == "sm_120")) continue;
      EXPECT_NO_THROW({
        const auto result = device::cuda::compile({text.text, text.entry, architecture, device::cuda::strict_options});
        EXPECT_FALSE(result.cubin.empty());
        EXPECT_EQ(result.log, "") << s.name;
      }) << s.name
         << " for " << architecture;
    }
  }
}

#endif

}  // namespace
}  // namespace sinter::cuda::testing
