// SPDX-License-Identifier: Apache-2.0
// Code for several machines in one file, and the words when none of it fits.
#include "runtime/saved/target.h"
#include "runtime/saved/file.h"
#include "tests/saved/saved_file.h"

namespace sinter::test {
namespace {

using saved::Target;

device::Properties gpu(const std::string& architecture) {
  device::Properties p;
  p.architecture = architecture;
  p.name = "a GPU";
  return p;
}

int fits(const std::string& target, const std::string& machine) {
  return saved::fitness({DeviceKind::cuda, target, false, {}}, Device::cuda(), gpu(machine));
}
int fits_cpu(const std::string& target, const std::string& machine) {
  return saved::fitness({DeviceKind::cpu, target, false, {}}, Device::cpu(), gpu(machine));
}

TEST(Target, CubinsRunOnLaterMinorVersions) {
  EXPECT_GT(fits("sm_80", "sm_80"), fits("sm_80", "sm_89"));
  EXPECT_GT(fits("sm_86", "sm_89"), fits("sm_80", "sm_89"));
  EXPECT_EQ(fits("sm_86", "sm_80"), 0);
  EXPECT_EQ(fits("sm_80", "sm_90a"), 0);
  EXPECT_GT(fits("sm_90a", "sm_90a"), 0);
  EXPECT_EQ(fits("sm_90a", "sm_100"), 0);
  EXPECT_GT(fits("sm_120", "sm_121"), 0);
  const int source = saved::fitness({DeviceKind::cuda, "sm_80", true, {}}, Device::cuda(), gpu("sm_120"));
  EXPECT_GT(source, 0);
  EXPECT_LT(source, fits("sm_80", "sm_89"));
  EXPECT_EQ(saved::fitness({DeviceKind::cuda, "sm_80", true, {}}, Device::cpu(), gpu("x86-64-v4")), 0);
}

TEST(Target, CpuLevelsIncludeTheLower) {
  EXPECT_GT(fits_cpu("x86-64-v4", "x86-64-v4"), fits_cpu("x86-64-v3", "x86-64-v4"));
  EXPECT_GT(fits_cpu("x86-64-v3", "x86-64-v4"), 0);
  EXPECT_EQ(fits_cpu("x86-64-v4", "x86-64-v3"), 0);
  EXPECT_EQ(fits_cpu("x86-64-v3", "aarch64"), 0);
  EXPECT_GT(fits_cpu("aarch64", "aarch64"), 0);
}

TEST(Target, WordsNameWhatIsThereAndWhatIsNeeded) {
  const std::string why =
      saved::why_none({{DeviceKind::cuda, "sm_80", false, {}}, {DeviceKind::cpu, "x86-64-v3", false, {}}},
                      Device::cuda(), gpu("sm_90a"));
  EXPECT_EQ(why, "has code for sm_80, CPU x86-64-v3; cuda:0 is sm_90a (a GPU)");
}

#if defined(SINTER_WITH_CUDA) && defined(SINTER_WITH_LLVM)

TEST(Target, SeveralArchitecturesWithoutAGpu) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return relu(x + 1) * 2; });
  op.save({.path = file.path(), .targets = {"cpu", "sm_80", "sm_90a"}}, counting({300}));
  const saved::File made = saved::unpack(file.bytes(), file.path());
  ASSERT_EQ(made.targets.size(), 4u);
  EXPECT_EQ(made.targets[2].text(), "CUDA source");
  EXPECT_EQ(made.calls.at(0).programs.size(), 8u) << "for aligned inputs and for any";
  size_t cubins = 0, texts = 0;
  for (const saved::Code& c : made.code) {
    cubins += c.bytes.starts_with(
        "\x7f"
        "ELF");
    texts += contains(c.bytes, "extern \"C\" __global__");
  }
  EXPECT_GE(cubins, 3u);
  EXPECT_GE(texts, 1u);
  const Loaded f = load(file.path());
  EXPECT_EQ(bits<float>(f({counting({300})})[0]), bits<float>(op(counting({300}))));
}

TEST(Target, AFileWithoutCodeForTheDeviceSaysSo) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return relu(x + 1) * 2; });
  op.save({.path = file.path(), .targets = {"sm_90a"}, .source = false}, counting({300}));
  const Loaded f = load(file.path());
  EXPECT_FALSE(f.runs_on(Device::cpu()));
  const std::string why = refusal<DeviceError>([&] { f({counting({300})}); });
  EXPECT_TRUE(contains(why, "has code for sm_90a; cpu is ")) << why;
  EXPECT_TRUE(contains(why, "fix: save it with the target")) << why;
}

#endif

}  // namespace
}  // namespace sinter::test
