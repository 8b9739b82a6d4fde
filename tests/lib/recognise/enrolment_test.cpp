#include "lib/recognise/enrolment.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/json/json.hpp"
#include "lib/run/recognition/face_finder.hpp"
#include "tests/support/face_sets.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

RecogniserConfig recogniser_config() {
    RecogniserConfig config;
    config.geometry = {{32, 36}, {{10, 14}, {22, 14}}};
    config.normalisation = {false, {}, false, false};
    config.features = {{{8, 1, true}, regions_by_count({32, 36}, 2, 2)}};
    return config;
}

struct Scene {
    Scene() {
        write_subjects(folder.path(), 3, 2);
        dataset = read_dataset("folder:" + folder.path().string());
    }
    EnrolmentResult enrol(const FaceFinder& finder, const std::vector<std::size_t>& samples = {}) {
        faces.clear();
        EnrolmentOptions options;
        options.threads = 2;
        options.batch_images = 2;
        return enrol_faces(
            dataset, finder, recogniser, options,
            [&](EnrolledFace&& face) { faces.push_back(std::move(face)); }, samples);
    }
    TempDir folder;
    Dataset dataset;
    Recogniser recogniser{recogniser_config(), DetectionDevice::cpu()};
    std::vector<EnrolledFace> faces;
};

}  // namespace

TEST_CASE("annotated eyes are taken, and images without any are failures", "[recognise][enrolment]") {
    Scene scene;
    scene.dataset.samples[0].eyes = Eyes{{20, 30}, {44, 30}};
    scene.dataset.samples[1].faces.resize(3);
    scene.dataset.samples[1].faces[0].ignore = true;
    scene.dataset.samples[1].faces[0].eyes = Eyes{{1, 1}, {2, 1}};
    scene.dataset.samples[1].faces[1].eyes = Eyes{{5, 5}, {9, 5}};
    scene.dataset.samples[1].faces[1].box = {0, 0, 16, 16};
    scene.dataset.samples[1].faces[2].eyes = Eyes{{25, 30}, {40, 34}};
    scene.dataset.samples[1].faces[2].box = {16, 16, 32, 40};
    scene.dataset.samples[2].eyes = Eyes{{20, 30}, {20, 30}};
    scene.dataset.samples[3].eyes = Eyes{{-20, 30}, {-4, 30}};
    scene.folder.write("s03/s03_0001.png", "no image");
    FaceFinder finder;
    finder.source = FaceSource::truth;
    const EnrolmentResult outcome = scene.enrol(finder);
    CHECK(outcome.images == 6);
    CHECK(outcome.faces == 2);
    REQUIRE(scene.faces.size() == 2);
    CHECK(scene.faces[0].sample == 0);
    CHECK(scene.faces[0].eyes == Eyes{{20, 30}, {44, 30}});
    CHECK_FALSE(scene.faces[0].box);
    CHECK(scene.faces[0].quality["eye_distance"] == 24.0);
    CHECK(scene.faces[0].quality.contains("sharpness"));
    // The one in the middle of several.
    CHECK(scene.faces[1].eyes == Eyes{{25, 30}, {40, 34}});
    CHECK(scene.faces[1].box == Box{16, 16, 32, 40});
    REQUIRE(outcome.failures.size() == 4);
    CHECK(outcome.failures[0].reason == "both eyes are at the same place");
    CHECK(outcome.failures[1].reason == "both eyes lie outside the image");
    CHECK(outcome.failures[2].sample == 4);
    CHECK(outcome.failures[2].unreadable);
    CHECK(outcome.failures[3].reason == "no eyes are annotated");
    CHECK_FALSE(outcome.failures[3].unreadable);

    finder.choice = FaceChoice::all;
    CHECK(scene.enrol(finder, {1}).faces == 2);
    CHECK(scene.faces[0].eyes == Eyes{{5, 5}, {9, 5}});

    // The features are those of the crop.
    const GreyImage image = smooth_noise(64, 72, 3, 7);
    const std::vector<ImageView<const std::uint8_t>> views{image.view()};
    const FaceFeatures features = scene.recogniser.features(
        views,
        std::vector<CropTask>{{0, crop_transform({{20, 30}, {44, 30}}, recogniser_config().geometry)}});
    CHECK(features.words.size() == scene.faces[0].features.size());
}

TEST_CASE("whole images, and eyes where no face was found", "[recognise][enrolment]") {
    Scene scene;
    FaceFinder finder;
    finder.source = FaceSource::image;
    CHECK(scene.enrol(finder).faces == 6);
    // 64×72 has the crop's shape of 32×36: every crop pixel is the middle of 2×2 image pixels, (10, 14) that
    // of 20 and 21, 28 and 29.
    CHECK(scene.faces[0].eyes == Eyes{{20.5, 28.5}, {44.5, 28.5}});
    CHECK_FALSE(scene.faces[0].from_fallback);
    finder.fallback_eyes = Eyes{{0.25, 0.5}, {0.75, 0.5}};
    scene.enrol(finder);
    CHECK(scene.faces[0].eyes == Eyes{{16, 36}, {48, 36}});
    finder.source = FaceSource::truth;
    const EnrolmentResult outcome = scene.enrol(finder);
    CHECK(outcome.failures.empty());
    CHECK(scene.faces[5].from_fallback);
    CHECK(scene.faces[5].eyes == Eyes{{16, 36}, {48, 36}});

    finder.source = FaceSource::automatic;
    CHECK_THROWS_WITH(scene.enrol(finder), Contains("s01/s01_0001.png are not annotated"));
    CHECK(face_source_from_string("detector") == FaceSource::detector);
    CHECK_THROWS_AS(face_source_from_string("nose"), UsageError);
}

TEST_CASE("faces are found by detector and landmarks", "[recognise][enrolment]") {
    const std::filesystem::path photographs = "/usr/share/doc/libdlib19.1/examples/johns/John_Salley";
    if (!std::filesystem::is_directory(photographs)) {
        WARN("not run: Debian's libdlib19.1 keeps its examples in /usr/share/doc");
        return;
    }
    const Dataset dataset = read_dataset("folder:" + photographs.string(), {{}, 3, {}});
    FaceFinderConfig config;
    config.source = FaceSource::detector;
    const LoadedFaceFinder finder(config, DetectionDevice::cpu());
    RecogniserConfig aligned = recogniser_config();
    aligned.alignment = FaceAlignment::landmarks;
    std::vector<EnrolledFace> by_eyes, by_landmarks;
    const auto enrol = [&](const RecogniserConfig& with, std::vector<EnrolledFace>& faces) {
        const Recogniser recogniser(with, DetectionDevice::cpu());
        return enrol_faces(dataset, finder.finder(), recogniser, {},
                           [&](EnrolledFace&& face) { faces.push_back(std::move(face)); });
    };
    CHECK(enrol(recogniser_config(), by_eyes).faces == 3);
    CHECK(enrol(aligned, by_landmarks).faces == 3);
    for (std::size_t i = 0; i < by_eyes.size(); ++i) {
        REQUIRE(by_eyes[i].found);
        CHECK(by_eyes[i].found->details->landmarks.size() == 68);
        CHECK(by_eyes[i].quality["detector_score"] == by_eyes[i].found->score);
        // All landmarks and the few about the eyes agree about the eyes, but not to the pixel.
        const double eye_distance = by_eyes[i].quality["eye_distance"];
        CHECK(by_eyes[i].eyes.left.x == Approx(by_landmarks[i].eyes.left.x).margin(0.15 * eye_distance));
        CHECK(by_eyes[i].eyes.right.y == Approx(by_landmarks[i].eyes.right.y).margin(0.15 * eye_distance));
        CHECK_FALSE(by_eyes[i].eyes == by_landmarks[i].eyes);
    }
    CHECK(finder.to_json()["landmarks"]["sha256"].get<std::string>().size() == 64);
}
