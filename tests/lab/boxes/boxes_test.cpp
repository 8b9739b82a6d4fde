#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/lab/boxes/box_record.hpp"
#include "tests/lib/dataset/support.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/still_portraits.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

ProgramResult run_boxes(const StillPortraits& f, std::vector<std::string> more) {
    more.insert(more.begin(), {"boxes", "pts:" + f.photos, "--landmarks", f.landmarks});
    more.insert(more.end(), {"--device", "cpu"});
    return run_lab_program(more, f.options);
}

}  // namespace

TEST_CASE("the laboratory moves and resizes boxes, and reports it", "[lab][landmarks]") {
    const StillPortraits f;
    const ProgramResult result = run_boxes(f, {"--resamples", "20", "--out", f.path("out"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);  // c.pgm
    CHECK_THAT(result.err, Contains("c.pgm"));
    const Json json = Json::parse(result.out);
    CHECK(json["command"] == "boxes");
    CHECK(json["interrupted"] == false);
    // Points that keep their place in the box are off by what the box is moved: 2 % to 20 % of it.
    REQUIRE(json["shifts"].size() == 7);
    CHECK(json["faces"] == 2);
    CHECK(json["draws"] == 3);
    CHECK(json["convention"] == "landmarks");
    CHECK(json["shifts"][0]["mean"] == 0.0);
    CHECK(json["shifts"][0]["boxes"] == 2);
    CHECK(json["shifts"][2]["shift"] == 0.05);
    CHECK(json["shifts"][6]["mean"].get<double>() > 0.1);
    CHECK(json["shifts"][6]["boxes"] == 6);
    CHECK(json["shifts"][6]["mean_ci95_low"].get<double>() <= json["shifts"][6]["mean"].get<double>());
    CHECK(json["shifts"][6]["mean_ci95_high"].get<double>() >= json["shifts"][6]["mean"].get<double>());
    REQUIRE(json["scales"].size() == 10);
    CHECK(json["scales"][4]["scale"] == 1.0);
    CHECK(json["scales"][4]["mean"] == 0.0);
    CHECK(json["scales"][0]["mean"].get<double>() > 0);
    for (const char* name : {"bench.json", "bench.html", "bench.md", "shifts.csv", "scales.csv",
                             "boxes_shift.svg", "boxes_scale.pdf"}) {
        CAPTURE(name);
        CHECK(std::filesystem::file_size(f.path("out/" + std::string(name))) > 100);
    }
    CHECK_THAT(read_bytes(f.path("out/shifts.csv")),
               Catch::StartsWith("shift,boxes,mean,mean_ci95_low,mean_ci95_high,median,"));
    CHECK_THAT(read_bytes(f.path("out/bench.html")), Contains("Boxes moved by 5 %"));
}

TEST_CASE("the laboratory moves boxes by what it is told, and says what that costs", "[lab][landmarks]") {
    const StillPortraits f;
    // Each once and ascending, however they are named.
    const ProgramResult result =
        run_boxes(f, {"--shifts", "0.1,0,0.1", "--scales", "1", "--draws", "2", "--resamples", "0"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    CHECK_THAT(result.out, Contains("The landmarks of 2 faces were found") && Contains("Boxes moved") &&
                               Contains("Boxes resized") && Contains("Boxes moved by 10 % of their size"));
    const Json json =
        Json::parse(run_boxes(f, {"--shifts", "0.1,0,0.1", "--scales", "1", "--draws", "2", "--json"}).out);
    REQUIRE(json["shifts"].size() == 2);
    CHECK(json["shifts"][0]["shift"] == 0.0);
    CHECK(json["shifts"][1]["boxes"] == 4);
    CHECK(json["scales"].size() == 1);
}

TEST_CASE("the laboratory refuses boxes that it cannot measure", "[lab][landmarks]") {
    const StillPortraits f;
    const auto refusal = [&](const std::vector<std::string>& more) {
        const ProgramResult result = run_boxes(f, more);
        CHECK(result.exit_code == 2);
        return result.err;
    };
    CHECK_THAT(refusal({"--shifts", "0,1.5"}), Contains("--shifts") && Contains("between 0 and 1"));
    CHECK_THAT(refusal({"--shifts", "0,x"}), Contains("--shifts"));
    CHECK_THAT(refusal({"--scales", "0"}), Contains("--scales") && Contains("between 0.1 and 10"));
    CHECK_THAT(refusal({"--draws", "0"}), Contains("--draws"));
    CHECK(run_lab_program({"boxes", "pts:" + f.photos}).exit_code == 2);
    const ProgramResult none = run_lab_program(
        {"boxes", "folder:" + f.photos, "--landmarks", f.landmarks, "--device", "cpu"}, f.options);
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.err, Contains("has no faces with landmarks"));
    const std::string five = f.folder.write("five.dat", still_landmark_file(5)).string();
    const ProgramResult other =
        run_lab_program({"boxes", "pts:" + f.photos, "--landmarks", five, "--device", "cpu"}, f.options);
    CHECK(other.exit_code == 1);
    CHECK_THAT(other.err, Contains("has 68 landmarks, the landmark model has 5"));
}

TEST_CASE("the cost of boxes that are off has a list and a plot each for shifts and sizes",
          "[lab][landmarks]") {
    BoxJitterOptions jitter;
    jitter.shifts = {0, 0.05};
    jitter.scales = {1, 1.1};
    jitter.draws = 1;
    const BoxSensitivity found = box_sensitivity(
        jitter, LandmarkNormaliser::outer_eye_corners, 2,
        {{{0.02, 0}, {0.04, 1}}, {{0.04, 0}, {0.2, 1}}, {{0.02, 0}, {0.04, 1}}, {{0.03, 0}, {0.05, 1}}}, 100,
        1);
    const report::BenchRecord record = report::box_record(found, "a machine");
    const Json json = report::bench_json(record);
    CHECK(json["shifts"][1]["shift"] == 0.05);
    CHECK(json["shifts"][1]["mean"].get<double>() == Approx(0.12));
    CHECK(json["shifts"][1]["failure_rate"] == 0.5);
    CHECK(json["shifts"][1]["failure_rate_ci95_low"] == 0.0);
    CHECK(json["shifts"][1]["failure_rate_ci95_high"] == 1.0);
    CHECK(json["scales"][1]["boxes"] == 2);
    CHECK(json["scales"][1]["median"].get<double>() == Approx(0.04));
    const report::Table moved = report::bench_tables(record)[0];
    CHECK(moved.title == "Boxes moved");
    CHECK(moved.rows[1][0].text == "5\u00A0%");
    CHECK(moved.rows[1][2].text == "0.1200");
    CHECK(report::bench_tables(record)[1].rows[1][0].text == "110\u00A0%");
    REQUIRE(record.notes.size() == 1);
    CHECK_THAT(
        record.notes[0],
        Contains("Boxes moved by 5 % of their size change the mean NME from 0.0300 to 0.1200 (+300 %)"));
    REQUIRE(record.plots.size() == 2);
    for (const report::Plot& plot : record.plots) {
        REQUIRE(plot.series.size() == 2);
        CHECK(plot.series[0].band.size() == 2);
        CHECK(plot.series[1].band.empty());
        // On one scale of errors.
        CHECK(plot.y.max == record.plots[0].y.max);
    }
    CHECK(record.plots[0].series[0].points[1].y == Approx(0.12));

    // Nothing was measured.
    const report::BenchRecord empty = report::box_record(BoxSensitivity{jitter}, "a machine");
    CHECK(report::bench_tables(empty).empty());
    CHECK(empty.plots.empty());
    CHECK(empty.notes.empty());
}

TEST_CASE("HELEN's faces in moved boxes have larger errors", "[lab][landmarks]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    if (!std::filesystem::exists("/usr/share/dlib/shape_predictor_68_face_landmarks.dat")) {
        WARN("not run: libdlib-data is not installed");
        return;
    }
    const ProgramResult result =
        run_lab_program({"boxes", "pts:" + data + "/benchmark/helen-test", "--limit", "12", "--landmarks",
                         "default", "--resamples", "20", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["faces"] == 12);
    CHECK(json["shifts"][6]["mean"].get<double>() > 2 * json["shifts"][0]["mean"].get<double>());
}
