#include <numbers>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/train/mct/synthetic_faces.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::string failure_of(const TrainConfig& config) {
    try {
        load_training_data(config);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

// A strip of 120 tiles, ten portraits, five backgrounds, with no jitter but mirroring.
struct Folder {
    Folder() {
        dir.write("strip.pgm", strip_pgm(120));
        write_portraits(dir, "portraits", 10);
        for (int i = 0; i < 5; ++i) {
            dir.write("grounds/" + std::to_string(i) + ".pgm",
                      pgm_of(ground(40, 30, static_cast<std::uint32_t>(i))));
        }
        config.strips = {{path("strip.pgm"), 24, 12, 12, 24}};
        config.datasets = {"pts:" + path("portraits")};
        config.backgrounds = {"folder:" + path("grounds")};
        config.jitter = {2, 0, 0, 0, 0, 0};
    }
    std::string path(const std::string& name) const { return (dir.path() / name).string(); }

    TempDir dir;
    TrainConfig config;
};

}  // namespace

TEST_CASE("a face's window follows from eyes and mouth", "[train][data]") {
    Face face;
    face.eyes = Eyes{{10, 20}, {30, 20}};
    face.landmarks.assign(6, Point{0, 0});
    face.landmarks[4] = {20, 40};
    // s = 2.4 · max(20, 0.85 · 20) = 48, centred 0.42 of the way to the mouth; pixel centres lie at halves.
    FacePlace place = face_place(face, 1.1, "a.pgm");
    CHECK(place.x == Approx(20.5));
    CHECK(place.y == Approx(28.9));
    CHECK(place.side == Approx(52.8));
    CHECK(place.angle_rad == Approx(0));
    CHECK_FALSE(place.mirrored);
    // The mouth of 68 points is between 52 and 58, counted from 1.
    face.landmarks.assign(68, Point{0, 0});
    face.landmarks[51] = {19, 38};
    face.landmarks[57] = {21, 42};
    CHECK(face_place(face, 1.1, "a.pgm") == place);
    // Without one it lies 1.18 eye distances below: s = 2.4 · 0.85 · 23.6.
    face.landmarks.clear();
    place = face_place(face, 1, "a.pgm");
    CHECK(place.side == Approx(48.144));
    CHECK(place.y == Approx(20.5 + 0.42 * 23.6));
    // A face on its side, its right eye below: the mouth is to the left.
    face.eyes = Eyes{{20, 10}, {20, 30}};
    place = face_place(face, 1, "a.pgm");
    CHECK(place.angle_rad == Approx(std::numbers::pi / 2));
    CHECK(place.x == Approx(20.5 - 0.42 * 23.6));
    CHECK(place.y == Approx(20.5));
    face.eyes.reset();
    CHECK_THROWS_WITH(face_place(face, 1, "a.pgm"), Contains("a.pgm") && Contains("no eye coordinates"));
}

TEST_CASE("strips, portraits and backgrounds become patches and images", "[train][data]") {
    const Folder f;
    std::vector<std::pair<std::size_t, std::size_t>> progress;
    const TrainingData data = load_training_data(
        f.config, [&](std::size_t done, std::size_t total) { progress.emplace_back(done, total); });
    // Every fifth of portraits and backgrounds validates; no tile below 900 does.
    CHECK(data.faces.size() == 2 * (120 + 8));
    CHECK(data.validation_faces.size() == 2 * 2);
    REQUIRE(data.backgrounds.size() == 8 + 4);
    CHECK(data.backgrounds[0].name == "00.pgm");
    CHECK(data.backgrounds[4].name == "05.pgm");  // 04 validates
    CHECK(data.backgrounds[8].name == "0.pgm");
    CHECK(data.backgrounds[8].faces.empty());
    CHECK(data.unreadable == 0);
    REQUIRE(progress.size() == 15);
    CHECK(progress.back() == std::pair<std::size_t, std::size_t>{15, 15});

    // Two validation images a portrait, of faces 20 to 40 pixels wide but for those it would have to enlarge.
    REQUIRE(data.validation_images.size() == 2 * 2 + 1);
    for (std::size_t i = 0; i < 4; ++i) {
        REQUIRE(data.validation_images[i].faces.size() == 1);
        CHECK(data.validation_images[i].faces[0].w > 19);
        CHECK(data.validation_images[i].faces[0].w < 41);
    }
    CHECK(data.validation_images[4].faces.empty());

    CHECK(data.manifest["faces"] == 128);
    CHECK(data.manifest["face_patches"] == 256);
    CHECK(data.manifest["validation_images"] == 5);
    CHECK(data.manifest["strips"][0]["strip"] == "strip.pgm");
    CHECK(data.manifest["strips"][0]["tiles"] == 120);
    CHECK(data.manifest["datasets"][0]["dataset"] == "portraits");
    CHECK(data.manifest["datasets"][0]["sha256"].get<std::string>().size() == 64);
    CHECK(data.manifest.dump().find(f.dir.path().string()) == std::string::npos);
}

TEST_CASE("a portrait's face is where its points say, to be mined around", "[train][data]") {
    const Folder f;
    const TrainingData data = load_training_data(f.config);
    // The first portrait's window, as write_portraits chose it.
    Dice dice(700);
    const double x = 30 + dice.below(10);
    const double y = 28 + dice.below(8);
    const double side = 30 + dice.below(12);
    REQUIRE(data.backgrounds[0].faces.size() == 1);
    const Box& window = data.backgrounds[0].faces[0];
    CHECK(window.centre().x == Approx(x).margin(0.05));
    CHECK(window.centre().y == Approx(y).margin(0.05));
    CHECK(window.w == Approx(side).epsilon(0.02));
    // The patch shows the drawn eye darker than what is between both.
    const MctPatch& patch = data.faces[2 * 120];
    const auto at = [&](int u, int v) { return int{patch.view()(patch.dx + u, patch.dy + v)}; };
    CHECK(at(7, 7) < at(12, 7) - 15);
    CHECK(at(16, 7) < at(12, 7) - 15);
    CHECK(at(12, 18) < at(12, 12) - 15);
}

TEST_CASE("every second copy is mirrored", "[train][data]") {
    const Folder f;
    const TrainingData data = load_training_data(f.config);
    int wrong = 0;
    for (std::size_t i = 0; i < 2 * 120; i += 2) {
        const MctPatch& a = data.faces[i];
        const MctPatch& b = data.faces[i + 1];
        for (int k = 0; k < 24 * 24; ++k) {
            wrong += a.view()(a.dx + k % 24, a.dy + k / 24) != b.view()(b.dx + 23 - k % 24, b.dy + k / 24);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("jitter depends on the seed alone", "[train][data]") {
    Folder f;
    f.config.jitter = {3, 0.03, 0.05, 8, 0, 0};
    const TrainingData one = load_training_data(f.config);
    CHECK(one.faces.size() == 3 * 128);
    CHECK(same(one.faces, load_training_data(f.config).faces));
    CHECK_FALSE(same(one.faces[0], one.faces[2]));
    f.config.seed = 2;
    CHECK_FALSE(same(one.faces, load_training_data(f.config).faces));
}

TEST_CASE("noise and blur come to two of three faces and backgrounds, not to validation", "[train][data]") {
    Folder f;
    f.config.jitter.copies = 3;
    const TrainingData clean = load_training_data(f.config);
    for (const auto& [noise, blur] : {std::pair{20.0, 0.0}, {0.0, 1.0}}) {
        f.config.jitter.noise = noise;
        f.config.jitter.blur = blur;
        const TrainingData data = load_training_data(f.config);
        CHECK(same(data.faces[0], clean.faces[0]));
        CHECK_FALSE(std::equal(std::begin(data.faces[1].pixels), std::end(data.faces[1].pixels),
                               std::begin(clean.faces[1].pixels)));
        for (std::size_t i = 0; i < data.backgrounds.size(); ++i) {
            INFO("background " << i);
            CHECK((data.backgrounds[i].image.pixels == clean.backgrounds[i].image.pixels) == (i % 3 == 0));
        }
        for (std::size_t i = 0; i < data.validation_images.size(); ++i) {
            CHECK(data.validation_images[i].image.pixels == clean.validation_images[i].image.pixels);
        }
    }
}

TEST_CASE("tiles 900 to 999 of every thousand validate", "[train][data]") {
    Folder f;
    f.dir.write("strip.pgm", strip_pgm(1001));
    f.config.datasets.clear();
    f.config.jitter.copies = 1;
    const TrainingData data = load_training_data(f.config);
    CHECK(data.faces.size() == 901);
    CHECK(data.validation_faces.size() == 100);
    const auto is_tile = [](const MctPatch& patch, std::uint32_t tile) {
        const GreyImage image = face_tile(24, tile);
        return same(patch, PatchSource(image.view()).cut({12, 12, 24, 0, false}, patch.dx, patch.dy));
    };
    CHECK(is_tile(data.faces[899], 899));
    CHECK(is_tile(data.faces[900], 1000));
    CHECK(is_tile(data.validation_faces[0], 900));
    CHECK(is_tile(data.validation_faces[99], 999));
}

TEST_CASE("portraits may be kept out of the negatives", "[train][data]") {
    Folder f;
    f.config.negatives.portraits = false;
    CHECK(load_training_data(f.config).backgrounds.size() == 4);
    f.config.backgrounds.clear();
    CHECK_THAT(failure_of(f.config), Contains("no background left"));
}

TEST_CASE("data that cannot be trained on is refused in a sentence", "[train][data]") {
    Folder f;
    SECTION("a strip whose height is no multiple of its tiles") {
        f.dir.write("strip.pgm", pgm_of(noise(24, 24 * 120 + 5, 1)));
        CHECK_THAT(failure_of(f.config),
                   Contains("strip.pgm") && Contains("24x2885") && Contains("24x24") && Contains("'tile'"));
    }
    SECTION("a strip of another width") {
        f.config.strips[0].tile = 20;
        CHECK_THAT(failure_of(f.config), Contains("24x2880") && Contains("tiles of 20x20"));
    }
    SECTION("a strip that is not there") {
        f.config.strips[0].path = f.path("missing.pgm");
        CHECK_THAT(failure_of(f.config), Contains("missing.pgm"));
    }
    SECTION("too few faces") {
        f.dir.write("strip.pgm", strip_pgm(90));
        CHECK_THAT(failure_of(f.config),
                   Contains("too few faces") && Contains("98 faces") && Contains("at least 100"));
    }
    SECTION("none for validation") {
        f.config.datasets.clear();
        CHECK_THAT(failure_of(f.config), Contains("too few faces") && Contains("0 patches"));
    }
    SECTION("a face without eyes") {
        f.dir.write("portraits/03.pts", "10 10\n20 20\n");
        CHECK_THAT(failure_of(f.config), Contains("03.pgm") && Contains("no eye coordinates"));
    }
    SECTION("a dataset that is not there") {
        f.config.datasets = {"pts:" + f.path("nowhere")};
        CHECK_THROWS_AS(load_training_data(f.config), UsageError);
    }
    SECTION("an unreadable image is left out and counted") {
        f.dir.write("portraits/03.pgm", "P5\n");
        f.dir.write("grounds/1.pgm", "P5\n");
        const TrainingData data = load_training_data(f.config);
        CHECK(data.unreadable == 2);
        CHECK(data.manifest["unreadable_images"] == 2);
        CHECK(data.backgrounds.size() == 7 + 3);
        CHECK(data.faces.size() == 2 * 127);
    }
}
