#include "lib/detect/face_net_model.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/support/face_nets.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

FaceNetModel varied_model() {
    FaceNetModel model{"varied \"one\"",
                       test::random_face_net({16, 16, 32}, 3),
                       {1.25, -0.5},
                       Json{{"seed", 7}, {"names", {"a", "b"}}}};
    model.net.stem.weights[0] = -128;
    model.net.stem.weights[1] = 127;
    model.net.stem.bias[1] = -16000000;
    model.net.stem.scale[0] = face_net_min_scale;
    model.net.stem.scale[1] = face_net_max_scale;
    model.net.stem.scale[2] = 0.1F;  // no decimal number of few digits
    return model;
}

struct ModelFile {
    test::TempDir folder;
    std::filesystem::path path = folder.path() / "model.json";

    Json json(const FaceNetModel& model) const {
        write_face_net_model(model, path);
        return Json::parse(read_file(path));
    }
    FaceNetModel read(const Json& json) const {
        write_file(path, json.dump());
        return read_face_net_model(path);
    }
};

}  // namespace

TEST_CASE("face network file: what is written is read back, in every bit", "[face_net_model]") {
    const ModelFile file;
    const FaceNetModel model = varied_model();
    write_face_net_model(model, file.path);
    const FaceNetModel back = read_face_net_model(file.path);
    CHECK(back.name == model.name);
    CHECK(back.net == model.net);
    CHECK(back.score == model.score);
    CHECK(back.training == model.training);
    const std::string bytes = read_file(file.path);
    write_face_net_model(back, file.path);
    CHECK(read_file(file.path) == bytes);
    // Each array is where its name says.
    const Json json = Json::parse(bytes);
    CHECK(json["stem"]["weights"][1] == 127);
    CHECK(json["backbone"][8]["depthwise"]["bias"][31] == model.net.backbone[8].depthwise.bias[31]);
    CHECK(json["backbone"][1]["pointwise"]["weights"].size() == 16 * 16);
    CHECK(json["neck"][2]["pointwise"]["weights"][33] == model.net.neck[2].pointwise.weights[33]);
    CHECK(json["sums"][1]["coarse_scale"].get<float>() == model.net.sums[1].coarse_scale);
    CHECK(json["heads"][0][1]["depthwise"]["scale"].size() == 5);
    CHECK(json["heads"][2][0]["pointwise"]["weights"][5] == model.net.heads[2][0].pointwise.weights[5]);

    FaceNetModel untold = model;
    untold.training = {};
    CHECK(!file.json(untold).contains("training"));
    CHECK(read_face_net_model(file.path).training.is_null());
    Json unscored = json;
    unscored.erase("score");
    CHECK(file.read(unscored).score == FaceNetScore{});
}

TEST_CASE("face network file: one layer is one line", "[face_net_model]") {
    const ModelFile file;
    write_face_net_model(varied_model(), file.path);
    const std::string text = read_file(file.path);
    CHECK_THAT(text, Contains("{\n  \"format\": \"fovea-face-net\",\n  \"version\": 1,\n"));
    CHECK_THAT(text, Contains("\n  \"stem\": {\"weights\": [-128,127,"));
    CHECK_THAT(text, Contains("\n    {\"pointwise\": {\"weights\": ["));
    CHECK_THAT(text, Contains("]},\n     \"depthwise\": {\"weights\": ["));
    CHECK_THAT(text, Contains(",\n  \"training\": {\n    \"seed\": 7,\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') < 70);
}

TEST_CASE("face network file: every broken field is named with its place", "[face_net_model]") {
    const ModelFile file;
    const Json good = file.json(varied_model());
    struct Broken {
        const char* place;
        Json value;
        const char* message;
    };
    const std::vector<Broken> cases{
        {"/version", 2, "'version' must be 1, but is 2: the file was written by a newer"},
        {"/format", "fovea-mct-cascade",
         "'format' must be \"fovea-face-net\", but is the string \"fovea-mct-cascade\""},
        {"/name", "", "/name: must not be empty"},
        {"/name", 3, "'name' must be a string, but is 3"},
        {"/channels", 40, "'channels' must be a multiple of 16 up to 128, but is 40"},
        {"/channels", 144, "'channels' must be an integer from 1 to 128, but is 144"},
        {"/channels", 0, "'channels' must be an integer from 1 to 128, but is 0"},
        {"/channels", 64, "'backbone[3].pointwise.weights' must be a list of"},
        {"/stem_channels", 24, "'stem_channels' must be a multiple of 16 up to 128, but is 24"},
        {"/stem_channels", 48, "'stem.weights' must be a list of"},
        {"/quarter_channels", 24, "'quarter_channels' must be a multiple of 16 up to 128, but is 24"},
        {"/quarter_channels", 32, "'backbone[1].pointwise.weights' must be a list of"},
        {"/backbone", Json::array({1}), "'backbone' must be a list of 9 units, but is a list of 1"},
        {"/backbone/3", 7, "'backbone[3]' must be an object"},
        {"/neck", Json::object(), "'neck' must be a list, but is an object"},
        {"/neck/3", Json::object(), "'neck' must be a list of 3 units, but is a list of 4"},
        {"/heads/1", Json::array(), "'heads[1]' must be a list of 2 units, but is an empty list"},
        {"/heads/3", Json::array(), "'heads' must be a list of 3 heads, but is a list of 4"},
        {"/sums/0", 1, "'sums[0]' must be an object"},
        {"/sums/1/fine_scale", 0, "'sums[1].fine_scale' must be a number from 2^-60 to 64, but is 0"},
        {"/sums/1/scale", 1, "unknown key 'sums[1].scale'"},
        {"/stem/weights/0", 128, "'stem.weights[0]' must be an integer from -128 to 127, but is 128"},
        {"/stem/weights/3", -129, "'stem.weights[3]' must be an integer from -128 to 127, but is -129"},
        {"/stem/weights/3", 0.5, "'stem.weights[3]' must be an integer from -128 to 127, but is 0.5"},
        {"/stem/weights", Json::array({1, 2}), "must be a list of 144 integers, but is a list of 2"},
        {"/backbone/0/pointwise/bias/15", 16777217,
         "'backbone[0].pointwise.bias[15]' must be an integer from -16777216 to 16777216, but is 16777217"},
        {"/backbone/0/pointwise/bias/15", 16777000,
         "/backbone/0/pointwise: the sum of output 15 can reach 1"},
        {"/backbone/2/depthwise/scale/7", 64.5,
         "'backbone[2].depthwise.scale[7]' must be a number from 2^-60 to 64, but is 64.5"},
        {"/backbone/2/depthwise/scale/7", 1e300,
         "'backbone[2].depthwise.scale[7]' must be a number from 2^-60 to 64, but is 1e+300"},
        {"/backbone/2/depthwise/scale/7", -1,
         "'backbone[2].depthwise.scale[7]' must be a number from 2^-60 to 64, but is -1"},
        {"/backbone/2/depthwise/scale/7", "1", "scale[7]' must be a number, but is the string \"1\""},
        {"/heads/0/1/depthwise/scale", Json::array({1}), "must be a list of 5 numbers, but is a list of 1"},
        {"/heads/0/1/depthwise/scales", 1, "unknown key 'heads[0][1].depthwise.scales'"},
        {"/score", 1, "'score' must be an object, but is 1"},
        {"/score/slope", 0, "'score.slope' must be 0.001 to 1000, but is 0"},
        {"/score/offset", 1e4, "'score.offset' must be -1000 to 1000, but is 10000.0"},
        {"/score/scale", 1, "unknown key 'score.scale'"},
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
    for (const char* key : {"/format", "/version", "/name", "/stem_channels", "/quarter_channels",
                            "/channels", "/stem", "/backbone", "/neck", "/sums", "/heads", "/stem/bias",
                            "/neck/1/pointwise", "/sums/0/coarse_scale", "/heads/2/1/depthwise/scale"}) {
        Json json = good;
        const Json::json_pointer pointer(key);
        json[pointer.parent_pointer()].erase(pointer.back());
        CAPTURE(key);
        CHECK_THROWS_WITH(file.read(json), Contains("\"" + pointer.back() + "\""));
    }
}

TEST_CASE("face network file: a file that is cut off, empty or missing is an error", "[face_net_model]") {
    const ModelFile file;
    write_face_net_model(varied_model(), file.path);
    const std::string bytes = read_file(file.path);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size() / 2, bytes.size() - 2}) {
        CAPTURE(size);
        write_file(file.path, bytes.substr(0, size));
        CHECK_THROWS_WITH(read_face_net_model(file.path), Contains("model.json") && Contains("JSON"));
    }
    CHECK_THROWS_AS(read_face_net_model(file.folder.path() / "none.json"), Error);
    write_file(file.path, "[]");
    CHECK_THROWS_WITH(read_face_net_model(file.path), Contains("fovea-face-net"));
}

TEST_CASE("face network file: a faulty network is not written, and the old file stays", "[face_net_model]") {
    const ModelFile file;
    write_file(file.path, "old");
    FaceNetModel model = varied_model();
    model.net.neck[0].depthwise.scale[1] = std::numeric_limits<float>::infinity();
    CHECK_THROWS_WITH(
        write_face_net_model(model, file.path),
        Contains("model.json: /neck/0/depthwise/scale/1: must be from 2^-60 to 64, but is inf"));
    model = varied_model();
    model.name.clear();
    CHECK_THROWS_WITH(write_face_net_model(model, file.path), Contains("/name: must not be empty"));
    CHECK(read_file(file.path) == "old");
}
