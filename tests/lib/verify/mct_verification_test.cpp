#include <functional>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/mct_detector.hpp"
#include "lib/verify/verification.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/engine_fakes.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

struct Scene {
    Scene() {
        for (int i = 0; i < 3; ++i) {
            Sample sample;
            sample.image = std::to_string(i) + ".pgm";
            sample.path = folder.write(sample.image, noise_pgm(70 + i, 50, 3 + i));
            dataset.samples.push_back(sample);
        }
        detector.model = folder.path() / "spot.json";
        write_mct_model(spot_model(), detector.model);
        detector.detector = load_detector(detector.model, DetectionDevice::cpu());
        // Compared are also those that a limit would drop.
        detector.config.options.min_score = 0.999999;
    }
    VerificationResult against(const EngineFaults& faults) const {
        const MctDetector reference(spot_model(), [&](const MctCascade& cascade) {
            return std::make_unique<FaultyEngine>(cascade, std::make_shared<const EngineFaults>(faults));
        });
        return run_backend_verification(dataset, detector, reference, 1, {});
    }

    TempDir folder;
    Dataset dataset;
    LoadedDetector detector;
};

}  // namespace

TEST_CASE("two engines of an MCT cascade are compared window by window", "[pipeline][mct_detector]") {
    const Scene scene;
    const VerificationResult outcome = scene.against({});
    CHECK(outcome.images == 3);
    CHECK(outcome.differing.empty());
    CHECK(outcome.raw_windows > 10);
    CHECK(outcome.grouped_boxes >= 1);
    // No window of an MCT cascade is skipped or flat.
    CHECK(outcome.traced_windows == outcome.evaluated_windows);
    CHECK(outcome.traced_windows > 3000);
}

TEST_CASE("a sum that differs by one in one window is found", "[pipeline][mct_detector]") {
    const Scene scene;
    EngineFaults faults;
    faults.trace = [](WindowTrace& trace) { trace.levels.at(1).last_sums.at(5) += 1; };
    const VerificationResult outcome = scene.against(faults);
    REQUIRE(outcome.differing.size() == 3);
    CHECK(outcome.differing_windows == 3);
    CHECK(outcome.differing[0].trace.differences.at(0).level == 1);
    CHECK(outcome.differing[0].raw.empty());

    faults = {};
    faults.findings = [](std::vector<CascadeResult>& found) {
        for (CascadeResult& findings : found) {
            for (RectGroup& group : findings.groups) group.score += 1;
            if (!findings.windows.empty()) findings.windows.pop_back();
        }
    };
    const VerificationResult spoiled = scene.against(faults);
    REQUIRE_FALSE(spoiled.differing.empty());
    CHECK(spoiled.differing[0].raw.only_first.size() == 1);
    CHECK(spoiled.differing_windows == 0);
}

TEST_CASE("OpenCV is no reference for MCT cascades", "[pipeline][mct_detector]") {
    const Scene scene;
    CHECK_THROWS_AS(run_verification(scene.dataset, scene.detector, 1, {}), UsageError);
    CHECK_THROWS_WITH(run_verification(scene.dataset, scene.detector, 1, {}),
                      Contains("OpenCV has no MCT cascades") && Contains("spot.json"));
}
