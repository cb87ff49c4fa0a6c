// SPDX-License-Identifier: Apache-2.0
// A file that was changed in any way is refused in words; a file whose checksum was mended as well never crashes.
#include <algorithm>
#include <random>

#include "runtime/cache/hash.h"
#include "runtime/saved/file.h"
#include "tests/saved/saved_file.h"

namespace sinter::test {
namespace {

/// A small file with everything in it.
std::string whole_file() {
  saved::File f;
  f.name = "f";
  f.targets = {{DeviceKind::cpu, "x86-64-v3", false, "LLVM"}};
  f.code = {{"code"}};
  f.constants = {{f32, {2, 1}, {-1, 1}, 1, std::string(8, 'x')}};
  saved::SavedCall c;
  exec::Plan plan;
  plan.name = "f";
  plan.input_count = 2;
  plan.symbol_count = 4;
  plan.outputs = {{f32, -1, {}, {{0, 1, 0}}, {{0, 0, 1}}}};
  plan.kernels = {{"", "f_0", 1, 0}};
  plan.steps = {{0, {0, 3, 0}, {{exec::SlotSource::Kind::output, 0, f32, {}, 0}}}};
  plan.code = {{exec::HostOp::symbol, 1}, {exec::HostOp::push, 2}, {exec::HostOp::mul, 0}};
  const Tensor x = counting({3});
  // f32, row-major, one dim
  const int64_t meta =
      static_cast<int64_t>(f32.kind()) | static_cast<int64_t>(f32.bits()) << 8 | int64_t{1} << 40 | int64_t{1} << 48;
  c.call.signature = {1,
                      {meta, 3},
                      {saved::meta_without_device, 0},
                      {{1, 2, 100}},
                      {{{0, 1, 0}, {0, 0, 3}, "reason"}},
                      {{exec::HostOp::symbol, 1}}};
  c.call.inputs = {{saved::TensorSource::Kind::argument, 0, false}, {saved::TensorSource::Kind::constant, 0, false}};
  c.call.results = {{saved::TensorSource::Kind::output, 0, false}};
  c.call.symbols = {meta, 3, meta, 2};
  c.call.varies = {{1, 1}};
  c.constants = {0};
  c.programs = {{0, true, plan, {0}}, {0, false, plan, {0}}};
  f.calls = {c};
  return saved::pack(f);
}

std::string refused(const std::string& bytes) {
  return refusal<UserError>([&] { saved::unpack(bytes, "file.sinter"); });
}

/// Puts the right checksum into a file whose payload was changed.
void mend(std::string& file) {
  constexpr size_t checksum_at = 20, header = 36;
  const auto little_endian = [](uint64_t v) {
    std::string s;
    for (int i = 0; i < 8; ++i) s += static_cast<char>(v >> (8 * i) & 0xff);
    return s;
  };
  const cache::Hash128 body = cache::hash128(std::string_view(file).substr(header));
  const cache::Hash128 all =
      cache::hash128(file.substr(0, checksum_at) + little_endian(body.high) + little_endian(body.low));
  file.replace(checksum_at, 16, little_endian(all.high) + little_endian(all.low));
}

TEST(Damage, TheFileItselfIsRead) {
  const std::string bytes = whole_file();
  const saved::File f = saved::unpack(bytes, "file.sinter");
  EXPECT_EQ(saved::pack(f), bytes);
}

TEST(Damage, EveryFlippedBitIsNoticed) {
  const std::string bytes = whole_file();
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      ASSERT_TRUE(contains(refused(changed), "file.sinter")) << "byte " << i << " bit " << bit;
    }
}

TEST(Damage, EveryLengthIsNoticed) {
  const std::string bytes = whole_file();
  for (size_t n = 0; n < bytes.size(); ++n) {
    const std::string what = refused(bytes.substr(0, n));
    ASSERT_TRUE(contains(what, n < 8 ? "file.sinter" : "cut off") || contains(what, "bytes instead of")) << what;
  }
  EXPECT_TRUE(contains(refused(bytes + "x"), "bytes instead of"));
}

TEST(Damage, TheWordsSayWhatIsWrong) {
  std::string bytes = whole_file();
  EXPECT_TRUE(contains(refused("something else entirely"), "is no saved function"));
  EXPECT_TRUE(contains(refused(""), "cut off after 0 bytes"));
  std::string version = bytes;
  version[10] = 9;
  EXPECT_TRUE(contains(refused(version), "has format 9.")) << refused(version);
  std::string changed = bytes;
  changed.back() = static_cast<char>(changed.back() + 1);
  EXPECT_TRUE(contains(refused(changed), "checksum")) << refused(changed);
  const std::string absent = refusal<UserError>([] { load("/nowhere/file.sinter"); });
  EXPECT_TRUE(contains(absent, "/nowhere/file.sinter cannot be read: No such file")) << absent;
  EXPECT_TRUE(contains(absent, "damage_test.cpp")) << absent;
}

// With a mended checksum nothing protects the reader but its own checks. It may accept what makes sense.
TEST(Damage, MendedFilesNeverCrash) {
  const std::string bytes = whole_file();
  int accepted = 0;
  const auto read = [&](std::string changed) {
    mend(changed);
    try {
      const saved::File f = saved::unpack(changed, "file.sinter");
      ++accepted;
      for (const saved::SavedCall& c : f.calls) {  // what a call does before it reaches code
        const std::vector<int64_t> key(c.call.signature.expected);
        (void)c.call.signature.matches(key);
        (void)c.call.signature.text();
        std::vector<int64_t> symbols;
        saved::fill_symbols(c.call, key, 5, symbols);
      }
    } catch (const Error&) {
    }
  };
  for (size_t i = 36; i < bytes.size(); ++i)
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(value);
      read(changed);
    }
  std::mt19937 random(7);
  for (int n = 0; n < 3000; ++n) {
    std::string changed = bytes;
    for (int k = 0; k < 4; ++k) changed[36 + random() % (changed.size() - 36)] = static_cast<char>(random());
    read(changed);
  }
  EXPECT_GT(accepted, 0);
}

#ifdef SINTER_WITH_LLVM

// A real file, changed anywhere, through the public door.
TEST(Damage, ARealFileChangedAnywhereIsRefused) {
  const SavedFile file;
  const Tensor w = counting({4});
  auto op = compile([&](Tensor x) { return sum(x * w, {.dims = {1}}); }, {.dynamic = Dynamic::always});
  op.save(file.path(), counting({3, 4}));
  const std::string bytes = file.bytes();
  const auto refused_at = [&](const std::string& changed) {
    file.write(changed);
    return !refusal<UserError>([&] { load(file.path()); }).empty();
  };
  const size_t step = std::max<size_t>(1, bytes.size() / 997);
  for (size_t i = 0; i < bytes.size(); i += step) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    ASSERT_TRUE(refused_at(changed)) << i;
    ASSERT_TRUE(refused_at(bytes.substr(0, i))) << i;
  }
}

#endif

}  // namespace
}  // namespace sinter::test
