// Times COCO and VOC on a set as large as the largest face benchmarks. scripts/bench-coco.sh runs it beside
// pycocotools; alone: scripts/run-tests.sh '[.coco-bench]'.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/lib/evaluate/protocols/coco_sets.hpp"

namespace fovea {
namespace {

using namespace test;

struct Time {
    double wall_s = 0;
    double cpu_s = 0;  // of all threads: says more on a machine that does other work, too
};

Time time_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    work();
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC};
}

Time median_of_5(const std::function<void()>& work) {
    std::vector<Time> times;
    for (int i = 0; i < 5; ++i) times.push_back(time_of(work));
    std::sort(times.begin(), times.end(), [](const Time& a, const Time& b) { return a.wall_s < b.wall_s; });
    return times[2];
}

void show(const char* what, const Time& time) {
    std::printf("%-40s %7.3f s, CPU %7.3f s\n", what, time.wall_s, time.cpu_s);
}

// FOVEA_BENCH_OUT names a folder, to which the set and the figures are written.
TEST_CASE("COCO and VOC of 100,000 images: time", "[.coco-bench]") {
    const ProtocolSet set = make_large_set(100000, 1);
    std::size_t faces = 0;
    std::size_t found = 0;
    for (const Sample& sample : set.samples) faces += sample.faces.size();
    for (const std::vector<Detection>& detections : set.detections) found += detections.size();
    std::printf("%zu images, %zu faces, %zu detections\n", set.samples.size(), faces, found);
    const std::vector<ProtocolImage> images = set.images();

    constexpr ProtocolMode strict = ProtocolMode::strict;
    constexpr ProtocolMode corrected = ProtocolMode::corrected;
    Json figures;
    const Time plain = median_of_5([&] { figures["numbers"] = numbers_of(*evaluate_coco(images, strict)); });
    figures["wall_s"] = plain.wall_s;
    figures["cpu_s"] = plain.cpu_s;
    show("COCO strict, median of 5", plain);
    show("COCO corrected, median of 5", median_of_5([&] { numbers_of(*evaluate_coco(images, corrected)); }));
    show("VOC 2010 strict, median of 5",
         median_of_5([&] { numbers_of(*evaluate_voc(images, strict, 2010)); }));
    const auto resample = [&](const char* what, const BootstrapStatistics& evaluation) {
        show(what, time_of([&] { CHECK_FALSE(bootstrap_estimates(evaluation, 1000, 1).empty()); }));
    };
    resample("COCO strict, 1,000 resamples", *evaluate_coco(images, strict));
    resample("COCO corrected, 1,000 resamples", *evaluate_coco(images, corrected));
    resample("VOC 2010 strict, 1,000 resamples", *evaluate_voc(images, strict, 2010));

    if (const char* folder = std::getenv("FOVEA_BENCH_OUT")) {
        write_coco_files(set, folder);
        std::ofstream(std::filesystem::path(folder) / "fovea.json") << figures.dump(1) << '\n';
    }
}

}  // namespace
}  // namespace fovea
