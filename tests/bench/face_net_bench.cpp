// A face network of random weights on one thread, or on a GPU.
//   fovea_face_net_bench [WIDTH HEIGHT [INSTRUCTION_SET | cuda [IMAGES_AT_ONCE]]]
// Prints the median of 21 runs with its quartiles, elapsed and as the thread's own time, and the
// multiply-adds of each layer. The thread's own time leaves out what other programs take on a busy machine.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <time.h>

#include "kernels/core/buffer.hpp"
#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/run_face_net.hpp"
#include "lib/core/time_summary.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/simd_targets.hpp"

namespace fovea {
namespace {

constexpr int runs = 21;
/// Runs until a GPU has its clock.
constexpr int gpu_warm_up = 100;

// Pixels of the map that a layer makes.
double pixels_of(const std::string& pointer, Size image) {
    static const std::map<std::string, int> strides{
        {"/stem", 2},        {"/backbone/0", 2},  {"/backbone/1", 4}, {"/backbone/2", 4},
        {"/backbone/3", 8},  {"/backbone/4", 8},  {"/neck/0", 8},     {"/heads/0", 8},
        {"/backbone/5", 16}, {"/backbone/6", 16}, {"/neck/1", 16},    {"/heads/1", 16},
        {"/backbone/7", 32}, {"/backbone/8", 32}, {"/neck/2", 32},    {"/heads/2", 32}};
    std::string name = pointer;
    while (!strides.contains(name)) name.resize(name.rfind('/'));
    const Size eighth = face_net_cells(image, 0);
    const double factor = 8.0 / strides.at(name);
    return factor * factor * eighth.width * eighth.height;
}

void print_multiplications(const FaceNet& net, Size image) {
    std::map<FaceNetLayerKind, double> counts;
    visit_face_net_layers(net, [&](const FaceNetLayerPlace& place, const FaceNetLayer& layer) {
        const double count = pixels_of(place.pointer, image) * static_cast<double>(layer.weights.size());
        counts[place.kind] += count;
        std::printf("  %-24s %7.1f million\n", place.pointer.c_str(), count / 1e6);
    });
    std::printf("multiply-adds: stem %.0f, pointwise %.0f, depthwise %.0f million\n",
                counts[FaceNetLayerKind::stem] / 1e6, counts[FaceNetLayerKind::pointwise] / 1e6,
                counts[FaceNetLayerKind::depthwise] / 1e6);
}

double now_ms(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void print(const char* name, const std::vector<double>& times_ms) {
    const TimeSummary summary = summarise_times(times_ms);
    std::printf("%s: %.3f ms (quartiles %.3f - %.3f, least %.3f)\n", name, summary.median_ms,
                summary.quartile_1_ms, summary.quartile_3_ms, summary.min_ms);
}

/// Cells of a higher logit are found: few of random weights.
constexpr float min_logit = 4;

void run(Size image, const std::string& instruction_set, int at_once) {
    const FaceNet net = test::random_face_net({16, 64, 64}, 1);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(image.width) *
                                     static_cast<std::size_t>(image.height));
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * i / 1000 % 251);
    print_multiplications(net, image);
    const bool is_cuda = instruction_set == "cuda";
    const test::ForcedSimdTarget forced(is_cuda ? "" : instruction_set);
    const FaceNetRunner runner(net);
    const Device device = is_cuda ? Device::cuda(0) : Device::cpu();
    Buffer<std::uint8_t> on_device(device, pixels.size());
    on_device.upload(pixels.data(), pixels.size());
    const ImageView<const std::uint8_t> view{on_device.data(), image.width, image.height, image.width};
    const std::vector<ImageView<const std::uint8_t>> views(static_cast<std::size_t>(at_once), view);
    const auto gpu_net = is_cuda ? cuda_backend::make_gpu_face_net(net, 0, GpuShare::all) : nullptr;
    std::vector<double> elapsed_ms, own_ms;
    std::size_t cells = 0;
    for (int i = is_cuda ? -gpu_warm_up : -1; i < runs; ++i) {
        const double start = now_ms(CLOCK_MONOTONIC), own_start = now_ms(CLOCK_THREAD_CPUTIME_ID);
        cells = gpu_net ? gpu_net->run(ImageBatch(views, 0), min_logit).at(0).of_size.at(0).size()
                        : runner.run(view, min_logit).size();
        if (i < 0) continue;
        own_ms.push_back(now_ms(CLOCK_THREAD_CPUTIME_ID) - own_start);
        elapsed_ms.push_back(now_ms(CLOCK_MONOTONIC) - start);
    }
    for (std::vector<double>* const times : {&elapsed_ms, &own_ms})
        for (double& time : *times) time /= at_once;
    std::printf("%dx%d, %s, %zu cells, per image:\n", image.width, image.height,
                instruction_set.empty() ? "best instruction set" : instruction_set.c_str(), cells);
    print("elapsed", elapsed_ms);
    print("thread's own", own_ms);
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
    try {
        const fovea::Size image{argc > 2 ? std::atoi(argv[1]) : 1920, argc > 2 ? std::atoi(argv[2]) : 1080};
        fovea::run(image, argc > 3 ? argv[3] : "", argc > 4 ? std::atoi(argv[4]) : 1);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_face_net_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
