#include "lib/bench/benchmark.hpp"

#include <atomic>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "lib/core/error.hpp"
#include "tests/lib/bench/bench_scene.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

DetectionBenchmarkRequest three_repetitions() {
    DetectionBenchmarkRequest request;
    request.repetitions = {3, 3, 0};
    request.threads = 1;
    return request;
}

}  // namespace

TEST_CASE("a benchmark measures every backend as often as asked for, in turns", "[bench]") {
    const BenchScene scene;
    DetectionBenchmarkRequest request = three_repetitions();
    request.sizes = {{80, 60}, {50, 50}};
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, scene.host(true), request, {});
    REQUIRE(benchmark.sizes.size() == 2);
    CHECK(benchmark.sizes[0].size == Size{80, 60});
    CHECK(benchmark.sizes[0].images == 2);
    CHECK(benchmark.sizes[0].pixels == 2 * 80 * 60);
    CHECK(benchmark.sizes[0].boxes >= 2);
    double windows = 0;
    for (const PyramidLevel& level : cascade_levels({80, 60}, {20, 20}, {})) {
        windows += level.windows_per_row() * level.window_rows();
    }
    CHECK(windows > 0);
    CHECK(benchmark.sizes[0].windows == 2 * windows);
    REQUIRE(benchmark.measurements.size() == 4);
    CHECK(benchmark.measurements[0].backend.kind == BackendInfo::Kind::cpu);
    CHECK(benchmark.measurements[1].backend.kind == BackendInfo::Kind::opencv);
    CHECK(benchmark.measurements[3].size == 1);
    for (const Measurement& measurement : benchmark.measurements) {
        CHECK(measurement.ms_per_image.total_ms.size() == 3);
        const bool cpu = measurement.backend.kind == BackendInfo::Kind::cpu;
        CHECK(measurement.ms_per_image.preprocessing_ms.size() == (cpu ? 3 : 0));
        CHECK(measurement.ms_per_image.upload_ms.empty());
        CHECK(measurement.ms_per_image.resident_ms.empty());
    }
    CHECK(benchmark.differences.empty());
    CHECK_FALSE(benchmark.interrupted);
}

TEST_CASE("photographs keep their own sizes where none is given", "[bench]") {
    const BenchScene scene;
    const DetectionBenchmark mixed = run_detection_benchmark(scene.subject(), scene.photographs,
                                                             scene.host(false), three_repetitions(), {});
    REQUIRE(mixed.sizes.size() == 1);
    CHECK(mixed.sizes[0].size == Size{0, 0});
    CHECK(size_name(mixed.sizes[0].size) == "as they are");
    CHECK(mixed.sizes[0].pixels == 40 * 30 + 60 * 44);
    const DetectionBenchmark one = run_detection_benchmark(scene.subject(), {scene.photographs[1]},
                                                           scene.host(false), three_repetitions(), {});
    CHECK(one.sizes[0].size == Size{60, 44});
}

TEST_CASE("times are of one image, by one and in batches", "[bench]") {
    const BenchScene scene;
    const BenchmarkBackend gpu = scene.gpu();
    DetectionBenchmarkRequest request = three_repetitions();
    request.cuda_batch = 5;
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, {gpu}, request, {});
    REQUIRE(benchmark.measurements.size() == 2);
    const Measurement& single = benchmark.measurements[0];
    const Measurement& batch = benchmark.measurements[1];
    CHECK(single.batch == 1);
    CHECK(batch.batch == 5);
    CHECK(single.ms_per_image.total_ms == std::vector<double>{4, 4, 4});
    CHECK(batch.ms_per_image.total_ms == std::vector<double>{4, 4, 4});
    CHECK(single.ms_per_image.upload_ms == std::vector<double>{1, 1, 1});
    CHECK(batch.ms_per_image.upload_ms.empty());
    CHECK(frames_per_second(single) == 250);
    CHECK(frames_per_second(single, &EngineTimes::resident_ms) == 500);
    CHECK(frames_per_second(single, &EngineTimes::pinned_ms) == Approx(312.5));
    CHECK(batch.ms_per_image.pinned_ms.size() == 3);
    CHECK(frames_per_second(batch, &EngineTimes::upload_ms) == 0);
    CHECK(speedup_baseline(benchmark, 0) == nullptr);
    CHECK(speedup(benchmark, single) == 0);
}

TEST_CASE("a backend with other boxes is named", "[bench]") {
    const BenchScene scene;
    BenchmarkBackend gpu = scene.gpu();
    scene.engine_of(gpu).drops_last_of_batches = true;
    DetectionBenchmarkRequest request = three_repetitions();
    request.cuda_batch = 4;
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, {gpu}, request, {});
    REQUIRE(benchmark.differences.size() == 1);
    CHECK_THAT(benchmark.differences[0], Contains("CUDA, batch of 4, differ") && Contains("in 1 image"));

    // OpenCV with another cascade: a third stage changes no box, one that nothing passes all of them.
    BenchmarkSubject subject = scene.subject();
    std::vector<Stage> stages{{0.5, {{"<_>0 0 20 20 -1.</_><_>10 0 10 20 2.</_>", -0.6, -1, -1}}}};
    stages.push_back(stages[0]);
    subject.model = scene.folder.write("nothing.xml", haar_cascade_xml({20, 20}, stages));
    const DetectionBenchmark other =
        run_detection_benchmark(subject, scene.photographs, scene.host(true), three_repetitions(), {});
    REQUIRE(other.differences.size() == 1);
    CHECK_THAT(other.differences[0], Contains("OpenCV, 1 thread differ") && Contains("in 2 images"));
}

TEST_CASE("a GPU that is lost takes nothing with it", "[bench]") {
    const BenchScene scene;
    std::vector<BenchmarkBackend> backends = scene.host(false);
    backends.push_back(scene.gpu());
    scene.engine_of(backends[1]).lost_after = 3 * 2;  // one by one, not in a batch
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, backends, three_repetitions(), {});
    REQUIRE(benchmark.failures.size() == 1);
    CHECK_THAT(benchmark.failures[0], Contains("cannot measure CUDA") && Contains("cuda:0 was lost"));
    REQUIRE(benchmark.measurements.size() == 2);
    CHECK(benchmark.measurements[1].backend.kind == BackendInfo::Kind::cuda);
    CHECK(benchmark.measurements[1].batch == 1);
}

TEST_CASE("repetitions end with their number, their budget or an interruption", "[bench]") {
    CHECK_FALSE(Repetitions{5, 3, 0}.enough(4, 1e9));
    CHECK(Repetitions{5, 3, 0}.enough(5, 0));
    CHECK_FALSE(Repetitions{5, 3, 100}.enough(2, 200));
    CHECK(Repetitions{5, 3, 100}.enough(3, 200));
    CHECK_FALSE(Repetitions{5, 3, 100}.enough(4, 50));

    const BenchScene scene;
    KnownEngine engine(scene.detector.cascade(), 2);
    const std::vector<ImageViews> groups{{scene.photographs[0].image.view()},
                                         {scene.photographs[1].image.view()}};
    const auto never = [] { return false; };
    CHECK(measure_groups(engine, groups, {}, {7, 7, 0}, never).total_ms == std::vector<double>(7, 2));
    CHECK(engine.repetitions == 14);
    const auto always = [] { return true; };
    CHECK(measure_groups(engine, groups, {}, {7, 7, 0}, always).total_ms.size() == 1);
}

TEST_CASE("a cancelled benchmark keeps the repetition in flight", "[bench]") {
    const BenchScene scene;
    std::atomic<bool> cancel{true};
    JobHooks hooks;
    hooks.cancel = &cancel;
    DetectionBenchmarkRequest request = three_repetitions();
    request.sizes = {{80, 60}, {50, 50}};
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, scene.host(true), request, hooks);
    CHECK(benchmark.interrupted);
    REQUIRE(benchmark.measurements.size() == 2);
    CHECK(benchmark.measurements[0].ms_per_image.total_ms.size() == 1);
    CHECK(benchmark.measurements[1].ms_per_image.total_ms.size() == 1);
    CHECK(benchmark.sizes.size() == 1);
}

TEST_CASE("backends follow from the device, the threads and the matrix", "[bench]") {
    const BenchScene scene;
    const auto names = [&](const BackendRequest& request) {
        std::vector<std::string> list;
        for (const BenchmarkBackend& backend : make_benchmark_backends(scene.detector, request)) {
            CHECK((backend.detector == nullptr) == backend.info.on_host());
            list.push_back(backend_name(backend.info));
        }
        return list;
    };
    using Names = std::vector<std::string>;
    CHECK(names({"cpu", 3, false, true}) == Names{"CPU, 3 threads", "OpenCV, 3 threads"});
    CHECK(names({"cpu", 3, true, true}) ==
          Names{"CPU, 1 thread", "CPU, 3 threads", "OpenCV, 1 thread", "OpenCV, 3 threads"});
    CHECK(names({"cpu", 1, true, false}) == Names{"CPU, 1 thread"});
    CHECK_THROWS_AS(names({"gpu", 1, true, false}), UsageError);
    CHECK(backend_name({BackendInfo::Kind::cuda, 1, 1}) == "CUDA");
    CHECK(backend_name({BackendInfo::Kind::cuda, 1, 4}) == "CUDA × 4");
    if (cuda_devices().empty()) {
        CHECK_THROWS(names({"cuda", 1, true, false}));
    } else {
        CHECK(names({"cuda", 1, true, false}) == Names{"CPU, 1 thread", "CUDA"});
        CHECK(names({"cuda", 1, false, false}) == Names{"CUDA"});
    }
}

TEST_CASE("photographs that cannot be read are told, sizes that cannot be are refused", "[bench]") {
    const TempDir folder;
    Dataset dataset;
    for (const char* name : {"good.pgm", "bad.pgm"}) {
        Sample sample;
        sample.image = name;
        sample.path = folder.write(name, name[0] == 'g' ? edge_pgm(40, 30) : "P5\n40 30\n255\ncut off");
        dataset.samples.push_back(sample);
    }
    const Photographs photographs = read_photographs(dataset);
    REQUIRE(photographs.images.size() == 1);
    CHECK(photographs.images[0].name == "good.pgm");
    REQUIRE(photographs.unreadable.size() == 1);
    CHECK(photographs.unreadable[0].image == "bad.pgm");
    dataset.samples.erase(dataset.samples.begin());
    CHECK_THROWS_WITH(read_photographs(dataset), Contains("bad.pgm"));
    CHECK_THROWS_AS(check_benchmark_size({0, 60}), UsageError);
    CHECK_THROWS_AS(check_benchmark_size({100000, 100000}), UsageError);
    CHECK_NOTHROW(check_benchmark_size({20000, 20000}));
}
