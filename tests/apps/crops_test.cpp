// fovea detect --crops: faces beside the results.
#include <filesystem>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>

#include "lib/files/file.hpp"
#include "lib/image/colour.hpp"
#include "lib/image/encode.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/archives.hpp"
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
        CHECK(line.crops == std::vector<std::string>{stem + "-1.png"});
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
    CHECK_THAT(refusal({"--crop-kind", "aligned"}), Contains("--landmarks") && Contains("--crop-kind box"));
    const std::string three = p.folder.write("three.dat", still_landmark_file(3)).string();
    CHECK_THAT(refusal({"--boxes", "truth", "--landmarks", three}), Contains("3 landmarks"));
    p.folder.write("faces", "a file");
    CHECK_THAT(refusal({"--boxes", "truth", "--landmarks", p.landmarks}), Contains("cannot be made"));
}

namespace {

// Photographs in colours with two annotated faces each: red in blue, green in blue.
struct ColourPhotos {
    ColourPhotos() {
        cv::Mat picture(80, 100, CV_8UC3, cv::Scalar(255, 0, 0));
        picture(cv::Rect(20, 30, 16, 16)).setTo(cv::Scalar(0, 0, 255));
        picture(cv::Rect(80, 60, 20, 20)).setTo(cv::Scalar(0, 255, 0));
        const std::vector<unsigned char> png = encode_png(picture);
        std::string images;
        for (const std::string name : {"a.png", "sub/b c.png", "sub/z.png"}) {
            folder.write("photos/" + name, std::string(png.begin(), png.end()));
            images +=
                std::string(images.empty() ? "" : ",") + R"({"image": ")" + name +
                R"(", "annotated": true, "faces": [{"box": [20, 30, 16, 16]}, {"box": [80, 60, 20, 20]}]})";
        }
        folder.write("photos/set.json",
                     R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".", "images": [)" +
                         images + "]}");
        landmarks = folder.write("still.dat", still_landmark_file()).string();
        options.environment["FOVEA_MODELS"] = path("models");
        const std::vector<BoxConvention> conventions{{"landmarks", {0, 0, 1, 1}, {}, 10}};
        folder.write("models/landmarks/boxes.json", conventions_to_json(conventions).dump());
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult detect(std::vector<std::string> more) const {
        const std::vector<std::string> command{"detect",           "fovea:" + path("photos/set.json"),
                                               "--device",         "cpu",
                                               "--boxes",          "truth",
                                               "--landmarks",      landmarks,
                                               "--box-convention", "none"};
        more.insert(more.begin(), command.begin(), command.end());
        return run_fovea(more, options);
    }

    TempDir folder;
    std::string landmarks;
    ProgramOptions options;
};

cv::Vec3b pixel(const cv::Mat& picture, int x, int y) {
    return picture.at<cv::Vec3b>(y, x);
}

}  // namespace

TEST_CASE("detect cuts boxes out in colours, and names them in the results", "[cli][face-crop]") {
    const ColourPhotos p;
    const cv::Vec3b blue(255, 0, 0), red(0, 0, 255), green(0, 255, 0);
    const ProgramResult result =
        p.detect({"--crops", p.path("faces"), "--crop-size", "32", "--crop-margin", "0.5", "--crop-format",
                  "png", "--out", p.path("x.jsonl"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["crops"] == 6);
    const auto lines = read_results("jsonl:" + p.path("x.jsonl")).images;
    REQUIRE(lines.size() == 3);
    CHECK(lines[1].crops == std::vector<std::string>{"sub/b c-1.png", "sub/b c-2.png"});
    for (const ImageResult& line : lines) {
        REQUIRE(line.crops.size() == 2);
        const cv::Mat first = read_picture(p.path("faces/" + line.crops[0]));
        REQUIRE((first.type() == CV_8UC3 && first.cols == 32 && first.rows == 32));
        // 32 pixels of the image about a face of 16.
        CHECK(pixel(first, 7, 16) == blue);
        CHECK(pixel(first, 8, 8) == red);
        CHECK(pixel(first, 23, 23) == red);
        CHECK(pixel(first, 24, 24) == blue);
        // Reaches beyond the image, whose last pixels go on.
        const cv::Mat second = read_picture(p.path("faces/" + line.crops[1]));
        REQUIRE((second.cols == 32 && second.rows == 32));
        CHECK(pixel(second, 31, 31) == green);
        CHECK(pixel(second, 1, 1) == blue);
    }
    const Json manifest = Json::parse(read_file(p.path("x.run.json")));
    CHECK(manifest["crops"] ==
          Json{{"kind", "box"}, {"size", 32}, {"margin", 0.5}, {"format", "png"}, {"folder", "faces"}});
    CHECK(manifest["results_format"] == Json{{"name", "fovea-results"}, {"version", 1}});
}

TEST_CASE("crops of boxes keep their pixels without a size, and are JPEG by default", "[cli][face-crop]") {
    const ColourPhotos p;
    const ProgramResult result =
        p.detect({"--crops", p.path("faces"), "--crop-kind", "box", "--out", p.path("x.jsonl")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const cv::Mat first = read_picture(p.path("faces/a-1.jpg"));
    // A quarter of 16 at each side; a quarter of 20 at the two sides that are in the image.
    CHECK((first.channels() == 3 && first.cols == 24 && first.rows == 24));
    const cv::Mat second = read_picture(p.path("faces/a-2.jpg"));
    CHECK((second.cols == 25 && second.rows == 25));
}

TEST_CASE("crops of a detector's boxes need no landmarks, and are the same from an archive",
          "[cli][face-crop]") {
    const TempDir folder;
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    // A bright and a dark half, which the cascade finds.
    const cv::Vec3b bright(180, 220, 200), dark(60, 20, 40);
    cv::Mat picture(30, 40, CV_8UC3, cv::Scalar(bright));
    picture(cv::Rect(20, 0, 20, 30)).setTo(cv::Scalar(dark));
    const std::vector<unsigned char> png = encode_png(picture);
    const std::string bytes(png.begin(), png.end());
    std::vector<TestMember> members;
    for (const std::string name : {"new\nline.png", "sub/b.png"}) {
        folder.write("photos/" + name, bytes);
        members.push_back({name, bytes});
    }
    write_archive(path("photos.tar"), members);
    const std::string model = folder.write("edge.xml", edge_cascade()).string();
    const auto detect = [&](const std::string& images, const std::string& name) {
        const ProgramResult result = run_fovea({"detect", path(images), "--device", "cpu", "--model", model,
                                                "--crops", path(name), "--crop-size", "16", "--crop-format",
                                                "png", "--out", path(name + ".jsonl"), "--json"});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out).at("crops").get<std::size_t>();
    };
    const std::size_t written = detect("photos", "a");
    CHECK(detect("photos.tar", "b") == written);
    CHECK(read_file(path("a.jsonl")) == read_file(path("b.jsonl")));
    std::size_t named = 0;
    for (const ImageResult& line : read_results("jsonl:" + path("a.jsonl")).images) {
        REQUIRE(!line.detections.empty());
        REQUIRE(line.crops.size() == line.detections.size());
        CHECK(line.crops[0] == (line.image == "sub/b.png" ? "sub/b-1.png" : "new_line-1.png"));
        for (const std::string& crop : line.crops) {
            ++named;
            CHECK(read_file(path("a/" + crop)) == read_file(path("b/" + crop)));
        }
        const cv::Mat crop = read_picture(path("a/" + line.crops[0]));
        REQUIRE((crop.cols == 16 && crop.rows == 16 && crop.type() == CV_8UC3));
        CHECK(pixel(crop, 0, 8) == bright);
        CHECK(pixel(crop, 15, 8) == dark);
    }
    CHECK(named == written);
}

TEST_CASE("options of crops that contradict each other are refused", "[cli][face-crop]") {
    const ColourPhotos p;
    const auto refusal = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--out", p.path("x.jsonl")});
        const ProgramResult result = p.detect(more);
        CHECK(result.exit_code == 2);
        CHECK_FALSE(std::filesystem::exists(p.path("x.jsonl")));
        return result.err;
    };
    CHECK_THAT(refusal({"--crop-size", "32"}), Contains("name one with --crops"));
    CHECK_THAT(refusal({"--crops", p.path("f"), "--crop-kind", "aligned", "--crop-size", "32"}),
               Contains("--crop-kind box"));
    CHECK_THAT(refusal({"--crops", p.path("f"), "--crop-size", "0"}), Contains("1 or more"));
    CHECK_THAT(refusal({"--crops", p.path("f"), "--crop-size", "5000"}), Contains("1 to 4096"));
    CHECK_THAT(refusal({"--crops", p.path("f"), "--crop-margin", "-1"}), Contains("from 0 to 4"));
    CHECK_THAT(refusal({"--crops", p.path("f"), "--crop-format", "tiff"}), Contains("--crop-format"));
}
