// The CUDA engine against the CPU's: traces, windows and groups equal in every bit, for every cascade, batch,
// shape and variant. Cases tagged [cuda-small] are few and small enough for compute-sanitizer.

#include "kernels/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <thread>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "tests/kernels/engine/engine_cases.hpp"
#include "tests/lab/optimisations.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/images.hpp"
#include "tests/support/parity_images.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("engine: every cascade finds on a GPU what it finds on the CPU", "[engine][cuda]") {
    if (!gpu()) return;
    const auto cascades = debian_cascades();
    REQUIRE_FALSE(cascades.empty());
    std::vector<GreyImage> images;
    for (NamedImage& image : parity_images()) images.push_back(std::move(image.image));
    const std::vector<GreyView> views = views_of(images);
    const std::vector<GreyView> some{views.front(), views.back()};
    std::size_t windows = 0;
    std::size_t groups = 0;
    for (const auto& path : cascades) {
        INFO(path.string());
        const Backends backends(named_cascade(path.string()));
        const auto compare = [&](std::span<const GreyView> batch, const ScanParameters& parameters,
                                 int min_neighbors) {
            windows += count_findings(backends.require_equal_findings(batch, {parameters, 0}));
            groups += count_findings(backends.require_equal_findings(batch, {parameters, min_neighbors}));
        };
        for (const double factor : {1.1, 1.15, std::sqrt(2.0), 2.0}) {
            compare(views, {factor, {}, {}}, factor > 1.2 ? 1 : 2);
        }
        compare(some, {1.05, {}, {}}, 3);
        compare(some, {1.2, {30, 30}, {90, 80}}, 2);
        compare(some, {1.2, {61, 61}, {61, 61}}, 1);
        compare(some, {1000, {}, {}}, 1);
    }
    std::cout << "CUDA against the CPU: " << cascades.size() << " cascades, " << windows << " windows, "
              << groups << " groups, 0 differences\n";
    CHECK(windows > 5000);
    CHECK(groups > 500);
}

TEST_CASE("engine: what becomes of every window is the same on a GPU", "[engine][cuda]") {
    if (!gpu()) return;
    std::size_t evaluated = 0;
    const std::vector<NamedImage> images = parity_images();
    for (const auto& path : debian_cascades()) {
        const Backends backends(named_cascade(path.string()));
        for (const NamedImage& image : images) {
            if (image.image.width > 320 || image.image.height > 300) continue;
            INFO(path.string() << ", " << image.name);
            evaluated += backends.require_equal_traces(image.image.view(), {1.2, {}, {}});
        }
        INFO(path.string());
        evaluated += backends.require_equal_traces(images[0].image.view(), {1.05, {30, 30}, {90, 80}});
    }
    std::cout << "CUDA against the CPU: traces of " << evaluated << " windows, 0 differences\n";
    CHECK(evaluated > 1'000'000);
}

TEST_CASE("engine: a batch finds what its images find alone", "[engine][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    for (const auto& [name, cascade] : kinds_of_cascades()) {
        INFO(name);
        const Backends backends(cascade);
        for (const int min_neighbors : {0, 1}) {
            const CascadeScan scan{{1.15, {}, {}}, min_neighbors};
            const auto whole = backends.require_equal_findings(views, scan);
            CHECK(count_findings(whole) > 20);
            std::vector<CascadeResult> alone;
            for (const GreyView& view : views) {
                alone.push_back(backends.cuda().detect(view, scan).at(0));
            }
            CHECK(first_difference(whole, alone) == "");
            // In the other order, and the same images several times over.
            std::vector<GreyView> reversed(views.rbegin(), views.rend());
            auto from_behind = backends.cuda().detect(reversed, scan);
            std::reverse(from_behind.begin(), from_behind.end());
            CHECK(first_difference(whole, from_behind) == "");
            std::vector<GreyView> repeated;
            for (int i = 0; i < 5; ++i) repeated.insert(repeated.end(), views.begin(), views.end());
            backends.require_equal_findings(repeated, scan);
        }
        CHECK(backends.cuda().detect({}, {}).empty());
        // Nothing but images without a window.
        const std::vector<GreyView> none{views[0], views[2], views[3]};
        CHECK(count_findings(backends.require_equal_findings(none, {})) == 0);
    }
}

TEST_CASE("engine: no optimisation changes what is found", "[engine][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    const CascadeScan raw{{1.1, {}, {}}, 0};
    const CascadeScan grouped{{1.1, {}, {}}, 2};
    for (const auto& [kind, cascade] : kinds_of_cascades()) {
        for (const auto& [name, variant] : variants()) {
            INFO(kind << ", " << name);
            const Backends backends(cascade, {0}, variant);
            CHECK(count_findings(backends.require_equal_findings(views, raw)) > 50);
            backends.require_equal_findings(views, grouped);
            backends.require_equal_traces(views[9], {1.1, {}, {}});
        }
    }
    for (const auto& [name, variant] : variants()) {
        INFO("whole cascade, " << name);
        const Backends backends(named_cascade("haarcascade_frontalface_default"), {0}, variant);
        backends.require_equal_findings({&views[4], 1}, raw);
        backends.require_equal_traces(views[4], {1.3, {}, {}});
    }
}

TEST_CASE("engine: repeated calls and changing shapes find the same", "[engine][cuda]") {
    if (!gpu()) return;
    const Backends backends(first_stages(named_cascade("haarcascade_frontalface_alt2"), 3));
    const CascadeScan scan{{1.2, {}, {}}, 1};
    // The same shape with other pixels, at other addresses.
    for (std::uint32_t seed = 0; seed < 6; ++seed) {
        const std::vector<GreyImage> images{smooth_noise(200, 150, 5, seed), smooth_noise(90, 60, 5, seed)};
        CHECK(count_findings(backends.require_equal_findings(views_of(images), scan)) > 0);
    }
    CHECK(backends.cuda().counters().graph_replays > 0);
    CHECK(backends.cuda().counters().images == 12);
    // Shapes and parameters that come back after others.
    const std::vector<GreyImage> images = mixed_images();
    for (int round = 0; round < 3; ++round) {
        for (const std::size_t index : {std::size_t{4}, std::size_t{8}, std::size_t{13}, std::size_t{0}}) {
            const std::vector<GreyView> one{images[index].view()};
            backends.require_equal_findings(one, scan);
            backends.require_equal_findings(one, {{1.2, {}, {}}, 0});
            backends.require_equal_findings(one, {{1.2, {40, 40}, {}}, 1});
            backends.require_equal_findings(one, {{1.5, {}, {100, 100}}, 3});
        }
    }
    const auto off = without_optimisation({}, "graphs");
    const Backends without(first_stages(named_cascade("lbpcascade_frontalface"), 3), {0}, off);
    for (int i = 0; i < 3; ++i) without.require_equal_findings({}, scan);
    const GreyView view = images[4].view();
    for (int i = 0; i < 3; ++i) without.require_equal_findings({&view, 1}, scan);
    CHECK(without.cuda().counters().graph_replays == 0);
}

TEST_CASE("engine: more windows pass than any buffer was made for", "[engine][cuda]") {
    if (!gpu()) return;
    const GreyImage large = noise(1280, 720, 3);
    const GreyImage small = smooth_noise(150, 110, 4, 4);
    const GreyView large_view = large.view();
    for (const char* name : {"haarcascade_frontalface_alt", "lbpcascade_frontalface"}) {
        INFO(name);
        const Backends backends(permissive(first_stages(named_cascade(name), 3)));
        // A small call first, so that buffers are there and must grow.
        const GreyView small_view = small.view();
        backends.require_equal_findings({&small_view, 1}, {{1.1, {}, {}}, 0});
        const auto found = backends.require_equal_findings({&large_view, 1}, {{1.1, {}, {}}, 0});
        CHECK(count_findings(found) > 1'000'000);
        CHECK(backends.cuda().counters().repeats > 0);
        const std::vector<GreyView> batch{small_view, large_view, small_view};
        backends.require_equal_findings(batch, {{1.3, {}, {}}, 0});
        // Grouped: tens of thousands of windows in a few classes.
        CHECK(count_findings(backends.require_equal_findings({&small_view, 1}, {{1.1, {}, {}}, 3})) > 0);
        backends.require_equal_findings({&small_view, 1}, {{2, {}, {}}, 0});
        // The host groups too many windows for comparing all pairs, and says so.
        CHECK(backends.cuda().counters().host_groupings == 0);
        CHECK(count_findings(backends.require_equal_findings({&large_view, 1}, {{1.1, {}, {25, 25}}, 3})) >
              0);
        CHECK(backends.cuda().counters().host_groupings == 1);
        backends.require_equal_findings(batch, {{1.3, {}, {}}, 0});
    }
}

TEST_CASE("engine: engines of several cascades live side by side", "[engine][cuda]") {
    if (!gpu()) return;
    // Cascades of one table, whose tiles take different amounts of memory.
    std::vector<std::unique_ptr<Backends>> all;
    for (const char* name :
         {"haarcascade_frontalface_default", "haarcascade_eye", "haarcascade_frontalface_alt",
          "lbpcascade_silverware", "lbpcascade_frontalface"}) {
        all.push_back(std::make_unique<Backends>(named_cascade(name)));
    }
    const GreyImage image = smooth_noise(320, 240, 6, 18);
    const GreyView view = image.view();
    for (int round = 0; round < 2; ++round) {
        for (const auto& backends : all) backends->require_equal_findings({&view, 1}, {{1.2, {}, {}}, 0});
    }
}

TEST_CASE("engine: pixels beside an image are neither used nor changed", "[engine][cuda][cuda-small]") {
    if (!gpu()) return;
    const GreyImage image = smooth_noise(61, 45, 4, 11);
    const Backends backends(first_stages(named_cascade("haarcascade_frontalface_alt2"), 2));
    const CascadeScan scan{{1.1, {}, {}}, 0};
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
        backends.require_equal_traces(framed, scan.parameters);
        CHECK(pixels == before);
    }
}

TEST_CASE("engine: every kind of cascade and variant on a few small images", "[engine][cuda][cuda-small]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images{smooth_noise(64, 48, 4, 12), smooth_noise(24, 24, 4, 13),
                                        noise(1, 1, 14), smooth_noise(37, 61, 3, 15)};
    const std::vector<GreyView> views = views_of(images);
    for (const auto& [kind, cascade] : kinds_of_cascades()) {
        std::size_t found = 0;
        for (const auto& [name, variant] : variants()) {
            INFO(kind << ", " << name);
            const Backends backends(cascade, {0}, variant);
            found += count_findings(backends.require_equal_findings(views, {{1.2, {}, {}}, 0}));
            backends.require_equal_findings(views, {{1.2, {}, {}}, 1});
            backends.require_equal_findings({views.data(), 1}, {{1.2, {}, {}}, 1});
            backends.require_equal_traces(views[0], {1.2, {}, {}});
        }
        CHECK(found > 0);
    }
    // All windows pass: the late stages and the grouping have work, and buffers are full.
    const Backends backends(permissive(named_cascade("haarcascade_frontalface_alt")));
    CHECK(count_findings(backends.require_equal_findings(views, {{1.1, {}, {}}, 0})) > 100);
    backends.require_equal_findings(views, {{1.1, {}, {}}, 2});
}

TEST_CASE("engine: several threads, with engines of their own and with the same one",
          "[engine][cuda][cuda-small]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images{smooth_noise(120, 90, 4, 16), smooth_noise(75, 131, 4, 17)};
    const std::vector<GreyView> views = views_of(images);
    const CascadeScan scan{{1.2, {}, {}}, 0};
    const Cascade haar = first_stages(named_cascade("haarcascade_frontalface_alt"), 3);
    const Cascade lbp = first_stages(named_cascade("lbpcascade_frontalface"), 3);
    const auto haar_expected = make_cpu_engine(haar)->detect(views, scan);
    const auto lbp_expected = make_cpu_engine(lbp)->detect(views, scan);
    const std::vector<int> gpus{0};
    const auto haar_engine = make_cuda_engine(haar, gpus);
    const auto lbp_engine = make_cuda_engine(lbp, gpus);
    struct Worker {
        CascadeEngine* engine;
        const std::vector<CascadeResult>* expected;
        std::string difference;
    };
    std::vector<Worker> workers{{haar_engine.get(), &haar_expected, {}},
                                {lbp_engine.get(), &lbp_expected, {}},
                                {haar_engine.get(), &haar_expected, {}}};
    std::vector<std::thread> threads;
    for (Worker& worker : workers) {
        threads.emplace_back([&worker, &views, &scan] {
            try {
                for (int i = 0; i < 8 && worker.difference.empty(); ++i) {
                    worker.difference =
                        first_difference(*worker.expected, worker.engine->detect(views, scan));
                }
            } catch (const std::exception& error) {
                worker.difference = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Worker& worker : workers) CHECK(worker.difference == "");
    CHECK(count_findings(haar_expected) > 0);
    CHECK(count_findings(lbp_expected) > 0);
}

TEST_CASE("engine: several GPUs find what one finds", "[engine][cuda]") {
    if (!gpu()) return;
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    for (const auto& gpus : sharing_gpus()) {
        for (const auto& [name, cascade] : kinds_of_cascades()) {
            INFO(name << " on " << gpus.size() << " GPUs, the first is " << gpus[0]);
            const Backends backends(cascade, gpus);
            for (const int min_neighbors : {0, 1}) {
                const CascadeScan scan{{1.15, {}, {}}, min_neighbors};
                backends.require_equal_findings(views, scan);
                backends.require_equal_findings({&views[4], 1}, scan);
                backends.require_equal_findings({&views[1], 1}, scan);
                backends.require_equal_findings({&views[0], 1}, scan);
            }
            backends.require_equal_traces(views[4], {1.15, {}, {}});
        }
    }
    // A large image alone is shared by its levels.
    const GreyImage large = smooth_noise(4000, 2400, 5, 23);
    const GreyView large_view = large.view();
    for (const auto& gpus : sharing_gpus()) {
        for (const char* name : {"lbpcascade_frontalface", "haarcascade_frontalface_alt"}) {
            INFO(name << " on " << gpus.size() << " GPUs, the first is " << gpus[0]);
            const Backends backends(named_cascade(name), gpus);
            for (const int min_neighbors : {0, 1}) {
                backends.require_equal_findings({&large_view, 1}, {{1.15, {}, {}}, min_neighbors});
            }
        }
    }
}

TEST_CASE("engine: several GPUs count images once and are timed as a whole", "[engine][cuda]") {
    if (!gpu()) return;
    const Backends backends(named_cascade("lbpcascade_frontalface"), {0, 0});
    CHECK(backends.cuda().device_name() == "cuda:0,0");
    CHECK(backends.cuda().gpus() == std::vector<int>{0, 0});
    const GreyImage image = smooth_noise(320, 240, 6, 18);
    const std::vector<GreyView> views(3, image.view());
    const EngineTimes times = backends.cuda().measure(views, {}, 4);
    CHECK(times.total_ms.size() == 4);
    CHECK(times.scan_ms.empty());
    const std::size_t before = backends.cuda().counters().images;
    // Sharing by levels counts alike.
    const GreyImage large = smooth_noise(4000, 2400, 5, 23);
    backends.cuda().detect(large.view(), {});
    backends.cuda().detect(views, {});
    CHECK(backends.cuda().counters().images == before + 4);
    CHECK(backends.cuda().detect(ImageBatch{}, {}).empty());
}

TEST_CASE("engine: measuring times what was asked for and leaves the engine as it was", "[engine][cuda]") {
    if (!gpu()) return;
    const Backends backends(named_cascade("haarcascade_frontalface_alt"));
    CHECK(backends.cpu().device_name() == "cpu");
    CHECK(backends.cuda().device_name() == "cuda:0");
    const GreyImage image = smooth_noise(320, 240, 6, 18);
    const std::vector<GreyView> views(3, image.view());
    const EngineTimes times = backends.cuda().measure(views, {}, 4);
    for (const auto* list : {&times.resident_ms, &times.total_ms}) {
        REQUIRE(list->size() == 4);
        CHECK(*std::min_element(list->begin(), list->end()) > 0);
    }
    for (const auto* part : {&times.upload_ms, &times.preprocessing_ms, &times.scan_ms, &times.grouping_ms,
                             &times.download_ms}) {
        CHECK((part->empty() || part->size() == 4));
    }
    backends.require_equal_findings(views, {});
}

TEST_CASE("engine: a GPU that is not there is refused by its name", "[engine][cuda]") {
    if (!gpu()) return;
    const Cascade cascade = named_cascade("lbpcascade_frontalface");
    const std::vector<int> missing{99};
    CHECK_THROWS_AS(make_cuda_engine(cascade, missing), DeviceError);
    CHECK_THROWS_WITH(make_cuda_engine(cascade, missing), Catch::Matchers::Contains("cuda:99"));
}

TEST_CASE("engine: the CPU's batches, counters and times", "[engine]") {
    const std::vector<GreyImage> images = mixed_images();
    const std::vector<GreyView> views = views_of(images);
    const Cascade cascade = first_stages(named_cascade("lbpcascade_frontalface"), 3);
    const auto engine = make_cpu_engine(cascade);
    for (const int min_neighbors : {0, 1}) {
        const CascadeScan scan{{1.2, {}, {}}, min_neighbors};
        const auto whole = engine->detect(views, scan);
        std::vector<CascadeResult> alone;
        for (const GreyView& view : views) alone.push_back(engine->detect(view, scan).at(0));
        CHECK(first_difference(whole, alone) == "");
        CHECK(count_findings(whole) > 20);
    }
    CHECK(engine->counters().images == 4 * images.size());
    CHECK(engine->counters().repeats == 0);
    CHECK(engine->detect({}, {}).empty());
    CHECK(engine->measure({views.data(), 2}, {}, 3).total_ms.size() == 3);
    CHECK_THROWS_AS(without_optimisation({}, "speed"), std::invalid_argument);
    CHECK(engine_optimisations().size() == 10);
}

TEST_CASE("engine: a comparison of findings sees every difference", "[engine]") {
    CascadeResult one;
    one.windows = {{0, 2, 4, 0.5}, {1, 0, 0, 0.0}};
    one.groups = {{{1, 2, 3, 4}, 5, 0.25}};
    const std::vector<CascadeResult> expected{one, {}};
    CHECK(first_difference(expected, expected) == "");
    const auto changed = [&](auto change) {
        std::vector<CascadeResult> found = expected;
        change(found);
        return first_difference(expected, found);
    };
    CHECK(changed([](auto& found) { found.pop_back(); }) == "2 images expected, 1 found");
    CHECK(
        changed([](auto& found) { found[0].windows[1].last_sum = -0.0; }) ==
        "image 0, window 1: expected level 1, x 0, y 0, sum 0, found level 1, x 0, y 0, sum -0 (2 expected, "
        "2 found)");
    CHECK(changed([](auto& found) { found[1].windows.push_back({}); }) != "");
    CHECK(changed([](auto& found) { found[0].windows.pop_back(); }) != "");
    CHECK(changed([](auto& found) { found[0].groups[0].neighbors = 4; }) != "");
    CHECK(changed([](auto& found) { found[0].groups[0].score = std::nextafter(0.25, 1); }) != "");
}
