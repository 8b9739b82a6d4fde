// Images that lie in a GPU's memory: what is found in them is what is found in the same images in host
// memory, in every bit. Cases tagged [cuda-small] are few and small enough for compute-sanitizer.

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "kernels/mct/pyramid.hpp"
#include "tests/lab/optimisations.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/mct_cascades.hpp"
#include "tests/support/resident_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// A cascade of any kind, that finds much in noise.
struct Kind {
    std::string name;
    std::function<std::unique_ptr<CascadeEngine>(const EngineOptions&)> make_cuda;
    std::function<std::unique_ptr<CascadeEngine>()> make_cpu;
};

template <class AnyCascade>
Kind kind_of(const std::string& name, AnyCascade given) {
    const auto cascade = std::make_shared<const AnyCascade>(std::move(given));
    return {name,
            [cascade](const EngineOptions& variant) {
                return make_cuda_engine(*cascade, std::vector<int>{0}, variant);
            },
            [cascade] { return make_cpu_engine(*cascade); }};
}

// Calibrated in noise like that of the tests.
MctCascade mct_cascade(int coarse, int fine, Survival survival) {
    MctCascade cascade = random_mct_cascade(coarse, fine, 7);
    const GreyImage image = smooth_noise(320, 240, 3, 8);
    calibrate_mct(cascade, image.view(), mct_levels({320, 240}, {1.15, {}, {}}), survival, 8000, 9);
    return cascade;
}

// A tenth of the windows passes.
MctCascade permissive_mct_cascade() {
    return mct_cascade(6, 20, even_survival);
}

// For large images: few windows pass.
Kind selective_kind() {
    return kind_of("MCT", mct_cascade(20, 60, trained_survival));
}

std::vector<Kind> kinds() {
    return {kind_of("Haar", first_stages(named_cascade("haarcascade_frontalface_alt2"), 3)),
            kind_of("LBP", first_stages(named_cascade("lbpcascade_frontalface"), 3)),
            kind_of("MCT", permissive_mct_cascade())};
}

std::vector<GreyImage> small_images() {
    std::vector<GreyImage> images;
    std::uint32_t seed = 40;
    for (const Size size :
         {Size{64, 48}, Size{1, 1}, Size{24, 24}, Size{37, 61}, Size{80, 32}, Size{100, 75}}) {
        images.push_back(smooth_noise(size.width, size.height, 3, seed++));
    }
    return images;
}

}  // namespace

TEST_CASE("resident images: refused where there is no GPU of the engine's own", "[resident]") {
    const auto engine = make_cpu_engine(permissive_mct_cascade());
    CHECK_THROWS_AS(engine->detect({std::vector<GreyView>{}, 0}, {}), std::logic_error);
    CHECK(engine->gpus().empty());
}

TEST_CASE("resident images: every kind of cascade, place, gap and variant", "[resident][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const std::vector<GreyImage> images = small_images();
    const std::vector<GreyView> host = views_of(images);
    for (const Kind& kind : kinds()) {
        const auto cpu = kind.make_cpu();
        EngineOptions leave_room_for_nvjpeg;
        leave_room_for_nvjpeg.share = GpuShare::leave_room_for_nvjpeg;
        for (const EngineOptions& variant : {EngineOptions{}, without_optimisation({}, "streams"),
                                             without_optimisation({}, "pinned"), leave_room_for_nvjpeg}) {
            const auto cuda = kind.make_cuda(variant);
            CHECK(cuda->gpus() == std::vector<int>{0});
            for (const int min_neighbors : {0, 1}) {
                const CascadeScan scan{{1.2, {}, {}}, min_neighbors};
                const auto expected = cpu->detect(host, scan);
                CHECK(count_findings(expected) > 0);
                for (const auto& [shift, gap] : {std::pair{0, 0}, {0, 16}, {4, 12}, {3, 1}, {0, 7}}) {
                    INFO(kind.name << ", min_neighbors " << min_neighbors << ", shift " << shift << ", gap "
                                   << gap);
                    const ResidentImages resident(*device, images, shift, gap);
                    REQUIRE(first_difference(expected, cuda->detect(resident.batch(), scan)) == "");
                }
                // Between them the same images from the host: a replayed graph must not take one for the
                // other.
                REQUIRE(first_difference(expected, cuda->detect(host, scan)) == "");
            }
            CHECK(cuda->detect({std::vector<GreyView>{}, 0}, {}).empty());
        }
    }
}

TEST_CASE("resident images: graphs are replayed with other pixels at other addresses", "[resident][cuda]") {
    const auto device = gpu();
    if (!device) return;
    for (const Kind& kind : kinds()) {
        INFO(kind.name);
        const auto cpu = kind.make_cpu();
        EngineOptions variant;
        variant.share = GENERATE(GpuShare::all, GpuShare::leave_room_for_nvjpeg);
        const auto cuda = kind.make_cuda(variant);
        const CascadeScan scan{{1.2, {}, {}}, 1};
        for (std::uint32_t seed = 0; seed < 12; ++seed) {
            const std::vector<GreyImage> images{smooth_noise(200, 150, 3, seed),
                                                smooth_noise(91, 60, 3, seed)};
            const auto expected = cpu->detect(views_of(images), scan);
            // Sometimes of other strides: the graph is the same.
            const ResidentImages resident(*device, images, 0, seed % 3 == 2 ? 5 : 0);
            REQUIRE(first_difference(expected, cuda->detect(resident.batch(), scan)) == "");
            REQUIRE(first_difference(expected, cuda->detect(views_of(images), scan)) == "");
        }
        CHECK(cuda->counters().graph_replays >= 12);
        CHECK(cuda->counters().images == 48);
    }
}

TEST_CASE("resident images: batches of several parts", "[resident][cuda]") {
    const auto device = gpu();
    if (!device) return;
    // More bytes and more images than a part takes, and an image larger than a part.
    std::vector<GreyImage> images;
    const GreyImage photograph = smooth_noise(1920, 1080, 3, 3), small = smooth_noise(61, 50, 3, 4);
    for (int i = 0; i < 40; ++i) images.push_back(photograph);
    for (int i = 0; i < 300; ++i) images.push_back(small);
    images.push_back(smooth_noise(6000, 5700, 1, 5));
    const Kind kind = selective_kind();
    const auto cuda = kind.make_cuda({});
    const CascadeScan scan{{1.5, {}, {}}, 0};
    const auto expected = cuda->detect(views_of(images), scan);
    CHECK(count_findings(expected) > 0);
    const ResidentImages resident(*device, images, 0, 3);
    for (int i = 0; i < 3; ++i) {
        REQUIRE(first_difference(expected, cuda->detect(resident.batch(), scan)) == "");
    }
}

TEST_CASE("resident images: more windows pass than any buffer was made for", "[resident][cuda]") {
    const auto device = gpu();
    if (!device) return;
    const Kind kind =
        kind_of("permissive", permissive(first_stages(named_cascade("lbpcascade_frontalface"), 2)));
    const std::vector<GreyImage> images{smooth_noise(150, 110, 4, 4), noise(1280, 720, 3)};
    const auto cuda = kind.make_cuda({});
    const ResidentImages resident(*device, images, 0, 9);
    for (const CascadeScan& scan : {CascadeScan{{1.3, {}, {}}, 0}, CascadeScan{{1.1, {}, {25, 25}}, 3}}) {
        const auto expected = kind.make_cpu()->detect(views_of(images), scan);
        REQUIRE(first_difference(expected, cuda->detect(resident.batch(), scan)) == "");
    }
    CHECK(cuda->counters().repeats > 0);
    CHECK(cuda->counters().host_groupings > 0);
}

TEST_CASE("resident images: memory that does not suffice", "[resident][cuda]") {
    const auto device = gpu();
    if (!device) return;
    const Kind kind = selective_kind();
    const std::vector<GreyImage> images(6, smooth_noise(3000, 2000, 3, 6));
    const CascadeScan scan{{1.5, {}, {}}, 0};
    const auto expected = kind.make_cuda({})->detect(views_of(images), scan);
    const ResidentImages resident(*device, images, 0, 8);
    // Once with memory for all, so that every kernel is loaded.
    REQUIRE(first_difference(expected, kind.make_cuda({})->detect(resident.batch(), scan)) == "");
    const auto cuda = kind.make_cuda({});
    // All but what half of the batch needs is taken away, in ever smaller pieces.
    std::vector<Buffer<std::uint8_t>> taken;
    for (std::size_t bytes = std::size_t{64} << 30; bytes >= std::size_t{24} << 20;) {
        try {
            taken.emplace_back(*device, bytes);
        } catch (const std::bad_alloc&) {
            bytes /= 2;
        }
    }
    std::vector<CascadeResult> found;
    // Given back until one image fits.
    while (found.empty()) {
        try {
            found = cuda->detect(resident.batch(), scan);
        } catch (const std::bad_alloc&) {
            REQUIRE_FALSE(taken.empty());
            taken.pop_back();
        }
    }
    CHECK(first_difference(expected, found) == "");
    CHECK(cuda->counters().shrinks > 0);
}

TEST_CASE("resident images: landmarks of the groups", "[resident][landmark][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const LandmarkModel model = random_landmark_model({68, 4, 2, 20, 40, false, 1}, 4);
    const LandmarkTables tables = make_landmark_tables(model);
    cuda_backend::GpuLandmarks landmarks(model, tables, 0);
    const GroupLandmarks wanted{{&landmarks}, {}, {-0.1, 0.05, 1.2, 1.1}};
    const std::vector<GreyImage> images = small_images();
    for (const Kind& kind : kinds()) {
        INFO(kind.name);
        const auto cuda = kind.make_cuda({});
        const CascadeScan scan{{1.2, {}, {}}, 1};
        const auto expected = cuda->detect(views_of(images), scan, &wanted);
        std::size_t coordinates = 0;
        for (const CascadeResult& one : expected) coordinates += one.landmarks.size();
        CHECK(coordinates > 0);
        for (int i = 0; i < 3; ++i) {
            const ResidentImages resident(*device, images, i, 3 * i);
            REQUIRE(cuda->detect(resident.batch(), scan, &wanted) == expected);
        }
    }
    // Alone, in images of the same place.
    std::vector<LandmarkTask> faces;
    for (int i = 0; i < 40; ++i) {
        faces.push_back({static_cast<std::uint32_t>(i) % 6, {i % 7 - 2, i % 5, 20 + i % 9, 24 + i % 4}});
    }
    const std::size_t size = faces.size() * 2 * 68;
    std::vector<std::int32_t> expected(size), found(size, -1);
    landmarks.find(views_of(images), faces, expected.data());
    const ResidentImages resident(*device, images, 1, 5);
    landmarks.find(resident.batch(), faces, found.data());
    CHECK(found == expected);
}

TEST_CASE("resident images: several engines of one cascade share a landmark model",
          "[resident][landmark][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const LandmarkModel model = random_landmark_model({68, 4, 2, 20, 40, false, 1}, 4);
    const LandmarkTables tables = make_landmark_tables(model);
    cuda_backend::GpuLandmarks landmarks(model, tables, 0);
    const GroupLandmarks wanted{{&landmarks}, {}, {}};
    const CascadeScan scan{{1.2, {}, {}}, 1};
    for (const Kind& kind : kinds()) {
        INFO(kind.name);
        constexpr int workers = 3;
        std::vector<std::vector<GreyImage>> images(workers);
        std::vector<std::vector<CascadeResult>> expected(workers);
        std::vector<std::unique_ptr<CascadeEngine>> engines;
        for (int w = 0; w < workers; ++w) {
            for (int i = 0; i < 5; ++i) {
                images[w].push_back(
                    smooth_noise(70 + 11 * i, 90 - 7 * i, 3, static_cast<std::uint32_t>(9 * w + i)));
            }
            engines.push_back(kind.make_cuda({}));
            expected[w] = engines[w]->detect(views_of(images[w]), scan, &wanted);
        }
        CHECK(expected[0] != expected[1]);
        std::vector<std::string> problems(workers);
        std::vector<std::thread> threads;
        for (int w = 0; w < workers; ++w) {
            threads.emplace_back([&, w] {
                try {
                    const Device mine = Device::cuda(0);
                    for (int i = 0; i < 8 && problems[w].empty(); ++i) {
                        const ResidentImages resident(mine, images[w], 0, i);
                        if (engines[w]->detect(resident.batch(), scan, &wanted) != expected[w]) {
                            problems[w] = "other findings in round " + std::to_string(i);
                        }
                    }
                } catch (const std::exception& error) {
                    problems[w] = error.what();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const std::string& problem : problems) CHECK(problem == "");
    }
}

TEST_CASE("resident images: of several GPUs, the one that has them detects", "[resident][cuda][cuda-small]") {
    const auto device = gpu();
    if (!device) return;
    const std::vector<GreyImage> images = small_images();
    const MctCascade cascade = permissive_mct_cascade();
    const CascadeScan scan{{1.2, {}, {}}, 1};
    const auto expected = make_cpu_engine(cascade)->detect(views_of(images), scan);
    for (const auto& gpus : sharing_gpus()) {
        CAPTURE(gpus);
        const auto engine = make_cuda_engine(cascade, gpus);
        CHECK(engine->gpus() == gpus);
        for (const int gpu : gpus) {
            const ResidentImages resident(Device::cuda(gpu), images);
            REQUIRE(first_difference(expected, engine->detect(resident.batch(), scan)) == "");
        }
        CHECK_THROWS_AS(engine->detect({std::vector<GreyView>{}, 99}, {}), std::logic_error);
    }
}
