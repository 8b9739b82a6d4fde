#include "lib/verify/verification.hpp"

#include <new>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/engine_fakes.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

struct Scene {
    Scene() {
        for (int i = 0; i < 4; ++i) {
            Sample sample;
            sample.image = std::to_string(i) + ".pgm";
            sample.path = folder.write(sample.image, edge_pgm(40 + i, 30));
            dataset.samples.push_back(sample);
        }
        detector.model = folder.write("edge.xml", edge_cascade());
        detector.detector = FaultyEngine::detector_with(read_cascade(detector.model), faults);
        detector.config.options.min_neighbors = 1;
    }

    TempDir folder;
    Dataset dataset;
    LoadedDetector detector;
    std::shared_ptr<EngineFaults> faults = std::make_shared<EngineFaults>();
};

}  // namespace

TEST_CASE("verification counts what it compares and finds no difference", "[pipeline]") {
    const Scene scene;
    const VerificationResult outcome = run_verification(scene.dataset, scene.detector, 1, {});
    CHECK(outcome.images == 4);
    CHECK(outcome.raw_windows > 8);
    CHECK(outcome.grouped_boxes >= 4);
    CHECK(outcome.differing.empty());
    CHECK_FALSE(outcome.interrupted);
}

TEST_CASE("verification tells which windows and boxes are missing", "[pipeline]") {
    const Scene scene;
    scene.faults->findings = [](std::vector<CascadeResult>& found) {
        if (!found.at(0).windows.empty()) found[0].windows.pop_back();
        if (!found.at(0).groups.empty()) found[0].groups.pop_back();
    };
    const VerificationResult outcome = run_verification(scene.dataset, scene.detector, 1, {});
    REQUIRE(outcome.differing.size() == 4);
    CHECK(outcome.differing[2].image == "2.pgm");
    CHECK(outcome.differing[2].raw.only_first.empty());
    CHECK(outcome.differing[2].raw.only_second.size() == 1);
    CHECK(outcome.differing[2].grouped.only_second.size() == 1);
}

TEST_CASE("verification records images that cannot be scanned and goes on", "[pipeline]") {
    const Scene scene;
    scene.faults->refused_width = 41;
    const VerificationResult outcome = run_verification(scene.dataset, scene.detector, 1, {});
    CHECK(outcome.images == 3);
    REQUIRE(outcome.unreadable.size() == 1);
    CHECK(outcome.unreadable[0].image == "1.pgm");
    CHECK(outcome.unreadable[0].reason == "cannot be scanned: too wide");
}

TEST_CASE("a lack of memory ends a verification", "[pipeline]") {
    const Scene scene;
    scene.faults->large_width = 42;
    CHECK_THROWS_AS(run_verification(scene.dataset, scene.detector, 1, {}), std::bad_alloc);
}

TEST_CASE("a cancelled verification keeps what it has done", "[pipeline]") {
    const Scene scene;
    std::atomic<bool> cancel{false};
    JobHooks hooks;
    hooks.cancel = &cancel;
    hooks.progress = [&](const JobProgress& progress) { cancel = progress.done == 3; };
    const VerificationResult outcome = run_verification(scene.dataset, scene.detector, 1, hooks);
    CHECK(outcome.interrupted);
    CHECK(outcome.images == 3);
}
