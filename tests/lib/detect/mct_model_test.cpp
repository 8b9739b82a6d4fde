#include "lib/detect/mct_model.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

// Every field has a value of its own, at the ends of their ranges where there are such.
MctModel varied_model() {
    MctModel model;
    model.name = "varied \"one\"";
    model.face = {-1.5, 2.25, 21.1, 20};
    model.confidence = {{0, 0.001}, {12.5, 1}, {1e6, 250}};
    model.training = Json{{"seed", 7}, {"data", {{"images", 3}, {"names", {"a", "b"}}}}};
    const auto weight = [](int code) { return code % 256 - 128; };
    test::add_lookup(model.cascade, {MctPlane::coarse4, 12, 0, false, -7}, weight);
    test::add_lookup(model.cascade, {MctPlane::coarse2, 18, 18, false, never}, weight);
    test::add_lookup(model.cascade, {MctPlane::contrast4, 0, 12, false, 3}, weight);
    test::add_lookup(model.cascade, {MctPlane::pixel, 21, 21, true, std::numeric_limits<std::int32_t>::min()},
                     weight);
    test::add_lookup(model.cascade, {MctPlane::block2, 17, 3, true, 2147483646}, weight);
    return model;
}

struct ModelFile {
    test::TempDir folder;
    std::filesystem::path path = folder.path() / "model.json";

    Json json(const MctModel& model) const {
        write_mct_model(model, path);
        return Json::parse(read_file(path));
    }
    MctModel read(const Json& json) const {
        write_file(path, json.dump());
        return read_mct_model(path);
    }
};

}  // namespace

TEST_CASE("MCT model: what is written is read back, in every field", "[mct_model]") {
    const ModelFile file;
    const MctModel model = varied_model();
    write_mct_model(model, file.path);
    const MctModel back = read_mct_model(file.path);
    CHECK(back.name == model.name);
    CHECK(back.face == model.face);
    CHECK(back.confidence == model.confidence);
    CHECK(back.cascade == model.cascade);
    CHECK(back.training == model.training);

    const std::string bytes = read_file(file.path);
    write_mct_model(back, file.path);
    CHECK(read_file(file.path) == bytes);

    MctModel untrained = test::spot_model();
    untrained.confidence.clear();
    write_mct_model(untrained, file.path);
    CHECK(read_mct_model(file.path).confidence.empty());
    CHECK(read_mct_model(file.path).training.is_null());
}

TEST_CASE("MCT model: the file has one look-up a line and leaves out what says nothing", "[mct_model]") {
    const ModelFile file;
    write_mct_model(varied_model(), file.path);
    const std::string text = read_file(file.path);
    CHECK_THAT(text, Contains("{\n  \"format\": \"fovea-mct-cascade\",\n  \"version\": 1,\n"));
    CHECK_THAT(text, Contains("\n    {\"plane\": \"coarse4\", \"x\": 12, \"y\": 0, \"reject_above\": -7, "
                              "\"weights\": [-128,-127,"));
    CHECK_THAT(text, Contains("\n    {\"plane\": \"coarse2\", \"x\": 18, \"y\": 18, \"weights\": ["));
    CHECK_THAT(text, Contains("\"x\": 21, \"y\": 21, \"starts_stage\": true, \"reject_above\": -2147483648"));
    CHECK_THAT(text, Contains("\n  \"training\": {\n    \"seed\": 7,\n"));
    CHECK(text.substr(text.size() - 7) == "\n  }\n}\n");
    const Json json = Json::parse(text);
    for (const Json& lookup : json["lookups"]) CHECK(lookup["weights"].size() == 511);
}

TEST_CASE("MCT model: every broken field is named with its place", "[mct_model]") {
    const ModelFile file;
    const Json good = file.json(varied_model());
    struct Broken {
        const char* place;
        Json value;
        const char* message;
    };
    const Json curve = Json::parse("[[0, 1], [1, 1]]");
    const std::vector<Broken> cases{
        {"/version", 2, "'version' must be 1, but is 2: the file was written by a newer"},
        {"/version", "1", "'version' must be an integer, but is the string \"1\""},
        {"/format", "cascade", "'format' must be \"fovea-mct-cascade\", but is the string \"cascade\""},
        {"/name", "", "'name' must be a name, but is the string \"\""},
        {"/name", 3, "'name' must be a string, but is 3"},
        {"/window", 25, "'window' must be an integer from 24 to 24, but is 25"},
        {"/face/width", 0, "'face.width' must be 1 to 72 pixels of the window, but is 0"},
        {"/face/height", 72.5, "'face.height' must be 1 to 72 pixels of the window, but is 72.5"},
        {"/face/x", -25, "'face.x' must be -24 to 24 pixels of the window, but is -25"},
        {"/face/y", "top", "'face.y' must be a number, but is the string \"top\""},
        {"/face/depth", 1, "unknown key 'face.depth'"},
        {"/confidence", curve, "'confidence[1]' must be a knot of a larger margin and larger odds"},
        {"/confidence", Json::parse("[[1, 0]]"), "'confidence[0][1]' must be odds above 0, but is 0"},
        {"/confidence", Json::parse("[[-1, 1]]"),
         "'confidence[0][0]' must be a margin of at least 0, but is -1"},
        {"/confidence", Json::parse("[[0, 1]]"),
         "'confidence[0][0]' must be above 0, as it is the only knot's, but is 0"},
        {"/confidence/2", Json::parse("[1, 2, 3]"),
         "'confidence[2]' must be a knot [margin, odds], but is a list of 3"},
        {"/lookups", Json::array(), "'lookups' must be 1 to 4096 look-ups, but is an empty list"},
        {"/lookups/0/plane", "coarse8",
         "'lookups[0].plane' must be pixel, block2, coarse2, coarse4 or contrast4, but is the string "
         "\"coarse8\""},
        {"/lookups/0/x", 13, "'lookups[0].x' must be even and from 0 to 12 on plane coarse4, but is 13"},
        {"/lookups/0/x", 14, "'lookups[0].x' must be even and from 0 to 12 on plane coarse4, but is 14"},
        {"/lookups/1/y", 20, "'lookups[1].y' must be even and from 0 to 18 on plane coarse2, but is 20"},
        {"/lookups/2/y", 14, "'lookups[2].y' must be even and from 0 to 12 on plane contrast4, but is 14"},
        {"/lookups/1/y", 17, "'lookups[1].y' must be even and from 0 to 18 on plane coarse2, but is 17"},
        {"/lookups/3/x", 22, "'lookups[3].x' must be from 0 to 21 on plane pixel, but is 22"},
        {"/lookups/4/y", 19, "'lookups[4].y' must be from 0 to 18 on plane block2, but is 19"},
        {"/lookups/4/y", 256, "'lookups[4].y' must be an integer from 0 to 23, but is 256"},
        {"/lookups/4/y", 1.0, "'lookups[4].y' must be an integer from 0 to 23, but is 1.0"},
        {"/lookups/0/plane", "pixel",
         "'lookups[1].plane' must be pixel or block2 behind a look-up of the window's own place, but is"},
        {"/lookups/3/starts_stage", 1, "'lookups[3].starts_stage' must be true or false, but is 1"},
        {"/lookups/3/reject_above", 2147483648,
         "'lookups[3].reject_above' must be an integer of at most 32 bits, but is 2147483648"},
        {"/lookups/3/weights/510", 128,
         "'lookups[3].weights[510]' must be an integer from -128 to 127, but is 128"},
        {"/lookups/3/weights/0", -129,
         "'lookups[3].weights[0]' must be an integer from -128 to 127, but is -129"},
        {"/lookups/3/weights/0", 0.5,
         "'lookups[3].weights[0]' must be an integer from -128 to 127, but is 0.5"},
        {"/lookups/3/weights/0", 18446744073709551615ULL, "'lookups[3].weights[0]'"},
        {"/lookups/3/weights", Json::array({1, 2}), "must be a list of 511 integers, but is a list of 2"},
        {"/training", 5, "'training' must be an object, but is 5"},
        {"/trainings", Json::object(), "unknown key 'trainings' (did you mean 'training'?)"},
    };
    for (const Broken& broken : cases) {
        Json json = good;
        json[Json::json_pointer(broken.place)] = broken.value;
        CAPTURE(broken.place, broken.value.dump().substr(0, 80));
        CHECK_THROWS_AS(file.read(json), Error);
        CHECK_THROWS_WITH(file.read(json), Contains(broken.message) && Contains("model.json"));
    }
    for (const char* key : {"format", "version", "name", "window", "face", "confidence", "lookups"}) {
        Json json = good;
        json.erase(key);
        CAPTURE(key);
        CHECK_THROWS_WITH(file.read(json), Contains(std::string("\"") + key + "\""));
    }
}

TEST_CASE("MCT model: numbers of look-ups at their limits", "[mct_model]") {
    const ModelFile file;
    MctModel model = test::spot_model();
    const auto coarse = [&](int count) {
        model.cascade = {};
        for (int i = 0; i < count; ++i) {
            test::add_lookup(model.cascade, {MctPlane::coarse2, 0, 0}, [](int) { return 1; });
        }
    };
    coarse(mct_max_coarse_lookups);
    write_mct_model(model, file.path);
    CHECK(read_mct_model(file.path).cascade.coarse_lookups() == mct_max_coarse_lookups);
    coarse(mct_max_coarse_lookups + 1);
    CHECK_THROWS_WITH(
        write_mct_model(model, file.path),
        Contains(
            "'lookups[128].plane' must be pixel or block2, as there can be 128 coarse look-ups at most"));
    // Refused, and the file that was there is untouched.
    CHECK(read_mct_model(file.path).cascade.lookups.size() == 128);
    CHECK_FALSE(std::filesystem::exists(file.path.string() + ".part"));

    model.cascade.lookups.assign(mct_max_lookups + 1, {MctPlane::pixel, 0, 0});
    model.cascade.weights.assign(std::size_t{mct_max_lookups + 1} * MctCascade::codes, 0);
    CHECK_THROWS_WITH(write_mct_model(model, file.path),
                      Contains("must be 1 to 4096 look-ups, but is a list of 4097"));
    model.cascade.weights.pop_back();
    CHECK_THROWS_WITH(write_mct_model(model, file.path), Contains("cannot write a model of 4097 look-ups"));
}

TEST_CASE("MCT model: broken JSON is named with its line", "[mct_model]") {
    const ModelFile file;
    write_mct_model(varied_model(), file.path);
    const std::string text = read_file(file.path);
    const auto read = [&](const std::string& bytes) {
        write_file(file.path, bytes);
        return read_mct_model(file.path);
    };
    CHECK_THROWS_WITH(read(text.substr(0, text.find("\n  ]"))),
                      Contains("model.json:13: cannot read 'end of file': expected well-formed JSON"));
    CHECK_THROWS_WITH(read("{\n  \"format\" 3}"), Contains("model.json:2: cannot read '3}'"));
    CHECK_THROWS_WITH(read(""), Contains("model.json:1: cannot read 'end of file'"));
    CHECK_THROWS_WITH(read("[1]"), Contains("model.json must be an object, but is a list of 1"));
    CHECK_THROWS_WITH(read("{\"format\": 1e999}"), Contains("model.json"));
    CHECK_THROWS_WITH(read_mct_model(file.folder.path() / "none.json"), Contains("There is no model"));
}

TEST_CASE("MCT model: JSON and XML are told apart by their beginning", "[mct_model]") {
    const ModelFile file;
    const auto kind = [&](const std::string& bytes) {
        write_file(file.path, bytes);
        return is_mct_model(file.path);
    };
    CHECK(kind("{\"format\": 1}"));
    CHECK(kind("\xEF\xBB\xBF \r\n\t{"));
    CHECK_FALSE(kind("<?xml version=\"1.0\"?><opencv_storage>{"));
    CHECK_FALSE(kind("\n<opencv_storage>"));
    CHECK_FALSE(kind(""));
    CHECK_FALSE(kind("   "));
    CHECK_FALSE(is_mct_model(file.folder.path() / "none.json"));
}

TEST_CASE("MCT confidence: linear odds between the knots, worked out by hand", "[mct_model]") {
    const std::vector<ConfidenceKnot> knots{{10, 1}, {20, 3}};
    CHECK(mct_confidence(knots, 0) == 0);
    CHECK(mct_confidence(knots, 5) == 0.5 / 1.5);   // half way from 0 to the first knot
    CHECK(mct_confidence(knots, 10) == 0.5);        // odds 1
    CHECK(mct_confidence(knots, 15) == 2.0 / 3.0);  // odds 2
    CHECK(mct_confidence(knots, 20) == 0.75);       // odds 3
    CHECK(mct_confidence(knots, 80) == 15.0 / 16);  // odds 3 + 60 / 5
    CHECK(mct_confidence({{4, 2}}, 1) == 0.5 / 1.5);
    CHECK(mct_confidence({{4, 2}}, 8) == 0.8);  // odds 4
    CHECK(mct_confidence({{0, 1}, {1, 3}}, 0) == 0.5);
    CHECK(mct_confidence({{0, 1}, {1, 3}}, 0.5) == 2.0 / 3.0);
    CHECK(mct_confidence(knots, 100) < 1);
    CHECK_THROWS_AS(mct_confidence({}, 1), std::invalid_argument);

    double before = -1;
    for (double margin = 0; margin < 1e6; margin += 997) {
        const double confidence = mct_confidence({{3, 0.25}, {500, 0.5}, {20000, 900}}, margin);
        CHECK(confidence > before);
        before = confidence;
    }
}
