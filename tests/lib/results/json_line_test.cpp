#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"

using fovea::Detection;
using fovea::ImageResult;

namespace {

std::string content_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

ImageResult full_result() {
    ImageResult result;
    result.image = "set/a b.png";
    result.width = 640;
    result.height = 480;
    Detection plain;
    plain.box = {1, 2, 30, 40};
    plain.score = 7;
    Detection full;
    full.box = {0.1, -2.5, 24, 24.25};
    full.score = 1e-7;
    full.details.edit().track = 7;
    full.details.edit().followed = 2;
    full.details.edit().neighbors = 12;
    full.details.edit().stage = 25;
    full.details.edit().stage_sum = -0.30000000000000004;
    full.details.edit().yaw = -12.5;
    full.details.edit().sharpness = 0;
    full.details.edit().landmarks = {{1, 2}, {3.5, 4}};
    result.detections = {plain, full};
    return result;
}

}  // namespace

TEST_CASE("A line of results has fixed keys, shortest numbers and no absent fields", "[results]") {
    CHECK(fovea::to_json_line(full_result()) ==
          R"({"image":"set/a b.png","width":640,"height":480,"status":"ok","detections":[)"
          R"({"box":[1,2,30,40],"score":7},)"
          R"({"box":[0.1,-2.5,24,24.25],"score":1e-07,"track":7,"followed":2,"neighbors":12,"stage":25,)"
          R"("stage_sum":-0.30000000000000004,"yaw":-12.5,"sharpness":0,"landmarks":[[1,2],[3.5,4]]}]})");

    ImageResult cut_out = full_result();
    cut_out.crops = {"", "set/a b-2.jpg"};
    CHECK_THAT(fovea::to_json_line(cut_out),
               Catch::Contains(R"("score":7},)") &&
                   Catch::EndsWith(R"("landmarks":[[1,2],[3.5,4]],"crop":"set/a b-2.jpg"}]})"));

    ImageResult unreadable;
    unreadable.image = "x.jpg";
    unreadable.status = "unreadable: truncated \"JPEG\"\n";
    CHECK(fovea::to_json_line(unreadable) ==
          R"({"image":"x.jpg","status":"unreadable: truncated \"JPEG\"\n","detections":[]})");
}

TEST_CASE("A line of results says who a face may be", "[results]") {
    ImageResult result;
    result.image = "a.png";
    Detection known;
    known.box = {1, 2, 3, 4};
    known.score = 1;
    known.details.edit().person = 12;
    known.details.edit().identity = "Ann \"A\"";
    known.details.edit().distance = 12.5;
    known.details.edit().candidates = {{"Ann \"A\"", "g/1.png", 12.5}, {"", "g/2.png", 13}};
    Detection unknown;
    unknown.score = 2;
    unknown.details.edit().apart = "\"small\"";
    unknown.details.edit().distance = 0.25;
    result.detections = {known, unknown};
    CHECK(fovea::to_json_line(result) ==
          R"({"image":"a.png","status":"ok","detections":[)"
          R"({"box":[1,2,3,4],"score":1,"person":12,"identity":"Ann \"A\"","distance":12.5,)"
          R"("candidates":[{"identity":"Ann \"A\"","image":"g/1.png","distance":12.5},)"
          R"({"image":"g/2.png","distance":13}]},)"
          R"({"box":[0,0,0,0],"score":2,"apart":"\"small\"","distance":0.25}]})");
    result.detections[0].details.edit().candidates[1].distance = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(fovea::to_json_line(result), Catch::Contains("a.png") && Catch::Contains("distance"));
}

TEST_CASE("Numbers in results read back to the same double", "[results]") {
    for (const double value : {0.0, -0.0, 1.0 / 3, 9007199254740991.0, 9007199254740992.0, 1e22,
                               1.7976931348623157e308, 5e-324, -123456789.125, 0.1 + 0.2}) {
        ImageResult result;
        result.image = "i";
        result.detections.emplace_back().score = value;
        const fovea::Json json = fovea::Json::parse(fovea::to_json_line(result));
        CHECK(json["detections"][0]["score"].get<double>() == value);
    }
    ImageResult negative_zero;
    negative_zero.image = "i";
    negative_zero.detections.emplace_back().score = -0.0;
    CHECK(fovea::to_json_line(negative_zero).find("\"score\":0}") != std::string::npos);
}

TEST_CASE("Numbers that are not finite are never written", "[results]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    ImageResult result = full_result();
    result.detections[0].score = nan;
    CHECK_THROWS_WITH(fovea::to_json_line(result),
                      Catch::Contains("set/a b.png") && Catch::Contains("score"));
    result = full_result();
    result.detections[1].box.w = infinity;
    CHECK_THROWS_AS(fovea::to_json_line(result), fovea::Error);
    result = full_result();
    result.detections[1].details.edit().landmarks[1].y = -infinity;
    CHECK_THROWS_AS(fovea::to_json_line(result), fovea::Error);
    result = full_result();
    result.detections[1].details.edit().stage_sum = nan;
    CHECK_THROWS_AS(fovea::to_json_line(result), fovea::Error);
}

TEST_CASE("File names that are not UTF-8 give valid JSON", "[results]") {
    ImageResult result;
    result.image = "caf\xE9/\xC3\xA9.png";  // Latin-1, then UTF-8
    const std::string name = fovea::Json::parse(fovea::to_json_line(result))["image"];
    CHECK(name == "caf\xEF\xBF\xBD/\xC3\xA9.png");
    // Whoever compares names with those in results files replaces the same bytes.
    CHECK(fovea::valid_utf8(result.image) == name);
}

TEST_CASE("The results writer has every line in the file before write returns", "[results]") {
    const fovea::test::TempDir folder;
    const std::filesystem::path path = folder.write("results.jsonl", "an older and much longer file\n");
    const std::string line = fovea::to_json_line(full_result()) + "\n";
    {
        fovea::ResultsWriter writer(path);
        writer.file().begin();
        CHECK(content_of(path).empty());
        writer.write(full_result());
        CHECK(content_of(path) == line);
        writer.write(full_result());
        CHECK(content_of(path) == line + line);
        writer.close();
        writer.close();
        CHECK_THROWS_AS(writer.write(full_result()), fovea::Error);
    }
    CHECK(content_of(path) == line + line);
}

TEST_CASE("The results writer says what it cannot write", "[results]") {
    const fovea::test::TempDir folder;
    CHECK_THROWS_WITH(fovea::ResultsWriter(folder.path() / "none" / "results.jsonl"),
                      Catch::Contains("none/results.jsonl") && Catch::Contains("No such file"));
    if (std::filesystem::exists("/dev/full")) {
        fovea::ResultsWriter writer("/dev/full");
        CHECK_THROWS_WITH(writer.write(full_result()), Catch::Contains("No space left"));
    }
}
