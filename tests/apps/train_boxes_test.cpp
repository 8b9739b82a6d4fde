// fovea train boxes from the command line to its file.
#include <algorithm>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "tests/lib/detect/mct_models.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string spot_pgm(int x, int y) {
    std::string pixels(60 * 60, char(50));
    for (int row = y; row < y + 4; ++row) {
        for (int column = x; column < x + 4; ++column) pixels[row * 60 + column] = char(200);
    }
    return "P5\n60 60\n255\n" + pixels;
}

// A bright spot each, found by a model of that name; its "landmarks" are the corners of a square about it.
struct Spots {
    explicit Spots(int count) {
        for (int i = 0; i < count; ++i) {
            const int x = 24 + i % 5, y = 25 + i % 3;
            const std::string stem = "faces/" + std::to_string(10 + i);
            folder.write(stem + ".pgm", spot_pgm(x, y));
            folder.write(stem + ".pts", square(x - 6, y - 5, 16));
        }
        std::filesystem::create_directory(folder.path() / "models");
        write_mct_model(spot_model(), folder.path() / "models" / "spots.json");
        options.environment["FOVEA_MODELS"] = path("models");
    }
    static std::string square(int x, int y, int side) {
        std::string text = "{\n";
        for (const auto& [u, v] : {std::pair{0, 0}, {side, 0}, {side, side}, {0, side}}) {
            text += std::to_string(x + u) + " " + std::to_string(y + v) + "\n";
        }
        return text + "}\n";
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult train(std::vector<std::string> more) const {
        more.insert(more.begin(), {"train", "boxes", "--dataset", "pts:" + path("faces"), "--device", "cpu"});
        return run_fovea(more, options);
    }

    TempDir folder;
    ProgramOptions options;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

TEST_CASE("train boxes fits a detector's convention and keeps those of other names", "[cli][train][boxes]") {
    const Spots s(15);
    const std::string file = s.path("landmarks/boxes.json");
    s.folder.write("landmarks/boxes.json",
                   R"({"format": "fovea-box-conventions", "version": 1, "conventions": [
                       {"name": "other", "landmarks": {"left": 0, "top": 0, "right": 1, "bottom": 2},
                        "spread": [0, 0, 0, 0], "faces": 3},
                       {"name": "spots", "landmarks": {"left": 7, "top": 7, "right": 8, "bottom": 8},
                        "spread": [0, 0, 0, 0], "faces": 4}]})");
    const ProgramResult result = s.train({"--model", "spots", "--out", file, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["command"] == "train boxes");
    CHECK(summary["images"] == 15);
    CHECK(summary["faces"] == 15);
    CHECK(summary["conventions"].size() == 2);

    const auto conventions = read_conventions(file);
    REQUIRE(conventions.size() == 3);
    CHECK(conventions[0].name == "other");
    CHECK(conventions[0].faces == 3);
    CHECK(conventions[1].name == "spots");
    CHECK(conventions[1].faces == 15);
    CHECK(conventions[1].dataset == "faces: 15 faces in 15 images");
    // Tight boxes of squares: corners at 0 and 1, but that the last pixel of a box 16 wide is the 15th.
    CHECK(conventions[2].name == "landmarks");
    CHECK(conventions[2].landmarks.left == Approx(0).margin(1e-9));
    CHECK(conventions[2].landmarks.bottom == Approx(16.0 / 15));

    // The detections and the squares have to do with each other.
    const ProgramResult found =
        run_fovea({"detect", s.path("faces"), "--model", "spots", "--device", "cpu", "--quiet"}, s.options);
    REQUIRE(found.exit_code == 0);
    std::vector<double> lefts, bottoms;
    std::istringstream lines(found.out);
    int i = 0;
    for (std::string line; std::getline(lines, line); ++i) {
        const Json json = Json::parse(line);
        REQUIRE(json["detections"].size() == 1);
        const auto box = json["detections"][0]["box"].get<std::vector<double>>();
        lefts.push_back((24 + i % 5 - 6 - box[0]) / (box[2] - 1));
        bottoms.push_back((25 + i % 3 - 5 + 16 - box[1]) / (box[3] - 1));
    }
    REQUIRE(i == 15);
    CHECK(conventions[1].landmarks.left == Approx(median(lefts)));
    CHECK(conventions[1].landmarks.bottom == Approx(median(bottoms)));
}

TEST_CASE("train boxes gives the same bytes for every number of threads, by flags and by a configuration",
          "[cli][train][boxes]") {
    const Spots s(30);
    const auto bytes = [&](const std::string& threads) {
        const ProgramResult result = s.train({"--model", "spots", "--out", "-", "--threads", threads});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.err, Contains("30 faces in 30 images") && Contains("spots"));
        return result.out;
    };
    const std::string one = bytes("1");
    CHECK(Json::parse(one)["conventions"].size() == 2);
    CHECK(one == bytes("3"));

    const Json config{{"dataset", {{"path", "pts:" + s.path("faces")}}}, {"detectors", {"spots"}}};
    const std::string file = s.folder.write("train.json", config.dump()).string();
    const ProgramResult configured =
        run_fovea({"train", "boxes", "--config", file, "--device", "cpu", "--out", "-"}, s.options);
    CAPTURE(configured.err);
    CHECK(configured.out == one);
    CHECK_THAT(s.train({"--model", "spots", "mct", "--out", "-"}).err, Contains("mct"));
}

TEST_CASE("train boxes says what is unreadable, and leaves faces that are not found", "[cli][train][boxes]") {
    const Spots s(14);
    s.folder.write("faces/a.pgm", "P5\n60 60\n255\nshort");
    s.folder.write("faces/a.pts", Spots::square(10, 10, 10));
    s.folder.write("faces/b.pgm", spot_pgm(10, 10));
    s.folder.write("faces/b.pts", Spots::square(40, 40, 10));
    const ProgramResult result = s.train({"--model", "spots", "--out", s.path("boxes.json"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    const Json summary = Json::parse(result.out);
    CHECK(summary["faces"] == 15);
    CHECK(summary["conventions"][0]["faces"] == 14);
    CHECK(summary["unreadable_images"][0]["image"] == "a.pgm");
    CHECK(std::filesystem::is_regular_file(s.path("boxes.json")));
}

TEST_CASE("train boxes refuses what it cannot fit", "[cli][train][boxes]") {
    const Spots s(12);
    const auto refusal = [&](const std::vector<std::string>& more, int code = 2) {
        const ProgramResult result = s.train(more);
        INFO(result.err);
        CHECK(result.exit_code == code);
        return result.err;
    };
    const std::string out = s.path("boxes.json");
    CHECK_THAT(refusal({"--out", out}), Contains("--model"));
    CHECK_THAT(refusal({"--model", "spots"}), Contains("--out"));
    CHECK_THAT(refusal({"--model", "nothing", "--out", out}), Contains("nothing"));
    CHECK_THAT(refusal({"--model", "spots", "--out", s.path("no/such/boxes.json")}),
               Contains("--out") && Contains("no/such"));
    CHECK_THAT(refusal({"--model", "spots", "--out", s.path("faces/10.pts")}, 1), Contains("10.pts"));
    CHECK_THAT(refusal({"--model", "spots", "--out", out, "--limit", "9"}, 1),
               Contains("spots") && Contains("9 faces"));
    CHECK_FALSE(std::filesystem::exists(out));

    s.folder.write("broken.json", "{}");
    CHECK_THAT(refusal({"--model", "spots", "--out", s.path("broken.json")}, 1),
               Contains("broken.json") && Contains("format"));

    s.folder.write("faces/z.pgm", spot_pgm(20, 20));
    s.folder.write("faces/z.pts", "1 2\n3 4\n");
    CHECK_THAT(refusal({"--model", "spots", "--out", out}),
               Contains("z.pgm") && Contains("2 landmarks") && Contains("4"));
    CHECK_THAT(run_fovea({"train", "boxes", "--dataset", "folder:" + s.path("faces"), "--model", "spots",
                          "--out", out, "--device", "cpu"},
                         s.options)
                   .err,
               Contains("no landmarks"));
}
