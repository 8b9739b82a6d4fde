#include "tests/lab/boxes/box_jitter_study.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Two images with a face in a box of 101 pixels, whose landmarks are where a model that never moves them
// finds them.
struct StillFaces {
    StillFaces() {
        for (const char* name : {"a.pgm", "b.pgm"}) {
            Sample& sample = dataset.samples.emplace_back();
            sample.image = name;
            sample.path = folder.write(name, noise_pgm(160, 160, 1));
            sample.annotated = true;
            Face& face = sample.faces.emplace_back();
            face.box = {20, 30, 101, 101};
            const LandmarkTask task{0, {20, 30, 101, 101}};
            const GreyImage image = read_grey_image(sample.path);
            const std::vector<ImageView<const std::uint8_t>> views{image.view()};
            face.landmarks = landmarker.find(views, {&task, 1})[0];
        }
        options.jitter.shifts = {0, 0.1};
        options.jitter.scales = {0.8, 1, 1.2};
        options.normaliser = LandmarkNormaliser::box_diagonal;
    }

    TempDir folder;
    Landmarker landmarker{still_landmark_model(), DetectionDevice::cpu(), "still"};
    LandmarkStage stage{&landmarker, {}};
    Dataset dataset;
    BoxJitterStudyOptions options;
};

}  // namespace

TEST_CASE("points that keep their place in the box are off by what the box is moved", "[lab][landmarks]") {
    const StillFaces f;
    const std::optional<BoxSensitivity> found = study_box_jitter(f.dataset, f.stage, f.options);
    REQUIRE(found.has_value());
    CHECK(found->faces == 2);
    CHECK(value_of(found->shifts[0].numbers, "mean") == 0);
    CHECK(found->shifts[0].boxes == 2);
    CHECK(found->shifts[1].boxes == 6);
    // All points move by a tenth of 101 pixels, rounded to whole ones in x and y.
    const double diagonal = std::hypot(100.0, 50.0);
    CHECK(value_of(found->shifts[1].numbers, "mean") == Approx(10.1 / diagonal).margin(0.75 / diagonal));
    CHECK(value_of(found->scales[1].numbers, "mean") == 0);
    CHECK(value_of(found->scales[0].numbers, "mean") > 0.05);
    CHECK(value_of(found->scales[2].numbers, "failure_rate") ==
          value_of(found->scales[0].numbers, "failure_rate"));
}

TEST_CASE("the study does not depend on threads, and its order is the dataset's", "[lab][landmarks]") {
    StillFaces f;
    const auto mean = [&] {
        return value_of(study_box_jitter(f.dataset, f.stage, f.options)->shifts[1].numbers, "mean");
    };
    const double one = mean();
    f.options.threads = 4;
    CHECK(mean() == one);
    f.options.jitter.seed = 2;
    CHECK(mean() != one);
}

TEST_CASE("unreadable images are left out of the study, and a cancelled one has no result",
          "[lab][landmarks]") {
    StillFaces f;
    f.folder.write("a.pgm", "no image");
    const std::optional<BoxSensitivity> one = study_box_jitter(f.dataset, f.stage, f.options);
    REQUIRE(one.has_value());
    CHECK(one->faces == 1);
    REQUIRE(one->unreadable.size() == 1);
    CHECK(one->unreadable[0].image == "a.pgm");
    f.dataset.samples[1].faces[0].ignore = true;
    const std::optional<BoxSensitivity> none = study_box_jitter(f.dataset, f.stage, f.options);
    REQUIRE(none.has_value());
    CHECK(none->faces == 0);
    f.options.progress = [](std::size_t, std::size_t) { return false; };
    CHECK_FALSE(study_box_jitter(f.dataset, f.stage, f.options).has_value());
    f.dataset.samples[0].faces[0].landmarks.pop_back();
    CHECK_THROWS_WITH(study_box_jitter(f.dataset, f.stage, f.options),
                      Contains("'a.pgm' has 67 landmarks, the landmark model has 68"));
}
