// The pipeline with devices that fail or differ.

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/json/json.hpp"
#include "lib/verify/verification.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/engine_fakes.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

const DetectionDevice gpu_seven{{7}, false};

struct Scene {
    explicit Scene(int images) {
        for (int i = 0; i < images; ++i) {
            Sample sample;
            sample.image = std::to_string(i) + ".pgm";
            sample.path = folder.write(sample.image, edge_pgm(40 + i % 5, 30));
            dataset.samples.push_back(sample);
        }
        model = folder.write("edge.xml", edge_cascade());
        config.threads = 1;
        config.detectors.push_back({"edge", model.string(), {}});
        // Images that get a border stay on the host, where the faulty engines are.
        config.detectors[0].options.border = 1;
        files = {{folder.path() / "results.jsonl"}, folder.path() / "run.json"};
    }
    std::vector<LoadedDetector> detectors(std::unique_ptr<Detector> detector) const {
        std::vector<LoadedDetector> list;
        list.push_back({config.detectors[0], model, std::move(detector)});
        return list;
    }
    // The job of these detectors.
    DetectionJobResult run(const std::vector<LoadedDetector>& loaded, const DetectionDevice& device) const {
        const JobImages images = JobImages::of(dataset);
        const DetectionJob job{{config, images, loaded, device}, "detect", files};
        return run_detection_job(job, plan_job(job), {});
    }
    Json manifest() const { return Json::parse(read_bytes(files.manifest)); }

    TempDir folder;
    Dataset dataset;
    std::filesystem::path model;
    RunConfig config;
    DetectionFiles files;
};

}  // namespace

TEST_CASE("a lost device ends a job; what was finished is kept and counted", "[pipeline][device]") {
    Scene scene(600);  // batches of 64, 128 and 256 on a GPU
    const auto job = [&](int failing_call) {
        const auto detectors =
            scene.detectors(FaultyEngine::detector(read_cascade(scene.model), {failing_call, {}, {}}));
        return scene.run(detectors, gpu_seven);
    };
    CHECK(job(-1).images.images == 600);
    const std::string complete = read_bytes(scene.files.results[0]);
    CHECK(scene.manifest()["interrupted"] == false);
    CHECK_FALSE(scene.manifest().contains("error"));

    std::string message;
    try {
        job(2);
    } catch (const DeviceError& error) {
        message = error.what();
    }
    CHECK_THAT(message, Catch::Contains("cuda:7: the device fell off the bus") &&
                            Catch::Contains("192 of 600 images are finished") &&
                            Catch::Contains(scene.files.results[0].string()));
    const Json manifest = scene.manifest();
    CHECK(manifest["interrupted"] == true);
    CHECK(manifest["error"] == "cuda:7: the device fell off the bus");
    CHECK(manifest["counts"]["images"] == 192);
    CHECK(manifest["device"] == "cuda:7");
    CHECK(manifest["detectors"][0]["engine"] == Json{{"device", "cuda:7"},
                                                     {"images", 192},
                                                     {"graph_replays", 5},
                                                     {"repeats", 2},
                                                     {"host_groupings", 3},
                                                     {"shrinks", 1}});
    const std::string kept = read_bytes(scene.files.results[0]);
    CHECK(std::count(kept.begin(), kept.end(), '\n') == 192);
    CHECK(complete.substr(0, kept.size()) == kept);

    CHECK_THROWS_WITH(job(0),
                      Catch::Contains("0 of 600 images are finished") && !Catch::Contains("their results"));
    CHECK(read_bytes(scene.files.results[0]).empty());
    CHECK(scene.manifest()["counts"]["images"] == 0);
}

TEST_CASE("a device lost by one of two detectors leaves both files with the same images",
          "[pipeline][device]") {
    Scene scene(300);
    scene.config.detectors.push_back({"second", scene.model.string(), scene.config.detectors[0].options});
    scene.files.results.push_back(scene.folder.path() / "second.jsonl");
    std::vector<LoadedDetector> detectors =
        scene.detectors(FaultyEngine::detector(read_cascade(scene.model), {-1, {}, {}}));
    detectors.push_back({scene.config.detectors[1], scene.model,
                         FaultyEngine::detector(read_cascade(scene.model), {1, {}, {}})});
    CHECK_THROWS_AS(scene.run(detectors, gpu_seven), DeviceError);
    const std::string first = read_bytes(scene.files.results[0]);
    CHECK(std::count(first.begin(), first.end(), '\n') == 64);
    CHECK(first == read_bytes(scene.files.results[1]));
    CHECK(scene.manifest()["counts"]["images"] == 64);
}

TEST_CASE("results do not tell on which device they were made; the manifest does", "[pipeline][device]") {
    Scene scene(70);
    const auto results_of = [&](std::unique_ptr<Detector> detector, const DetectionDevice& device) {
        scene.run(scene.detectors(std::move(detector)), device);
        return read_bytes(scene.files.results[0]);
    };
    const std::string on_gpu = results_of(FaultyEngine::detector(read_cascade(scene.model), {}), gpu_seven);
    Json gpu_manifest = scene.manifest();
    const std::string on_cpu =
        results_of(load_detector(scene.model, DetectionDevice::cpu()), DetectionDevice::cpu());
    Json cpu_manifest = scene.manifest();
    CHECK(on_gpu == on_cpu);
    CHECK(gpu_manifest["device"] == "cuda:7");
    CHECK(cpu_manifest["device"] == "cpu");
    CHECK(cpu_manifest["detectors"][0]["engine"]["images"] == 70);
    for (Json* manifest : {&gpu_manifest, &cpu_manifest}) {
        manifest->erase("device");
        manifest->erase("timings");
        manifest->erase("energy");
        (*manifest)["detectors"][0].erase("engine");
    }
    CHECK(gpu_manifest == cpu_manifest);

    // A model that went to the CPU on a device that the program chose is not said to have run on it.
    results_of(load_detector(scene.model, DetectionDevice::cpu()), {{0}, true});
    CHECK(scene.manifest()["device"] == "cpu");
}

TEST_CASE("backends that agree: every window is counted, nothing differs", "[pipeline][verify]") {
    const Scene scene(3);
    const auto detectors = scene.detectors(load_detector(scene.model, DetectionDevice::cpu()));
    const auto reference = FaultyEngine::detector(read_cascade(scene.model), {});
    const VerificationResult outcome =
        run_backend_verification(scene.dataset, detectors[0], *reference, 1, {});
    CHECK(outcome.images == 3);
    CHECK(outcome.differing.empty());
    CHECK(outcome.differing_windows == 0);
    CHECK(outcome.raw_windows > 5);
    CHECK(outcome.grouped_boxes >= 1);
    std::size_t windows = 0;
    for (int i = 0; i < 3; ++i) {
        for (const PyramidLevel& level : cascade_levels({40 + i, 30}, {20, 20}, {})) {
            windows += static_cast<std::size_t>(level.windows_per_row() * level.window_rows());
        }
    }
    CHECK(outcome.traced_windows == windows);
    CHECK(outcome.evaluated_windows > 0);
    CHECK(outcome.evaluated_windows < windows);
}

TEST_CASE("backends that differ: by a window's fate, its sum, a box or its neighbors", "[pipeline][verify]") {
    const Scene scene(2);
    auto detectors = scene.detectors(load_detector(scene.model, DetectionDevice::cpu()));
    detectors[0].config.options.min_neighbors = 1;
    FaultyEngine::Faults faults;
    const auto outcome_with = [&] {
        const auto reference = FaultyEngine::detector(read_cascade(scene.model), faults);
        VerificationResult outcome = run_backend_verification(scene.dataset, detectors[0], *reference, 1, {});
        REQUIRE(outcome.differing.size() == 2);
        CHECK(outcome.differing[1].image == "1.pgm");
        return outcome;
    };
    SECTION("stages") {
        faults.trace = [](WindowTrace& trace) { trace.levels[1].stages_passed.back() = 9; };
        const VerificationResult outcome = outcome_with();
        CHECK(outcome.differing_windows == 2);
        const DifferingImage& image = outcome.differing[0];
        CHECK(image.raw.empty());
        CHECK(image.grouped.empty());
        REQUIRE(image.trace.differences.size() == 1);
        CHECK(image.trace.differences[0].level == 1);
        CHECK(image.trace.differences[0].second_stages == 9);
    }
    SECTION("levels") {
        faults.trace = [](WindowTrace& trace) { trace.levels.pop_back(); };
        CHECK_FALSE(outcome_with().differing[0].trace.different_shape.empty());
    }
    SECTION("last sum of a passing window") {
        faults.findings = [](std::vector<CascadeResult>& findings) {
            for (CascadeWindow& window : findings[0].windows) {
                window.last_sum = std::nextafter(window.last_sum, 10);
            }
        };
        const DifferingImage image = outcome_with().differing[0];
        CHECK(image.trace.equal());
        CHECK_FALSE(image.raw.only_first.empty());
        CHECK(image.raw.only_first.size() == image.raw.only_second.size());
        CHECK(image.grouped.empty());
    }
    SECTION("neighbors") {
        faults.findings = [](std::vector<CascadeResult>& findings) {
            if (!findings[0].groups.empty()) ++findings[0].groups[0].neighbors;
        };
        const DifferingImage image = outcome_with().differing[0];
        CHECK(image.raw.empty());
        CHECK(image.grouped.only_first.size() == 1);
        CHECK(image.grouped.only_second.size() == 1);
    }
    SECTION("largest sum of a group") {
        faults.findings = [](std::vector<CascadeResult>& findings) {
            if (!findings[0].groups.empty()) findings[0].groups[0].score += 1e-9;
        };
        CHECK(outcome_with().differing[0].grouped.only_second.size() == 1);
    }
}

TEST_CASE("a device lost while verifying is an error", "[pipeline][verify]") {
    const Scene scene(2);
    const auto detectors = scene.detectors(load_detector(scene.model, DetectionDevice::cpu()));
    const auto reference = FaultyEngine::detector(read_cascade(scene.model), {2, {}, {}});
    CHECK_THROWS_AS(run_backend_verification(scene.dataset, detectors[0], *reference, 1, {}), DeviceError);
}
