// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <chrono>

#include "src/compiler/codegen.h"
#ifdef SINTER_WITH_LLVM
#include "codegen/llvm/open.h"
#endif

namespace sinter::compiler {

CodeImage generate_cpu([[maybe_unused]] const schedule::ScheduledKernel& kernel,
                       [[maybe_unused]] const device::Properties& properties) {
#ifdef SINTER_WITH_LLVM
  const auto& table = llvm_codegen::open_backend(SINTER_LLVM_MODULE);
  const auto begin = std::chrono::steady_clock::now();
  const auto object =
      llvm_codegen::compile_through(table, kernel.kernel, {properties.architecture, properties.vector_bits});
  CodeImage out;
  out.machine_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  out.entry = kernel.kernel.name;
  out.source = tile_ir::print(kernel.kernel);
  out.image.assign(reinterpret_cast<const char*>(object.data()), object.size());
  out.key = fmt::format("{} {} {}\n{}", properties.architecture, properties.vector_bits, table.version, out.source);
  // Handing a part to another thread costs about as much as touching 16 K elements.
  constexpr int64_t elements_per_thread = 16384;
  out.threads =
      static_cast<int>(std::max<int64_t>(1, elements_per_thread / std::max<int64_t>(1, kernel.elements_per_program)));
  return out;
#else
  throw CompileError("this build has no LLVM back end");
#endif
}

}  // namespace sinter::compiler
