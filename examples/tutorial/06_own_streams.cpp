// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace sn = sinter;

int main() {
  const sn::Device device = sn::Device::best();  // the program is the same without a GPU
  auto f = sn::compile([](sn::Tensor x) { return sn::sqrt(x) + 1; }, {.name = "root"});

  // Memory that the program owns. On a GPU it is device memory: from_blob(pointer, shape, dtype, Device::cuda(0)).
  std::vector<float> samples{1, 4, 9, 16};
  const sn::Tensor x = sn::to(sn::from_blob(samples.data(), {4}, sn::f32), device);

  // Work goes to the thread's current stream: one of Sinter's here, a CUstream with Stream::from_native(stream).
  const sn::Stream stream = sn::Stream::create(device);
  sn::Event ready(device);
  sn::Tensor y;
  {
    const sn::StreamGuard guard(stream);
    y = f(x);
    ready.record(stream);
  }
  sn::current_stream(device).wait(ready);  // the default stream goes on after it; the host waits for nothing
  std::printf("%g\n", sn::item<float>(sn::sum(y)));

  // Threads share the compiled function; each has a stream of its own.
  std::vector<float> sums(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sums.size(); ++i)
    threads.emplace_back([&, i] {
      const sn::Stream own = sn::Stream::create(device);
      const sn::StreamGuard guard(own);
      sums[i] = sn::item<float>(sn::sum(f(sn::full({2}, static_cast<float>(i * i), sn::f32, device))));
    });
  for (std::thread& t : threads) t.join();
  std::printf("%g %g %g, compilations %d\n", sums[0], sums[1], sums[2], static_cast<int>(f.stats().compilations));

  // Memory from the program's own pool: two functions, with the stream that uses the block.
  size_t blocks = 0, bytes = 0;
  sn::set_allocator(sn::Device::cpu(), {.allocate =
                                            [&](size_t size, void*) {
                                              ++blocks;
                                              bytes += size;
                                              return std::aligned_alloc(64, size);
                                            },
                                        .release =
                                            [&](void* block, size_t, void*) {
                                              --blocks;
                                              std::free(block);
                                            }});
  {
    const sn::Tensor from_pool = sn::from<float>({1, 2, 3});
    std::printf("%zu block", blocks);
  }
  sn::reset_allocator(sn::Device::cpu());
  std::printf(" of %zu bytes, then %zu\n", bytes, blocks);
}
