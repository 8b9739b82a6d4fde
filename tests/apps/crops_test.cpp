// fovea detect --crops: aligned faces beside the results.
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Two images with an annotated face each, and a model that never moves its points.
struct Portraits {
    Portraits() {
        landmarks = folder.write("still.dat", still_landmark_file()).string();
        std::string points = "{\n";
        for (const Point& point : grid_points(20, 30, 1.5)) {
            points += std::to_string(point.x) + " " + std::to_string(point.y) + "\n";
        }
        for (const std::string name : {"photos/a", "photos/sub/b"}) {
            folder.write(name + ".pgm", noise_pgm(180, 160, 5));
            folder.write(name + ".pts", points + "}\n");
        }
        const std::vector<BoxConvention> conventions{{"landmarks", {0, 0, 1, 1}, {}, 10}};
        folder.write("models/landmarks/boxes.json", conventions_to_json(conventions).dump());
        options.environment["FOVEA_MODELS"] = path("models");
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult detect(std::vector<std::string> more) const {
        more.insert(more.begin(), {"detect", "pts:" + path("photos"), "--device", "cpu"});
        return run_fovea(more, options);
    }

    TempDir folder;
    std::string landmarks;
    ProgramOptions options;
};

}  // namespace

TEST_CASE("detect writes the faces that it finds, aligned by their landmarks",
          "[cli][landmarks][face-crop]") {
    const Portraits p;
    const ProgramResult result = p.detect({"--boxes", "truth", "--landmarks", p.landmarks, "--crops",
                                           p.path("faces"), "--out", p.path("x.jsonl"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    const auto lines = read_results("jsonl:" + p.path("x.jsonl")).images;
    CHECK(summary["crops"] == lines.size());
    REQUIRE(!lines.empty());
    for (const ImageResult& line : lines) {
        CAPTURE(line.image);
        const GreyImage image = read_grey_image(p.path("photos/" + line.image));
        const auto expected = face_crops(image.view(), line.detections);
        REQUIRE(expected.size() == 1);
        const std::string stem = line.image.substr(0, line.image.size() - 4);
        const GreyImage crop = read_grey_image(p.path("faces/" + stem + "-1.png"));
        CHECK((crop.width == 130 && crop.height == 150));
        CHECK(crop.pixels == expected[0].pixels);
    }
}

TEST_CASE("crops without landmarks of the eyes are refused", "[cli][landmarks][face-crop]") {
    const Portraits p;
    const auto refusal = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--crops", p.path("faces"), "--out", p.path("x.jsonl")});
        const ProgramResult result = p.detect(more);
        CHECK(result.exit_code == 2);
        CHECK_FALSE(std::filesystem::exists(p.path("x.jsonl")));
        return result.err;
    };
    CHECK_THAT(refusal({}), Contains("--landmarks"));
    const std::string three = p.folder.write("three.dat", still_landmark_file(3)).string();
    CHECK_THAT(refusal({"--boxes", "truth", "--landmarks", three}), Contains("3 landmarks"));
    p.folder.write("faces", "a file");
    CHECK_THAT(refusal({"--boxes", "truth", "--landmarks", p.landmarks}), Contains("cannot be made"));
}
