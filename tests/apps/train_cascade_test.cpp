// fovea train cascade from the command line to its files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/apps/cross_workshop.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sources.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("A trained cascade finds the object, and OpenCV finds the same windows", "[train-cascade]") {
    const CrossWorkshop shop;
    const std::string features = GENERATE("haar-basic", "lbp", "haar-all");
    const std::string depth = features == "lbp" ? "2" : "1";
    const ProgramResult result = shop.train("cross.xml", {"--features", features, "--max-depth", depth,
                                                          "--json", "--report", shop.path("report")});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    REQUIRE(summary["stages"].size() >= 1);
    CHECK(summary["stages"][0]["hit_rate"].get<double>() >= 0.995);
    CHECK(summary["stages"][0]["false_alarm"].get<double>() <= 0.5);
    CHECK(read_file(shop.path("report/training.html"), "report").find("Stage 1") != std::string::npos);
    CHECK(read_file(shop.path("report/samples.png"), "sheet").starts_with("\x89PNG"));
    const Json manifest = Json::parse(read_file(shop.path("cross.training.json"), "manifest"));
    CHECK(manifest["data"]["positives"][0]["sha256"].get<std::string>().size() == 64);

    const ProgramResult found =
        run_fovea({"detect", shop.path("scene.pgm"), "--model", shop.path("cross.xml"), "--device", "cpu",
                   "--min-neighbors", "0", "--out", shop.path("found.jsonl")});
    REQUIRE(found.exit_code == 0);
    const Json line = Json::parse(read_file(shop.path("found.jsonl"), "results"));
    const auto finds = [&](double x, double y) {
        return std::any_of(line["detections"].begin(), line["detections"].end(), [&](const Json& detection) {
            return std::abs(detection["box"][0].get<double>() - x) <= 3 &&
                   std::abs(detection["box"][1].get<double>() - y) <= 3;
        });
    };
    // A scan skips a place behind one that the first stage rejects, so that not all are visited.
    std::size_t count = 0;
    for (const auto& [x, y] : cross_places) count += finds(x, y);
    CHECK(count >= 3);
    const ProgramResult verified =
        run_fovea({"verify", shop.path("scene.pgm"), "--model", shop.path("cross.xml")});
    INFO(verified.out << verified.err);
    CHECK(verified.exit_code == 0);
}

TEST_CASE("The configurations of cascades that ship are valid", "[train-cascade][config]") {
    ProgramOptions options;
    options.environment["FOVEA_DATA"] = "/somewhere";
    options.environment["FOVEA_OUT"] = "/elsewhere";
    for (const std::string name : {"cars-uiuc", "cells-bccd", "plates", "faces-lbp", "sweep-bccd"}) {
        const ProgramResult result =
            run_fovea({"train", "cascade", "--config", test::source_file("configs/train-") + name + ".json",
                       "--print-config"},
                      options);
        INFO(name << result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.out, Contains("/somewhere/") && !Contains("${"));
        CHECK((result.out.find("/elsewhere/") != std::string::npos) ==
              (name == "cells-bccd" || name == "plates"));
    }
}

TEST_CASE("With a border, a cascade finds an object that the image cuts off", "[train-cascade][border]") {
    const CrossWorkshop shop;
    const ProgramResult trained = shop.train("cross.xml");
    INFO(trained.err);
    REQUIRE(trained.exit_code == 0);
    std::mt19937 random(9);
    Picture scene = noisy(80, 60, random);
    draw_cross(scene, 40, 30, random);
    // The first columns are those of a cross whose others lie beyond the image: 3 pixels of its arms.
    Picture cross = noisy(16, 16, random);
    draw_cross(cross, 0, 0, random);
    for (int y = 0; y < 16; ++y) {
        for (int x = 3; x < 16; ++x)
            scene.set(x - 3, 20 + y,
                      static_cast<unsigned char>(cross.pixels[static_cast<std::size_t>(y * 16 + x)]));
    }
    shop.folder.write("cut.pgm", scene.pgm());
    // Boxes at the left edge that are cut off there.
    const auto cut_off = [&](const std::string& border) {
        const std::string out = shop.path("cut" + border + ".jsonl");
        const ProgramResult found =
            run_fovea({"detect", shop.path("cut.pgm"), "--model", shop.path("cross.xml"), "--device", "cpu",
                       "--min-neighbors", "0", "--border", border, "--out", out});
        INFO(found.err);
        REQUIRE(found.exit_code == 0);
        const Json line = Json::parse(read_file(out, "results"));
        return std::count_if(line["detections"].begin(), line["detections"].end(), [](const Json& detection) {
            const Json& box = detection["box"];
            return box[0] == 0 && box[2] < box[3] && std::abs(box[1].get<double>() - 20) <= 3;
        });
    };
    CHECK(cut_off("0") == 0);
    CHECK(cut_off("6") > 0);
    const ProgramResult verified =
        run_fovea({"verify", shop.path("cut.pgm"), "--model", shop.path("cross.xml")});
    CHECK(verified.exit_code == 0);
    const ProgramResult refused =
        run_fovea({"detect", shop.path("cut.pgm"), "--model", shop.path("cross.xml"), "--border", "-2"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("border") && Contains("between 0 and 4096"));
}

TEST_CASE(
    "A cascade has the same bytes for every number of threads, and in the older format the same windows",
    "[train-cascade]") {
    const CrossWorkshop shop;
    REQUIRE(shop.train("one.xml", {"-j", "1"}).exit_code == 0);
    REQUIRE(shop.train("four.xml", {"-j", "4"}).exit_code == 0);
    CHECK(read_file(shop.path("one.xml"), "cascade") == read_file(shop.path("four.xml"), "cascade"));
    REQUIRE(shop.train("old.xml", {"--old-format"}).exit_code == 0);
    for (const std::string model : {"one", "old"}) {
        const ProgramResult found =
            run_fovea({"detect", shop.path("scene.pgm"), "--model", shop.path(model + ".xml"), "--device",
                       "cpu", "--min-neighbors", "0", "--out", shop.path(model + ".jsonl")});
        INFO(found.err);
        REQUIRE(found.exit_code == 0);
    }
    CHECK(read_file(shop.path("one.jsonl"), "results") == read_file(shop.path("old.jsonl"), "results"));
}

TEST_CASE("A training leaves no checkpoint, and goes on from none of another kind", "[train-cascade]") {
    const CrossWorkshop shop;
    REQUIRE(shop.train("whole.xml", {"--checkpoint", shop.path("gone.json")}).exit_code == 0);
    CHECK_FALSE(std::filesystem::exists(shop.path("gone.json")));
    const std::string text = shop.folder.write("text.txt", "no JSON").string();
    const ProgramResult other = shop.train("other.xml", {"--checkpoint", text, "--resume"});
    CHECK(other.exit_code == 1);
    CHECK_THAT(other.err, Contains("text.txt' does not begin with a checksum") && Contains("no checkpoint"));
}

TEST_CASE("Backgrounds that run dry end a training with a reason", "[train-cascade]") {
    const CrossWorkshop shop;
    const ProgramResult result = shop.train("dry.xml", {"--json"}, "40");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const Json summary = Json::parse(result.out);
    CHECK(summary["stages"].size() < 40);
    CHECK_THAT(summary["end"].get<std::string>(),
               Contains("windows left") || Contains("window left") || Contains("left that pass"));
    CHECK(std::filesystem::exists(shop.path("dry.xml")));
}

TEST_CASE("A training that could not write its cascade is refused before it begins", "[train-cascade]") {
    const CrossWorkshop shop;
    const auto refused = [&](const std::vector<std::string>& files, const std::string& reason) {
        std::vector<std::string> arguments{"train",         "cascade",
                                           "--positives",   "folder:" + shop.path("crops"),
                                           "--backgrounds", "folder:" + shop.path("grounds")};
        arguments.insert(arguments.end(), files.begin(), files.end());
        const ProgramResult result = run_fovea(arguments);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains(reason));
    };
    refused({"--out", shop.path("no/such/cross.xml")}, "--out: there is no folder " + shop.path("no/such"));
    refused({"--out", shop.path("crops")}, "is a folder; name a file");
    refused({"--out", shop.path("cross.xml"), "--checkpoint", shop.path("no/such/part.json")},
            "--checkpoint: there is no folder");
    refused({"--out", shop.path("scene.pgm/cross.xml")}, "cannot be made");
    // One new folder in a folder that is there is made.
    CHECK(shop.train("new/cross.xml", {}, "1").exit_code == 0);
    CHECK(std::filesystem::exists(shop.path("new/cross.xml")));
}

TEST_CASE("Trainings that cannot be are refused before they begin", "[train-cascade]") {
    const CrossWorkshop shop;
    const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
        arguments.insert(arguments.begin(), {"train", "cascade", "--out", shop.path("no.xml")});
        const ProgramResult result = run_fovea(arguments);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains(reason));
    };
    const std::string crops = "folder:" + shop.path("crops"), grounds = "folder:" + shop.path("grounds");
    refused({"--backgrounds", grounds}, "no positives");
    refused({"--positives", crops}, "no backgrounds");
    refused({"--positives", crops, "--backgrounds", grounds, "--features", "lbp", "--old-format"},
            "no LBP cascades");
    refused({"--positives", crops, "--backgrounds", grounds, "--width", "256", "--height", "256",
             "--features", "haar-all"},
            "more than 10000000 features");
    shop.folder.write("two.vec", std::string("\x01\0\0\0\x04\0\0\0\0\0\0\0\0", 13));
    CHECK(run_fovea({"train", "cascade", "--out", shop.path("no.xml"), "--positives",
                     "vec:" + shop.path("two.vec"), "--backgrounds", grounds})
              .exit_code != 0);
    CHECK_FALSE(std::filesystem::exists(shop.path("no.xml")));
}
