#include "lib/bench/benchmark.hpp"

#include <atomic>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_detector.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "tests/lib/bench/report/sample_benchmark.hpp"
#include "tests/support/edge_scene.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// An engine that finds what the CPU finds, or without the last box, and "takes" a known time: `total_ms` for
// each image of a call.
class KnownEngine : public CascadeEngine {
  public:
    KnownEngine(const Cascade& cascade, double total_ms)
        : engine_(make_cpu_engine(cascade)), total_ms_(total_ms) {}

    std::vector<CascadeResult> detect(const ImageBatch& images, const CascadeScan& scan,
                                      const GroupLandmarks* landmarks) override {
        auto findings = engine_->detect(images, scan, landmarks);
        if (drops_last_of_batches && images.size() > 1) findings.back().groups.pop_back();
        return findings;
    }
    WindowTrace trace(ImageView<const std::uint8_t> image, const ScanParameters& parameters) override {
        return engine_->trace(image, parameters);
    }
    EngineTimes measure(std::span<const ImageView<const std::uint8_t>> images, const CascadeScan&,
                        int repeat) override {
        if (repetitions >= lost_after) throw DeviceError("cuda:0 was lost");
        const double ms = total_ms_ * static_cast<double>(images.size());
        EngineTimes times;
        times.total_ms.assign(static_cast<std::size_t>(repeat), ms);
        times.resident_ms.assign(static_cast<std::size_t>(repeat), ms / 2);
        times.pinned_ms.assign(static_cast<std::size_t>(repeat), ms / 5 * 4);
        // For single images alone.
        if (images.size() == 1) times.upload_ms.assign(static_cast<std::size_t>(repeat), ms / 4);
        ++calls;
        repetitions += repeat;
        return times;
    }
    std::vector<PyramidLevel> levels(Size image, const ScanParameters& parameters) const override {
        return engine_->levels(image, parameters);
    }
    std::string device_name() const override { return "cuda:0"; }
    EngineCounters counters() const override { return {}; }

    bool drops_last_of_batches = false;
    int lost_after = std::numeric_limits<int>::max();
    int calls = 0;
    int repetitions = 0;

  private:
    std::unique_ptr<CascadeEngine> engine_;
    double total_ms_;
};

struct Scene {
    Scene() : model(folder.write("edge.xml", edge_cascade())), detector(read_cascade(model)) {
        options.min_neighbors = 1;
        photographs.push_back({"a", image_of(40, 30)});
        photographs.push_back({"b", image_of(60, 44)});
    }

    static GreyImage image_of(int width, int height) {
        GreyImage image{width, height, {}};
        for (int i = 0; i < width * height; ++i) image.pixels.push_back(i % width < width / 2 ? 200 : 40);
        return image;
    }

    BenchmarkSubject subject() const { return {detector, model, options, {}}; }
    std::vector<BenchmarkBackend> host(bool with_opencv) const {
        return make_benchmark_backends(detector, {"cpu", 1, false, with_opencv});
    }
    // A stand-in for a GPU: 4 ms per image, `reduced_ms` without the optimisation of a name.
    BenchmarkBackend gpu(std::map<std::string, double> reduced_ms = {}) const {
        BenchmarkBackend backend;
        backend.info = {BackendInfo::Kind::cuda, 1, 1};
        backend.engine = std::make_shared<KnownEngine>(detector.cascade(), 4);
        backend.remake = [this, reduced_ms](const EngineOptions& variant) {
            for (const auto& [name, ms] : reduced_ms) {
                if (variant == without_optimisation({}, name)) {
                    return std::make_unique<KnownEngine>(detector.cascade(), ms);
                }
            }
            throw std::logic_error("a variant that nobody asked for");
        };
        return backend;
    }

    TempDir folder;
    std::filesystem::path model;
    CascadeDetector detector;
    DetectorOptions options;
    std::vector<Photograph> photographs;
};

DetectionBenchmarkRequest three_repetitions() {
    DetectionBenchmarkRequest request;
    request.repetitions = {3, 3, 0};
    request.threads = 1;
    return request;
}

}  // namespace

TEST_CASE("a benchmark measures every backend as often as asked for, in turns", "[bench]") {
    const Scene scene;
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
    const Scene scene;
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
    const Scene scene;
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
    const Scene scene;
    BenchmarkBackend gpu = scene.gpu();
    dynamic_cast<KnownEngine&>(*gpu.engine).drops_last_of_batches = true;
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
    const Scene scene;
    std::vector<BenchmarkBackend> backends = scene.host(false);
    backends.push_back(scene.gpu());
    dynamic_cast<KnownEngine&>(*backends[1].engine).lost_after = 3 * 2;  // one by one, not in a batch
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, backends, three_repetitions(), {});
    REQUIRE(benchmark.failures.size() == 1);
    CHECK_THAT(benchmark.failures[0], Contains("cannot measure CUDA") && Contains("cuda:0 was lost"));
    REQUIRE(benchmark.measurements.size() == 2);
    CHECK(benchmark.measurements[1].backend.kind == BackendInfo::Kind::cuda);
    CHECK(benchmark.measurements[1].batch == 1);
}

TEST_CASE("an optimisation's factor is the time without it over that with it", "[bench]") {
    const Scene scene;
    DetectionBenchmarkRequest request = three_repetitions();
    request.cuda_batch = 1;
    request.without = {"graphs", "compaction"};
    const BenchmarkBackend gpu = scene.gpu({{"graphs", 6}, {"compaction", 3}});
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, {gpu}, request, {});
    REQUIRE(benchmark.variants.size() == 2);
    CHECK(benchmark.variants[0].optimisation == "graphs");
    CHECK(benchmark.variants[0].with.ms_per_image.total_ms.size() == 3);
    CHECK(benchmark.variants[0].without_ms_per_image.total_ms.size() == 3);
    CHECK(variant_factor(benchmark.variants[0]) == 1.5);
    CHECK(variant_factor(benchmark.variants[1]) == 0.75);
    CHECK(variant_factor(benchmark.variants[1], &EngineTimes::scan_ms) == 0);
    CHECK_THROWS_WITH(
        run_detection_benchmark(scene.subject(), scene.photographs, scene.host(false), request, {}),
        Contains("--variant") && Contains("no GPU"));
}

TEST_CASE("rejections are counted for every size", "[bench]") {
    const Scene scene;
    DetectionBenchmarkRequest request = three_repetitions();
    request.repetitions = {1, 1, 0};
    request.rejections = true;
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, scene.host(false), request, {});
    REQUIRE(benchmark.sizes[0].rejections.has_value());
    const RejectionLevel total = benchmark.sizes[0].rejections->total();
    CHECK(static_cast<double>(total.windows) == benchmark.sizes[0].windows);
    CHECK(total.visited < total.windows);
    CHECK(total.flat + total.rejected.at(0) + total.rejected.at(1) + total.passed == total.visited);
    CHECK(total.passed > 0);
    // Two stages of one stump: what the first one lets through is evaluated twice.
    CHECK(total.weak_classifiers == total.rejected[0] + 2 * (total.rejected[1] + total.passed));
    CHECK(benchmark.sizes[0].rejections->levels().size() ==
          cascade_levels({60, 44}, {20, 20}, {}).size());  // the smaller photograph's are among them
}

TEST_CASE("rejections of several images add up by scale", "[bench]") {
    const RejectionTable table = sample_rejections();
    REQUIRE(table.levels().size() == 2);
    const RejectionLevel& fine = table.levels()[0];
    CHECK(fine.windows == 1200);
    CHECK(fine.visited == 1000);
    CHECK(fine.flat == 400);
    CHECK(fine.rejected == std::vector<std::int64_t>{500, 90, 0});
    CHECK(fine.passed == 10);
    CHECK(fine.weak_classifiers == 500 * 3 + 90 * 8 + 10 * 18);
    CHECK(fine.weak_classifiers_per_window() == 2.4);
    CHECK(table.total().visited == 1100);
    CHECK(table.total().rejected == std::vector<std::int64_t>{500, 90, 90});
    CHECK(RejectionLevel{}.share(0) == 0);

    RejectionTable broken;
    const std::vector<int> stages{1};
    PyramidLevel level;
    WindowTrace trace;
    CHECK_THROWS_AS(broken.add(stages, {&level, 1}, trace), std::invalid_argument);
    trace.levels.resize(1);
    trace.levels[0].stages_passed = {2};
    CHECK_THROWS_AS(broken.add(stages, {&level, 1}, trace), std::invalid_argument);
}

TEST_CASE("repetitions end with their number, their budget or an interruption", "[bench]") {
    CHECK_FALSE(Repetitions{5, 3, 0}.enough(4, 1e9));
    CHECK(Repetitions{5, 3, 0}.enough(5, 0));
    CHECK_FALSE(Repetitions{5, 3, 100}.enough(2, 200));
    CHECK(Repetitions{5, 3, 100}.enough(3, 200));
    CHECK_FALSE(Repetitions{5, 3, 100}.enough(4, 50));

    const Scene scene;
    KnownEngine engine(scene.detector.cascade(), 2);
    const std::vector<ImageViews> groups{{scene.photographs[0].image.view()},
                                         {scene.photographs[1].image.view()}};
    const auto never = [] { return false; };
    CHECK(measure_groups(engine, groups, {}, {7, 7, 0}, never).total_ms == std::vector<double>(7, 2));
    CHECK(engine.repetitions == 14);
    const auto always = [] { return true; };
    CHECK(measure_groups(engine, groups, {}, {7, 7, 0}, always).total_ms.size() == 1);

    KnownEngine other(scene.detector.cascade(), 3);
    engine.calls = engine.repetitions = 0;
    const PairedTimes paired = measure_in_turns(engine, other, groups, {}, {8, 8, 0}, never);
    CHECK(paired.first.total_ms == std::vector<double>(8, 2));
    CHECK(paired.second.total_ms == std::vector<double>(8, 3));
    CHECK(engine.calls >= 8);  // four pieces or more, of two groups each
    CHECK(engine.repetitions == other.repetitions);
}

TEST_CASE("a cancelled benchmark keeps the repetition in flight", "[bench]") {
    const Scene scene;
    std::atomic<bool> cancel{true};
    RunHooks hooks;
    hooks.cancel = &cancel;
    DetectionBenchmarkRequest request = three_repetitions();
    request.sizes = {{80, 60}, {50, 50}};
    request.rejections = true;
    const DetectionBenchmark benchmark =
        run_detection_benchmark(scene.subject(), scene.photographs, scene.host(true), request, hooks);
    CHECK(benchmark.interrupted);
    REQUIRE(benchmark.measurements.size() == 2);
    CHECK(benchmark.measurements[0].ms_per_image.total_ms.size() == 1);
    CHECK(benchmark.measurements[1].ms_per_image.total_ms.size() == 1);
    CHECK(benchmark.sizes.size() == 1);
    CHECK_FALSE(benchmark.sizes[0].rejections.has_value());
}

TEST_CASE("backends follow from the device, the threads and the matrix", "[bench]") {
    const Scene scene;
    const auto names = [&](const BackendRequest& request) {
        std::vector<std::string> list;
        for (const BenchmarkBackend& backend : make_benchmark_backends(scene.detector, request)) {
            CHECK((backend.engine == nullptr) == (backend.info.kind == BackendInfo::Kind::opencv));
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

TEST_CASE("optimisations are named once; a wrong name finds its nearest", "[bench]") {
    CHECK(resolve_variants({"graphs", "pinned", "graphs"}) == std::vector<std::string>{"graphs", "pinned"});
    CHECK(resolve_variants({"all", "graphs"}) == engine_optimisations());
    CHECK(resolve_variants({}).empty());
    CHECK_THROWS_WITH(resolve_variants({"compacton"}), Contains("did you mean 'compaction'"));
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
