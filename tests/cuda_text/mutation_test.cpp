// SPDX-License-Identifier: Apache-2.0
// Whether the emulator and the samples would notice: every barrier and mask of the sample kernels is taken away in
// turn, and each time some run must fail or give other results.
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <regex>

#include "tests/cuda_text/device_kernel.h"
#include "tests/cuda_text/samples.h"
#include "tests/simt/backend.h"

namespace sinter::cuda::testing {
namespace {

using Bytes = std::vector<unsigned char>;

struct Mutant {
  CudaText text;
  std::string what;
};

/// The text with characters begin .. end of its kernel replaced.
Mutant changed(const CudaText& original, size_t begin, size_t end, const std::string& by) {
  Mutant m{original, original.text.substr(begin, end - begin)};
  const size_t line = original.text.rfind('\n', begin) + 1;
  m.what += " in: " + original.text.substr(line, original.text.find('\n', begin) - line);
  m.text.text.replace(begin, end - begin, by);
  return m;
}

/// Conditions that guard memory: bounds of masked tiles, who holds a copy, masks of gathers and scatters.
constexpr const char* guards[] = {R"(\(unsigned\)\([^()]*\) < room\d+)",
                                  R"(room\d+ >= \d+)",
                                  R"(first\d+ == 0)",
                                  R"(\((lane|warp) & \d+u\) == 0)",
                                  R"(, (v\d+\[[^\]]*\]|v\d+), 0x\w+u, 0x\w+u\))",
                                  R"(if \(v\d+\[[^\]]*\]\) )",
                                  R"(if \(v\d+\) \{ sn_)"};

std::string without(const std::string& guard) {
  if (guard.starts_with(", ")) return ", true, 0u, 0u)";
  if (guard.ends_with("{ sn_")) return "{ sn_";
  return guard.starts_with("if") ? "" : "true";
}

std::vector<Mutant> mutants(const CudaText& text) {
  std::vector<Mutant> all;
  const size_t body = text.text.find("extern \"C\"");
  // Programs that meet do so by a function of the prelude.
  const size_t arrival = text.text.find("bool sn_arrive(");
  for (const std::string barrier :
       {"__syncthreads();", "__syncwarp();", "__threadfence();", "sn_cluster_arrive();", "sn_cluster_wait();"})
    for (size_t at = text.text.find(barrier, std::min(arrival, body)); at != std::string::npos;
         at = text.text.find(barrier, at + 1))
      all.push_back(changed(text, at, at + barrier.size(), ""));
  // So are pieces of runs waited for, and sent.
  for (const std::string wait : {"sinter_host_await(arrived + 8 * p);", "sinter_host_expect(word);",
                                 "sinter_host_bulk_copy(to, from, bytes, word);"})
    if (const size_t at = text.text.find(wait); at < body) all.push_back(changed(text, at, at + wait.size(), ""));
  if (const size_t stage = text.text.find("void sn_stage("); stage < body) {
    const std::string barrier = "__syncthreads();";
    const size_t at = text.text.find(barrier, stage);
    all.push_back(changed(text, at, at + barrier.size(), ""));
  }
  for (const char* guard : guards) {
    const std::regex pattern(guard);
    std::vector<Mutant> found;
    const auto begin = text.text.begin() + static_cast<ptrdiff_t>(body);
    for (std::sregex_iterator it(begin, text.text.end(), pattern), end; it != end; ++it) {
      const size_t at = body + static_cast<size_t>(it->position());
      found.push_back(changed(text, at, at + static_cast<size_t>(it->length()), without(it->str())));
    }
    // Repetitive kernels have hundreds alike: a dozen, spread evenly.
    const size_t step = (found.size() + 11) / 12;
    for (size_t i = 0; i < found.size(); i += step) all.push_back(found[i]);
  }
  return all;
}

constexpr simt::Order orders[] = {simt::Order::forward, simt::Order::reverse, simt::Order::random};

/// Results of all calls, or nothing if the emulator refuses one.
std::optional<std::vector<std::vector<Bytes>>> results(const DeviceKernel& kernel, const Sample& sample,
                                                       simt::Order order) {
  simt::set_order(order, 17);
  std::vector<std::vector<Bytes>> all;
  try {
    for (const std::vector<Argument>& call : sample.calls) all.push_back(run(kernel, sample.grid, call));
  } catch (const DeviceError&) {
    return std::nullopt;
  }
  return all;
}

struct Suspect {
  const Sample* sample;
  std::string what;
  DeviceKernel kernel;
};

TEST(Mutation, EveryBarrierAndMaskIsNeeded) {
  if (gpu().properties().architecture != "simt") GTEST_SKIP() << "a GPU does not check";
  const std::vector<Sample> all = samples();
  std::vector<DeviceKernel> kernels;
  std::vector<Suspect> suspects;
  for (const Sample& s : all) kernels.emplace_back(s.kernel);
  for (size_t i = 0; i < all.size(); ++i)
    for (const Mutant& m : mutants(kernels[i].text())) suspects.push_back({&all[i], m.what, DeviceKernel(m.text)});
  EXPECT_GT(suspects.size(), 150u);
  for (const Suspect& s : suspects) {
    const auto right = results(kernels[static_cast<size_t>(s.sample - all.data())], *s.sample, simt::Order::forward);
    ASSERT_TRUE(right) << s.sample->name;
    bool noticed = false;
    for (simt::Order order : orders) noticed = noticed || results(s.kernel, *s.sample, order) != right;
    EXPECT_TRUE(noticed) << s.sample->name << " does without " << s.what;
  }
  simt::vary_order();
}

}  // namespace
}  // namespace sinter::cuda::testing
