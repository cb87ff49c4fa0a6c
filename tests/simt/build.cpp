// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/build.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sinter/error.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "runtime/cache/hash.h"
#include "tests/simt/host_text.h"

namespace sinter::simt {
namespace {

namespace fs = std::filesystem;
constexpr size_t batch_size = 64;

// Every operation is rounded by itself, as NVRTC is told. SINTER_SIMT_COMPILER is the compiler of the tests.
constexpr std::string_view compiler = SINTER_SIMT_COMPILER
    " -std=c++17 -O1 -march=native -ffp-contract=off -fno-strict-aliasing "
    "-fsanitize=bounds -fsanitize-undefined-trap-on-error -fPIC -shared -w";

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

}  // namespace

HostBuilder::HostBuilder(std::string folder, HostTable* table) : folder_(std::move(folder)), table_(table) {
  fs::create_directories(folder_);
}

std::string HostBuilder::report() const {
  return fmt::format("{} kernel texts, {} compiled in {} calls of the compiler, {:.2f} s", texts_, compiled_, calls_,
                     seconds_);
}

std::shared_ptr<HostCode> HostBuilder::add(std::string text) {
  auto code = std::make_shared<HostCode>();
  code->text = std::move(text);
  code->entry = entry_of(code->text);
  code->shared_bytes = shared_bytes_of(code->text);
  code->cluster = cluster_of(code->text);
  code->shared_is_dynamic =
      code->text.find("extern __shared__ __align__(16) unsigned char shared[];") != std::string::npos;
  const HostUnit unit{code->text, code->entry, "s"};
  code->symbol = "simt_" + cache::hash128(std::string(compiler) + host_file({&unit, 1})).hex();
  ++texts_;
  waiting_.push_back(code);
  return code;
}

bool HostBuilder::open(HostCode& code, const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  *static_cast<HostTable**>(dlsym(handle, "sinter_host")) = table_;
  code.shared = static_cast<std::byte*>(dlsym(handle, (code.symbol + "_shared").c_str()));
  code.slots = static_cast<size_t>(*static_cast<const int*>(dlsym(handle, (code.symbol + "_slots").c_str())));
  code.kernel = reinterpret_cast<HostKernel>(dlsym(handle, code.symbol.c_str()));
  return code.kernel != nullptr;
}

void HostBuilder::ready(const std::shared_ptr<HostCode>& code) {
  if (code->kernel != nullptr) return;
  if (open(*code, library_of(*code))) return;
  std::vector<std::shared_ptr<HostCode>> batch{code};
  std::vector<std::shared_ptr<HostCode>> later;
  for (std::shared_ptr<HostCode>& w : waiting_) {
    if (w->kernel != nullptr || w == code || w.use_count() == 1) continue;  // done, or nobody wants it any more
    const bool same = std::ranges::any_of(batch, [&](const auto& b) { return b->symbol == w->symbol; });
    if (!same && batch.size() < batch_size && !fs::exists(library_of(*w)))
      batch.push_back(w);
    else
      later.push_back(w);
  }
  waiting_ = std::move(later);
  compile(batch);
  for (const std::shared_ptr<HostCode>& b : batch)
    if (!open(*b, library_of(*b)))
      throw CompileError(fmt::format("simt: {} cannot be opened: {}", b->entry, dlerror()));
}

void HostBuilder::compile(const std::vector<std::shared_ptr<HostCode>>& batch) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<HostUnit> units;
  for (const auto& b : batch) units.push_back({b->text, b->entry, b->symbol});
  const std::string stem = fmt::format("{}/{}_{}", folder_, batch[0]->symbol, getpid());
  std::ofstream(stem + ".cpp") << host_file(units);
  const int status = std::system(fmt::format("{} -o '{}.so' '{}.cpp' 2> '{}.log'", compiler, stem, stem, stem).c_str());
  ++calls_;
  compiled_ += static_cast<int>(batch.size());
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status != 0) throw CompileError(fmt::format("simt: {}.cpp does not compile:\n{}", stem, read(stem + ".log")));
  // Every kernel finds the library under its own name; other processes may be doing the same.
  for (const auto& b : batch) {
    fs::create_symlink(fs::path(stem + ".so").filename(), fs::path(stem + "_" + b->symbol));
    fs::rename(stem + "_" + b->symbol, library_of(*b));
  }
  fs::remove(stem + ".cpp");
  fs::remove(stem + ".log");
}

}  // namespace sinter::simt
