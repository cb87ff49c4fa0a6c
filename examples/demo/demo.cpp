// SPDX-License-Identifier: Apache-2.0
// Frames for a network: windows of a photograph are cropped, resized, normalised, turned into planes and cast to f16,
// by one generated kernel. Shows what ran, how long it takes fused and op by op, and writes the windows as a picture.
//
//     demo [photograph.ppm [result.ppm]]
#include <fmt/format.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "ppm.h"

namespace sn = sinter;

namespace {

constexpr int64_t side = 224;
constexpr int64_t rows = 2, columns = 4;  // of the sheet of windows

/// Windows from the whole photograph to a part around (0.5, 0.4) of it: f32 [rows * columns, 4] of x0, y0, x1, y1.
sn::Tensor zoom(const demo::Picture& photo, sn::Device device) {
  std::vector<float> boxes;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float scale = 1.0f - 0.75f * static_cast<float>(i) / (rows * columns - 1);
    const float size = scale * static_cast<float>(std::min(photo.width, photo.height));
    const float x = 0.5f * (static_cast<float>(photo.width) - size);
    const float y = 0.4f * (static_cast<float>(photo.height) - size);
    boxes.insert(boxes.end(), {x, y, x + size, y + size});
  }
  return sn::to(sn::from<float>(boxes, {rows * columns, 4}), device);
}

struct Timing {
  double median_ms;
  size_t calls;
};

/// Times calls: GPU time by events, on the CPU the host's clock. Many calls, but no more than some seconds allow.
template <class F, class... A>
Timing time_calls(F& function, const A&... args) {
  constexpr size_t warm_up = 2, most = 51;
  constexpr double enough_ms = 2000;
  const sn::Device device = sn::Device::best();
  std::vector<double> times;
  double total = 0;
  for (size_t i = 0; i < warm_up + most && total < enough_ms; ++i) {
    sn::Event start(device), stop(device);
    start.record(sn::current_stream(device));
    const sn::Tensor result = function(args...);
    stop.record(sn::current_stream(device));
    stop.synchronize();
    const double ms = start.elapsed_ms(stop);
    total += ms;
    if (i == warm_up) times.clear();
    times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
  return {times[times.size() / 2], times.size()};
}

void print_timing(const char* name, size_t kernels, Timing timing) {
  fmt::print("  {:<9} {:2} kernel{}  {:9.4f} ms, median of {} calls\n", name, kernels, kernels == 1 ? " " : "s",
             timing.median_ms, timing.calls);
}

void run(const std::filesystem::path& photograph, const std::filesystem::path& result) {
  const sn::Device device = sn::Device::best();
  demo::Picture photo = demo::read_ppm(photograph);
  const sn::Tensor frame = sn::to(sn::from_blob(photo.pixels.data(), {photo.height, photo.width, 3}, sn::u8), device);
  const sn::Tensor boxes = zoom(photo, device);
  const sn::Tensor mean = sn::to(sn::from<float>({0.485f, 0.456f, 0.406f}), device);
  const sn::Tensor deviation = sn::to(sn::from<float>({0.229f, 0.224f, 0.225f}), device);

  const auto preprocess = [&](const sn::Tensor& image, const sn::Tensor& windows) {
    const sn::Tensor x = sn::to(sn::image::crop_resize(image, windows, {side, side}), sn::f32) / 255;
    return sn::to(sn::permute((x - mean) / deviation, {0, 3, 1, 2}), sn::f16);
  };
  auto fused = sn::compile(preprocess, {.name = "preprocess"});
  auto op_by_op = sn::compile(preprocess, {.name = "op_by_op", .fusion = sn::Fusion::none});

  const sn::Explanation explanation = fused.explain(frame, boxes);
  fmt::print("{}\n", explanation.text());
  const size_t unfused_kernels = op_by_op.explain(frame, boxes).kernels().size();
  const Timing fused_time = time_calls(fused, frame, boxes), unfused_time = time_calls(op_by_op, frame, boxes);
  fmt::print("{} windows of {} x {} on {}\n", rows * columns, side, side, device.text());
  print_timing("fused", explanation.kernels().size(), fused_time);
  print_timing("op by op", unfused_kernels, unfused_time);
  fmt::print("  ratio {:.1f}\n", unfused_time.median_ms / fused_time.median_ms);

  // Back to bytes, and the windows side by side: ops run at once outside compiled functions too.
  const sn::Tensor colours = sn::permute(sn::to(fused(frame, boxes), sn::f32), {0, 2, 3, 1}) * deviation + mean;
  const sn::Tensor bytes = sn::to(sn::round(sn::clamp(colours, 0, 1) * 255), sn::u8);
  const sn::Tensor sheet = sn::permute(sn::reshape(bytes, {rows, columns, side, side, 3}), {0, 2, 1, 3, 4});
  demo::write_ppm(result, {rows * side, columns * side, sn::to_vector<uint8_t>(sheet)});
  fmt::print("the windows: {}\n", std::filesystem::absolute(result).lexically_normal().string());
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path photograph =
      argc > 1 ? argv[1] : std::filesystem::path(SINTER_EXAMPLES_DATA) / "astronaut.ppm";
  const std::filesystem::path result = argc > 2 ? argv[2] : std::filesystem::path(argv[0]).parent_path() / "demo.ppm";
  try {
    run(photograph, result);
  } catch (const std::exception& error) {
    fmt::print(stderr, "demo: {}\n", error.what());
    return 1;
  }
  return 0;
}
