// Times COCO and VOC on a set as large as the largest face benchmarks. scripts/bench-coco.sh runs it beside
// pycocotools; alone: fovea_tests '[.coco-bench]'.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include <catch2/catch.hpp>

#include "lib/core/json.hpp"
#include "tests/lib/evaluate/coco_sets.hpp"

namespace fovea {
namespace {

using namespace test;

template <class Work>
double seconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_of_5(const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) times.push_back(seconds(work));
    std::sort(times.begin(), times.end());
    return times[2];
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

    Json figures;
    const double plain =
        median_of_5([&] { figures["numbers"] = numbers_of(*evaluate_coco(images, ProtocolMode::strict)); });
    figures["plain_s"] = plain;
    std::printf("COCO, twelve numbers: %.3f s (median of 5)\n", plain);
    for (const ProtocolMode mode : {ProtocolMode::strict, ProtocolMode::corrected}) {
        const auto evaluation = evaluate_coco(images, mode);
        const double resampled =
            seconds([&] { CHECK(bootstrap_estimates(*evaluation, 1000, 1).size() == 12); });
        const char* name = mode == ProtocolMode::strict ? "strict" : "corrected";
        figures[std::string("bootstrap_") + name + "_s"] = resampled;
        std::printf("COCO %s, 1,000 resamples: %.2f s\n", name, resampled);
    }
    const auto voc = evaluate_voc(images, ProtocolMode::strict, 2010);
    std::printf("VOC 2010: %.3f s (median of 5), 1,000 resamples: %.2f s\n",
                median_of_5([&] { numbers_of(*evaluate_voc(images, ProtocolMode::strict, 2010)); }),
                seconds([&] { CHECK(bootstrap_estimates(*voc, 1000, 1).size() == 3); }));

    if (const char* folder = std::getenv("FOVEA_BENCH_OUT")) {
        write_coco_files(set, folder);
        std::ofstream(std::filesystem::path(folder) / "fovea.json") << figures.dump(1) << '\n';
    }
}

}  // namespace
}  // namespace fovea
