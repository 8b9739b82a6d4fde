#include <memory>

#include <catch2/catch.hpp>

#include "lib/detect/face_net_detector.hpp"
#include "lib/verify/verification.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("verification of a network compares its faces", "[face-net][verify]") {
    const TempDir folder;
    Dataset dataset;
    for (unsigned i = 0; i < 3; ++i) {
        Sample sample;
        sample.image = std::to_string(i) + ".pgm";
        sample.path = folder.write(sample.image, pgm_of(smooth_noise(150, 110, 6, i)));
        dataset.samples.push_back(sample);
    }
    const auto detector = [](unsigned seed) {
        return std::make_unique<FaceNetDetector>(
            FaceNetModel{"n", random_face_net({16, 16, 16}, seed), {}, {}});
    };
    LoadedDetector loaded;
    loaded.detector = detector(7);
    const VerificationResult same = run_backend_verification(dataset, loaded, *detector(7), 1, {});
    CHECK(same.images == 3);
    CHECK(same.grouped_boxes > 10);
    CHECK(same.differing.empty());
    CHECK(same.traced_windows == 0);
    const VerificationResult other = run_backend_verification(dataset, loaded, *detector(8), 1, {});
    REQUIRE(other.differing.size() == 3);
    CHECK(other.differing[0].image == "0.pgm");
    CHECK_FALSE(other.differing[0].grouped.empty());
}
