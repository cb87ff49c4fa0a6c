// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/object_loader.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/relocation.h"

namespace sinter::device::cpu {
namespace {

/// The C++ compiler's object for a text, compiled as position independent code. CXX: which compiler, where programs of
/// another machine run in an emulator.
std::vector<std::byte> compile_object(const std::string& text, const std::string& options = "") {
  const auto base =
      std::filesystem::temp_directory_path() / ("sinter-object-" + std::to_string(std::random_device{}()));
  const std::string source = base.string() + ".cpp", object = base.string() + ".o";
  std::ofstream(source) << text;
  const char* const named = std::getenv("CXX");
  const std::string compiler = named != nullptr ? named : "c++";
  const std::string command = compiler + " -O2 -fPIC -fno-exceptions " + options + " -c " + source + " -o " + object;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(object, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(source);
  std::filesystem::remove(object);
  std::vector<std::byte> bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return bytes;
}

constexpr const char* kernel_text = R"(
extern "C" double sin(double);
extern "C" void* memcpy(void*, const void*, unsigned long);
typedef long long i64; typedef unsigned long long u64;
static const float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};            // constants, relative addresses
static i64 counter = 41;                                               // variables
static i64 zeroed[100];                                                // .bss
extern "C" i64 visible;
i64 visible = 7;                                                       // through the address table
extern "C" i64 read_visible() { return visible; }
extern "C" i64 count() { return ++counter + zeroed[99]; }
extern "C" double call_sin(double x) { return sin(x) * 2; }            // a far call
static double (*volatile pointer)(double) = sin;                       // an absolute address
extern "C" double call_pointer(double x) { return pointer(x); }
extern "C" void kernel(const u64* slots, i64 begin, i64 end) {
  float* out = (float*)slots[0];
  for (i64 i = begin; i < end; ++i) out[i] = table[i & 7] + (float)i;
}
extern "C" int switcher(int x) {                                       // a jump table
  switch (x) { case 0: return 11; case 1: return 7; case 2: return 5; case 3: return 3; case 4: return 2;
               case 5: return 13; case 6: return 17; default: return 0; }
}
extern "C" void copy(char* to, const char* from, unsigned long n) { memcpy(to, from, n); }
)";

template <class F>
F* entry(const LoadedObject& object, const char* name) {
  void* address = object.symbol(name);
  EXPECT_NE(address, nullptr) << name;
  return reinterpret_cast<F*>(address);
}

class Objects : public testing::TestWithParam<const char*> {};

TEST_P(Objects, RunLikeLinkedCode) {
  const auto object = load_object(compile_object(kernel_text, GetParam()));
  EXPECT_EQ(entry<int64_t()>(*object, "count")(), 42);
  EXPECT_EQ(entry<int64_t()>(*object, "count")(), 43);
  EXPECT_EQ(entry<int64_t()>(*object, "read_visible")(), 7);
  EXPECT_EQ(entry<double(double)>(*object, "call_sin")(0.5), std::sin(0.5) * 2);
  EXPECT_EQ(entry<double(double)>(*object, "call_pointer")(0.5), std::sin(0.5));
  const int expected[] = {11, 7, 5, 3, 2, 13, 17, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(entry<int(int)>(*object, "switcher")(i), expected[i]);
  std::vector<float> out(20, -1);
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data())};
  entry<void(const uint64_t*, int64_t, int64_t)>(*object, "kernel")(slots, 3, 20);
  EXPECT_EQ(out[2], -1);
  for (int i = 3; i < 20; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], static_cast<float>((1 << (i & 7)) + i));
  const std::string text = "a text of some length, longer than registers hold";
  std::string copied(text.size(), ' ');
  entry<void(char*, const char*, unsigned long)>(*object, "copy")(copied.data(), text.data(), text.size());
  EXPECT_EQ(copied, text);
  EXPECT_EQ(object->symbol("nothing"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Options, Objects,
                         testing::Values("", "-O0", "-fno-plt", "-ffunction-sections -fdata-sections"));

TEST(ObjectLoader, TheCpuBackendLoadsThem) {
  Backend& b = backend(Device::cpu());
  const auto module = b.load(compile_object(kernel_text));
  std::vector<float> out(8, 0);
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data())};
  b.launch(*module->function("kernel"), {.grid = 8}, slots, 1, nullptr);
  EXPECT_EQ(out[7], 135.0f);
  EXPECT_THROW(module->function("absent"), CompileError);
}

TEST(ObjectLoader, RefusesWhatKernelsMayNotDo) {
  EXPECT_THROW(load_object(compile_object("extern \"C\" int system(const char*); int f() { return system(\"\"); }")),
               CompileError);
  EXPECT_THROW(load_object(compile_object("struct S { S(); ~S(); }; S s;")), CompileError);
  EXPECT_THROW(load_object(compile_object("thread_local int t; int f() { return ++t; }")), CompileError);
}

TEST(ObjectLoader, DamagedObjectsAreErrorsNotCrashes) {
  const std::vector<std::byte> whole = compile_object(kernel_text);
  for (size_t length = 0; length < whole.size(); length += 7)
    EXPECT_THROW(load_object(std::span(whole).first(length)), CompileError) << length;
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> changed = whole;
    for (int i = 0; i < 3; ++i) changed[random() % changed.size()] = static_cast<std::byte>(random());
    try {
      load_object(changed);  // never run: only the loading is tested
    } catch (const CompileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
}

uint32_t instruction_after(uint32_t type, uint32_t instruction, uint64_t place, uint64_t target) {
  std::byte bytes[4];
  std::memcpy(bytes, &instruction, 4);
  EXPECT_TRUE(relocate(EM_AARCH64, type, bytes, place, target));
  std::memcpy(&instruction, bytes, 4);
  return instruction;
}

// Instructions as the assembler writes them: the operand as target, the instruction without it.
TEST(Relocation, Aarch64Instructions) {
  constexpr uint64_t base = 0x7f0000400000;
  EXPECT_EQ(instruction_after(R_AARCH64_CALL26, 0x94000000, base, base + 0x1000), 0x94000400u);  // bl +0x1000
  EXPECT_EQ(instruction_after(R_AARCH64_CALL26, 0x94000000, base, base - 4), 0x97ffffffu);       // bl -4
  EXPECT_EQ(instruction_after(R_AARCH64_JUMP26, 0x14000000, base, base + 8), 0x14000002u);       // b +8
  EXPECT_EQ(instruction_after(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, base + 0xff0, base + 0x1008),
            0xb0000000u);  // adrp x0, +1 page
  EXPECT_EQ(instruction_after(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, base, base - 0x1000), 0xf0ffffe0u);
  EXPECT_EQ(instruction_after(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, base, base + 0x123), 0x91048c00u);
  EXPECT_EQ(instruction_after(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, base, base + 0x120), 0x3dc04800u);
  EXPECT_EQ(instruction_after(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, base, base + 0x120), 0xf9409000u);
  std::byte bytes[8] = {};
  EXPECT_FALSE(relocate(EM_AARCH64, R_AARCH64_CALL26, bytes, base, base + (uint64_t{1} << 27)));
  EXPECT_FALSE(relocate(EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, bytes, base, base + 4));
  EXPECT_FALSE(relocate(EM_X86_64, R_X86_64_PC32, bytes, base, base + (uint64_t{1} << 31)));
  EXPECT_TRUE(relocate(EM_X86_64, R_X86_64_PC32, bytes, base, base + (uint64_t{1} << 31) - 1));
  EXPECT_EQ(reach_of(EM_X86_64, R_X86_64_32), Reach::unknown);
}

}  // namespace
}  // namespace sinter::device::cpu
