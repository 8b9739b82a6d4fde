// MCT cascades on a GPU against the CPU: windows, groups and traces equal in every bit. Cases tagged
// [cuda-small] are few and small enough for compute-sanitizer.

#include <algorithm>
#include <iostream>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "kernels/engine/engine.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "kernels/mct/pyramid.hpp"
#include "tests/lab/optimisations.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mct_cascades.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

constexpr ScanParameters usual{1.15, {}, {}};

class MctBackends : public BackendsOf<MctCascade> {
  public:
    using BackendsOf::BackendsOf;

    /// \return windows that pass at least one look-up.
    std::size_t require_equal_traces(GreyView image, const ScanParameters& parameters) const {
        INFO(image.width << "x" << image.height << ", factor " << parameters.scale_factor << ", start scale "
                         << parameters.start_scale << ", step " << parameters.step);
        const WindowTrace expected = cpu().trace(image, parameters);
        const WindowTrace found = cuda().trace(image, parameters);
        REQUIRE(expected.levels.size() == found.levels.size());
        std::size_t passed = 0;
        for (std::size_t i = 0; i < expected.levels.size(); ++i) {
            const WindowTrace::Level& e = expected.levels[i];
            const WindowTrace::Level& f = found.levels[i];
            REQUIRE(e.windows_per_row == f.windows_per_row);
            REQUIRE(e.window_rows == f.window_rows);
            REQUIRE(e.stages_passed.size() == f.stages_passed.size());
            for (std::size_t w = 0; w < e.stages_passed.size(); ++w) {
                passed += e.stages_passed[w] > 0 ? 1 : 0;
                if (e.stages_passed[w] == f.stages_passed[w] && e.last_sums[w] == f.last_sums[w]) continue;
                FAIL("level " << i << ", column " << w % e.windows_per_row << ", row "
                              << w / e.windows_per_row << ": expected " << e.stages_passed[w]
                              << " look-ups, sum " << e.last_sums[w] << ", found " << f.stages_passed[w]
                              << ", sum " << f.last_sums[w]);
            }
        }
        return passed;
    }
};

/// Thresholds so that the windows of an image fall away as `survival` says.
MctCascade calibrated(MctCascade cascade, Survival survival = trained_survival) {
    const GreyImage image = smooth_noise(320, 240, 3, 77);
    const std::vector<PyramidLevel> levels = mct_levels({image.width, image.height}, usual);
    calibrate_mct(cascade, image.view(), levels, survival, 4000, 78);
    return cascade;
}

/// A cascade of each shape that there is.
std::vector<std::pair<std::string, MctCascade>> kinds_of_cascades() {
    return {{"coarse and fine", calibrated(random_mct_cascade(20, 300, 1))},
            {"few of each", calibrated(random_mct_cascade(3, 4, 2), even_survival)},
            {"fine only", calibrated(random_mct_cascade(0, 90, 3), even_survival)},
            {"pixels only", calibrated(random_mct_cascade(0, 40, 4, true), even_survival)},
            {"coarse only", calibrated(random_mct_cascade(17, 0, 5), even_survival)},
            {"many coarse", calibrated(random_mct_cascade(128, 100, 6), even_survival)},
            {"one look-up", calibrated(random_mct_cascade(0, 1, 7), even_survival)},
            {"stages", calibrated(staged_mct_cascade({10, 20, 40, 80, 200}, 8), even_survival)},
            {"stages across a warp's look-ups",
             calibrated(staged_mct_cascade({33, 1, 31, 40}, 9), even_survival)}};
}

// Sizes around those of windows, cells, tiles of windows and tiles of levels; some without any window.
std::vector<GreyImage> mixed_images() {
    std::vector<GreyImage> images;
    constexpr Size sizes[] = {{1, 1},    {24, 24}, {300, 1}, {23, 200}, {160, 120}, {25, 24},
                              {24, 25},  {63, 64}, {87, 55}, {88, 56},  {116, 54},  {117, 79},
                              {65, 129}, {48, 47}, {49, 49}, {129, 65}, {233, 109}};
    std::uint32_t seed = 1;
    for (const Size size : sizes) images.push_back(smooth_noise(size.width, size.height, 2, seed++));
    return images;
}

}  // namespace

TEST_CASE("mct on a GPU: every kind of cascade finds what it finds on the CPU", "[mct][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    for (const auto& [name, cascade] : kinds_of_cascades()) {
        INFO(name);
        const MctBackends backends(cascade);
        CHECK(count_findings(backends.require_equal_findings(views, {usual, 0})) > 0);
        for (const int min_neighbors : {1, 3}) {
            backends.require_equal_findings(views, {usual, min_neighbors});
        }
        backends.require_equal_findings(views, {{1.1, {30, 30}, {90, 80}}, 0});
        backends.require_equal_findings(views, {{2, {}, {}}, 0});
        for (const std::size_t index : {std::size_t{4}, std::size_t{11}}) {
            CHECK(backends.require_equal_traces(views[index], usual) > 100);
        }
    }
}

TEST_CASE("mct on a GPU: steps and start scales", "[mct][cuda]") {
    if (!gpu()) return;
    const GreyImage image = smooth_noise(171, 133, 2, 21);
    const GreyImage other = smooth_noise(90, 62, 3, 22);
    const std::vector<GreyView> views{image.view(), other.view()};
    for (const auto& cascade :
         {calibrated(random_mct_cascade(12, 60, 23)), calibrated(random_mct_cascade(0, 60, 24))}) {
        const MctBackends backends(cascade);
        for (const int step : {1, 2, 3, 4, 5, 7, 64}) {
            for (const double start_scale : {0.37, 0.5, 0.9, 1.0, 1.7, 2.0, 2.5}) {
                const ScanParameters parameters{1.3, {}, {}, start_scale, step};
                backends.require_equal_findings(views, {parameters, 0});
                if (step <= 3) backends.require_equal_traces(views[1], parameters);
            }
            backends.require_equal_findings(views, {{1.15, {}, {}, 1, step}, 1});
        }
    }
}

TEST_CASE("mct on a GPU: thresholds at the ends of their range", "[mct][cuda][cuda-small]") {
    if (!gpu()) return;
    const GreyImage image = smooth_noise(70, 60, 2, 31);
    const GreyView view = image.view();
    // All windows pass everything, with margins beyond 2^31.
    for (const auto& cascade : {random_mct_cascade(4, 70, 32), random_mct_cascade(3, 0, 33)}) {
        const MctBackends backends(cascade);
        REQUIRE(cascade.lookups.back().reject_above == std::numeric_limits<std::int32_t>::max());
        CHECK(count_findings(backends.require_equal_findings({&view, 1}, {usual, 0})) > 1000);
        CHECK(count_findings(backends.require_equal_findings({&view, 1}, {usual, 2})) > 0);
        backends.require_equal_traces(view, usual);
    }
    // None does; and the smallest and largest weights throughout, whose sums are the widest.
    for (const int weight : {-128, 127}) {
        for (const std::int32_t threshold : {std::numeric_limits<std::int32_t>::min(), -1, 0}) {
            MctCascade cascade = random_mct_cascade(128, 400, 34);
            std::fill(cascade.weights.begin(), cascade.weights.end(), static_cast<std::int8_t>(weight));
            cascade.lookups.back().reject_above = threshold;
            const MctBackends backends(cascade);
            const bool passes = weight < 0 && threshold > std::numeric_limits<std::int32_t>::min();
            const auto found = backends.require_equal_findings({&view, 1}, {{1.5, {}, {}}, 0});
            CHECK((count_findings(found) > 0) == passes);
            backends.require_equal_traces(view, {1.5, {}, {}});
        }
    }
}

TEST_CASE("mct on a GPU: a batch finds what its images find alone", "[mct][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    const MctBackends backends(calibrated(random_mct_cascade(10, 80, 41), even_survival));
    for (const int min_neighbors : {0, 1}) {
        const CascadeScan scan{usual, min_neighbors};
        const auto whole = backends.require_equal_findings(views, scan);
        CHECK(count_findings(whole) > 10);
        std::vector<CascadeResult> alone;
        for (const GreyView& view : views) alone.push_back(backends.cuda().detect(view, scan).at(0));
        CHECK(first_difference(whole, alone) == "");
        std::vector<GreyView> reversed(views.rbegin(), views.rend());
        auto from_behind = backends.cuda().detect(reversed, scan);
        std::reverse(from_behind.begin(), from_behind.end());
        CHECK(first_difference(whole, from_behind) == "");
        // More images than one part of a batch holds.
        std::vector<GreyView> repeated;
        for (int i = 0; i < 18; ++i) repeated.insert(repeated.end(), views.begin(), views.end());
        const auto many = backends.cuda().detect(repeated, scan);
        for (std::size_t first = 0; first < many.size(); first += views.size()) {
            CHECK(first_difference(whole, std::span(many).subspan(first, views.size())) == "");
        }
    }
    CHECK(backends.cuda().detect({}, {}).empty());
    const std::vector<GreyView> none{views[0], views[2], views[3]};
    CHECK(count_findings(backends.require_equal_findings(none, {usual, 0})) == 0);
    CHECK(backends.cuda().trace(views[0], usual).levels.empty());
}

TEST_CASE("mct on a GPU: repeated shapes, streams and variants", "[mct][cuda]") {
    if (!gpu()) return;
    const MctCascade cascade = calibrated(random_mct_cascade(8, 60, 51), even_survival);
    for (const char* without : {"", "graphs", "pinned", "streams"}) {
        INFO("without '" << without << "'");
        const EngineOptions variant = *without == '\0' ? EngineOptions{} : without_optimisation({}, without);
        const MctBackends backends(cascade, {0}, variant);
        for (std::uint32_t seed = 0; seed < 5; ++seed) {
            const std::vector<GreyImage> images{smooth_noise(150, 90, 2, seed),
                                                smooth_noise(90, 61, 2, seed)};
            CHECK(count_findings(backends.require_equal_findings(views_of(images), {usual, 1})) > 0);
            // The same bytes of images and tables, another shape.
            const std::vector<GreyImage> turned{smooth_noise(90, 150, 2, seed),
                                                smooth_noise(61, 90, 2, seed)};
            backends.require_equal_findings(views_of(turned), {usual, 1});
        }
        const bool replays = *without == '\0' || std::string(without) == "streams";
        CHECK((backends.cuda().counters().graph_replays > 0) == replays);
        CHECK(backends.cuda().counters().images == 20);
    }
}

TEST_CASE("mct on a GPU: more windows pass than any buffer was made for", "[mct][cuda]") {
    if (!gpu()) return;
    const MctBackends backends(random_mct_cascade(2, 3, 61));
    const GreyImage small = smooth_noise(60, 50, 2, 62);
    const GreyImage large = smooth_noise(220, 170, 2, 63);
    const std::vector<GreyView> batch{small.view(), large.view(), small.view()};
    backends.require_equal_findings({batch.data(), 1}, {usual, 0});
    CHECK(count_findings(backends.require_equal_findings(batch, {usual, 0})) > 50'000);
    CHECK(backends.cuda().counters().repeats > 0);
    backends.require_equal_findings({batch.data(), 1}, {usual, 2});
}

TEST_CASE("mct on a GPU: octaves beyond those of the first launch", "[mct][cuda]") {
    if (!gpu()) return;
    // Windows of 24·64 pixels and more: octaves 6 and 7.
    const GreyImage image = smooth_noise(3301, 3203, 5, 71);
    const GreyView view = image.view();
    const MctBackends backends(calibrated(random_mct_cascade(4, 8, 72), even_survival));
    for (const double start : {30.0, 64.0, 100.0, 128.0}) {
        const CascadeScan scan{{1.3, {}, {}, start, 1}, 0};
        CHECK(!backends.cuda().levels({view.width, view.height}, scan.parameters).empty());
        backends.require_equal_findings({&view, 1}, scan);
        backends.require_equal_traces(view, scan.parameters);
    }
}

TEST_CASE("mct on a GPU: pixels beside an image are neither used nor changed", "[mct][cuda][cuda-small]") {
    if (!gpu()) return;
    const GreyImage image = smooth_noise(61, 45, 2, 81);
    const MctBackends backends(calibrated(random_mct_cascade(5, 20, 82), even_survival));
    const CascadeScan scan{usual, 0};
    const GreyView tight = image.view();
    const auto expected = backends.require_equal_findings({&tight, 1}, scan);
    CHECK(count_findings(expected) > 0);
    constexpr int border = 7;
    for (const std::uint8_t guard : {std::uint8_t{0}, std::uint8_t{255}}) {
        const int stride = image.width + 2 * border;
        std::vector<std::uint8_t> pixels(
            static_cast<std::size_t>(stride) * static_cast<std::size_t>(image.height + 2 * border), guard);
        std::uint8_t* const corner = pixels.data() + border * stride + border;
        for (int y = 0; y < image.height; ++y) std::copy_n(tight.row(y), image.width, corner + y * stride);
        const std::vector<std::uint8_t> before = pixels;
        const GreyView framed{corner, image.width, image.height, stride};
        CHECK(first_difference(expected, backends.cuda().detect(framed, scan)) == "");
        backends.require_equal_traces(framed, usual);
        CHECK(pixels == before);
    }
}

TEST_CASE("mct on a GPU: every kind of cascade on a few small images", "[mct][cuda][cuda-small]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images{smooth_noise(70, 58, 2, 91), smooth_noise(24, 24, 2, 92),
                                        noise(1, 1, 93), smooth_noise(37, 61, 2, 94)};
    const std::vector<GreyView> views = views_of(images);
    for (const auto& [name, cascade] : kinds_of_cascades()) {
        INFO(name);
        const MctBackends backends(cascade);
        backends.require_equal_findings(views, {usual, 0});
        backends.require_equal_findings(views, {usual, 1});
        backends.require_equal_traces(views[0], usual);
    }
}

TEST_CASE("mct on a GPU: engines of several cascades live side by side", "[mct][cuda]") {
    if (!gpu()) return;
    std::vector<std::unique_ptr<MctBackends>> all;
    for (auto& [name, cascade] : kinds_of_cascades()) all.push_back(std::make_unique<MctBackends>(cascade));
    const GreyImage image = smooth_noise(120, 90, 2, 101);
    const GreyView view = image.view();
    for (int round = 0; round < 2; ++round) {
        for (const auto& backends : all) backends->require_equal_findings({&view, 1}, {usual, 0});
    }
}

TEST_CASE("mct on a GPU: several GPUs find what one finds", "[mct][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    const GreyImage large = noise(5000, 3600, 111);
    const GreyView large_view = large.view();
    const MctCascade cascade = calibrated(random_mct_cascade(15, 60, 112));
    for (const auto& gpus : sharing_gpus()) {
        const MctBackends backends(cascade, gpus);
        for (const int min_neighbors : {0, 1}) {
            backends.require_equal_findings(views, {usual, min_neighbors});
            // Shared by its levels.
            backends.require_equal_findings({&large_view, 1}, {usual, min_neighbors});
        }
    }
}

TEST_CASE("mct on a GPU: photograph-sized images of the shipped model's shape", "[mct][cuda]") {
    if (!gpu()) return;
    const MctBackends backends(calibrated(random_mct_cascade(24, 900, 121)));
    const std::vector<GreyImage> images{smooth_noise(1280, 720, 3, 122), smooth_noise(641, 479, 2, 123)};
    const std::vector<GreyView> views = views_of(images);
    CHECK(count_findings(backends.require_equal_findings(views, {usual, 0})) > 0);
    backends.require_equal_findings(views, {usual, 2});
}

TEST_CASE("mct on a GPU: measuring times what was asked for", "[mct][cuda]") {
    if (!gpu()) return;
    const MctBackends backends(calibrated(random_mct_cascade(6, 40, 131)));
    const GreyImage image = smooth_noise(320, 240, 2, 132);
    const std::vector<GreyView> views(3, image.view());
    const EngineTimes times = backends.cuda().measure(views, {usual, 3}, 4);
    for (const auto* list : {&times.upload_ms, &times.preprocessing_ms, &times.scan_ms, &times.grouping_ms,
                             &times.download_ms, &times.resident_ms, &times.total_ms, &times.pinned_ms}) {
        CHECK(list->size() == 4);
    }
    CHECK(*std::min_element(times.resident_ms.begin(), times.resident_ms.end()) > 0);
    backends.require_equal_findings(views, {usual, 0});
}

TEST_CASE("mct on a GPU: a cascade that breaks the order of planes is refused", "[mct][cuda]") {
    if (!gpu()) return;
    MctCascade cascade = random_mct_cascade(1, 1, 141);
    std::swap(cascade.lookups[0], cascade.lookups[1]);
    const std::vector<int> gpus{0};
    CHECK_THROWS_AS(make_cuda_engine(cascade, gpus), std::invalid_argument);
}

// Figures for the size that the README speaks of; hidden, as they say nothing where others use the GPU too.
TEST_CASE("mct on a GPU: times of 1080p images", "[.][mct-figures]") {
    if (!gpu()) return;
    const GreyImage image = smooth_noise(1920, 1080, 3, 151);
    MctCascade cascade = random_mct_cascade(24, 900, 152);
    const std::vector<PyramidLevel> levels = mct_levels({image.width, image.height}, usual);
    calibrate_mct(cascade, image.view(), levels, trained_survival, 100'000, 153);
    MctCascade staged = staged_mct_cascade({10, 20, 40, 80, 484}, 154);
    calibrate_mct(staged, image.view(), levels, trained_survival, 20'000, 155);
    std::size_t windows = 0;
    for (const PyramidLevel& level : levels) windows += static_cast<std::size_t>(level.columns) * level.rows;
    const auto median = [](std::vector<double> times) {
        REQUIRE_FALSE(times.empty());
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        return times[times.size() / 2];
    };
    for (const auto& [name, one] : {std::pair{"soft", &cascade}, std::pair{"staged", &staged}}) {
        const MctBackends backends(*one);
        const GreyView view = image.view();
        const auto found = backends.require_equal_findings({&view, 1}, {usual, 3});
        for (const std::size_t batch : {std::size_t{1}, std::size_t{32}}) {
            const std::vector<GreyView> views(batch, view);
            const EngineTimes times = backends.cuda().measure(views, {usual, 3}, 30);
            std::cout << name << ", " << levels.size() << " levels, " << windows << " windows, batch of "
                      << batch << ", microseconds an image:";
            for (const auto& [part, list] :
                 {std::pair{"upload", &times.upload_ms}, std::pair{"preprocessing", &times.preprocessing_ms},
                  std::pair{"scan", &times.scan_ms}, std::pair{"grouping", &times.grouping_ms},
                  std::pair{"download", &times.download_ms}, std::pair{"resident", &times.resident_ms},
                  std::pair{"pinned", &times.pinned_ms}, std::pair{"total", &times.total_ms}}) {
                std::cout << " " << part << " " << 1000 * median(*list) / static_cast<double>(batch);
            }
            std::cout << "; " << count_findings(found) << " groups\n";
        }
    }
}
