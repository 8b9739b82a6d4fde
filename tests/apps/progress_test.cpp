#include "apps/terminal/progress.hpp"

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "apps/terminal/console.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

namespace fovea::test {
namespace {

using Catch::Contains;
using namespace std::chrono_literals;

StageProgress half_done() {
    StageProgress progress{"detecting", 10, {}};
    progress.now.done = 107;
    progress.now.total = 510;
    progress.now.resumed = 7;
    return progress;
}

/// While it lives, standard error is a file.
class ErrorFile {
  public:
    explicit ErrorFile(const std::string& file) : kept_(::dup(STDERR_FILENO)) {
        std::fflush(stderr);
        const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        REQUIRE(made >= 0);
        ::dup2(made, STDERR_FILENO);
        ::close(made);
    }
    ~ErrorFile() {
        std::fflush(stderr);
        ::dup2(kept_, STDERR_FILENO);
        ::close(kept_);
    }
    ErrorFile(const ErrorFile&) = delete;
    ErrorFile& operator=(const ErrorFile&) = delete;

  private:
    int kept_;
};

/// The text that a console writes to standard error.
std::string written(const OutputFlags& flags, const std::function<void(Console&)>& work) {
    const TempDir folder;
    const std::string file = (folder.path() / "err").string();
    {
        const ErrorFile error(file);
        Console console(flags);
        work(console);
    }
    return read_bytes(file);
}

/// Two stages of four images, with each of them told.
std::string told(const OutputFlags& flags) {
    return written(flags, [](Console& console) {
        for (const char* stage : {"reading", "detecting"}) {
            console.stage(stage);
            for (std::size_t done = 1; done <= 4; ++done) console.progress({done, 4, 0});
        }
    });
}

std::vector<Json> objects_in(const std::string& text) {
    std::vector<Json> objects;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('{')) objects.push_back(Json::parse(line).at("progress"));
    }
    return objects;
}

}  // namespace

TEST_CASE("progress is a share, a rate and the time left", "[progress]") {
    // 100 images in 10 s, by this run; 403 are left.
    StageProgress progress = half_done();
    CHECK(progress.rate() == Approx(10));
    CHECK(progress.seconds_left().value() == Approx(40.3));
    CHECK(progress_line(progress) == "detecting: 20 % (107 of 510 images), 10 images/s, 0:40 left");
    CHECK(progress_json(progress).dump() ==
          R"({"progress":{"stage":"detecting","done":107,"total":510,"unit":"images","seconds":10.0,)"
          R"("seconds_left":40.3}})");
    CHECK_THAT(progress_bar(progress, 500),
               Contains("detecting [=====") && Contains(" 21 % 107/510  10 images/s"));
    CHECK(progress_bar(progress, 9) == "detecting");
    progress.now.pixels = 1;
    progress.now.faces = 1;
    CHECK_THAT(progress_bar(progress, 500), Contains("  1 face"));
    CHECK_THAT(progress_bar(progress, 500), !Contains("1 faces"));

    // 100 % is the end and nothing before it.
    progress.now = {999, 1000, 3};
    CHECK(progress_line(progress) ==
          "detecting: 99 % (999 of 1000 images), 99.9 images/s, 0:00 left, 3 unreadable");
    progress.now.done = 1000;
    CHECK(progress_line(progress) ==
          "detecting: 100 % (1000 of 1000 images), 100 images/s, in 10.0 s, 3 unreadable");
    CHECK(progress_json(progress)["progress"]["unreadable"] == 3);

    progress.now = {0, 1000, 0};
    CHECK_FALSE(progress.seconds_left());
    CHECK(progress_json(progress)["progress"]["seconds_left"].is_null());
    // A share has no unit.
    progress.now = {500, 1000, 0};
    progress.now.unit.clear();
    CHECK(progress_line(progress) == "detecting: 50 %, 0:10 left");
    CHECK(progress_json(progress)["progress"]["unit"].is_null());
}

TEST_CASE("a round is told at once: its sentence to people, its numbers to programs", "[progress]") {
    JobRound round{"stage 2: 9 trees", "stage 2 lets much pass", false, {{"trees", 9}, {"hits", 0.995}}};
    JobRound detail{"a detail", "", true, {{"step", 3}}};
    const auto work = [&](Console& console) {
        console.stage("training");
        console.progress({.round = round});
        console.progress({.done = 1, .total = 9, .round = detail});
    };
    OutputFlags flags;
    flags.progress = "json";
    const std::vector<Json> objects = objects_in(written(flags, work));
    REQUIRE(objects.size() == 4);
    CHECK(objects[1]["stage"] == "training");
    CHECK(objects[1]["round"].dump() == R"({"trees":9,"hits":0.995})");
    CHECK(objects[2]["round"].dump() == R"({"step":3})");
    CHECK(objects[3]["done"] == 1);

    flags.progress = "off";
    const std::string people = "fovea: stage 2: 9 trees\nfovea: warning: stage 2 lets much pass\n";
    CHECK(written(flags, work) == people);
    flags.log_level = "debug";
    CHECK(written(flags, work) == "fovea: debug: training\n" + people + "fovea: debug: a detail\n");
    flags.quiet = true;
    CHECK(written(flags, work).empty());
}

TEST_CASE("progress is told every so often", "[progress]") {
    const ProgressPace::Time start{};
    ProgressPace log(30s, false);
    log.begin(start);
    CHECK_FALSE(log.is_due(start + 29s, false));
    CHECK_FALSE(log.is_due(start + 29s, true));  // a short stage is not worth a line
    CHECK(log.is_due(start + 30s, false));
    CHECK_FALSE(log.is_due(start + 59s, false));
    CHECK(log.is_due(start + 60s, false));
    CHECK(log.is_due(start + 61s, true));
    CHECK_FALSE(log.is_due(start + 99s, true));
    log.begin(start + 100s);
    CHECK_FALSE(log.is_due(start + 110s, true));

    ProgressPace program(1s, true);
    program.begin(start);
    CHECK(program.is_due(start, false));
    CHECK_FALSE(program.is_due(start + 999ms, false));
    CHECK(program.is_due(start + 999ms, true));
}

TEST_CASE("the style of progress follows the flag and the terminal", "[progress]") {
    CHECK(progress_style("auto", false, true) == ProgressStyle::bar);
    CHECK(progress_style("auto", false, false) == ProgressStyle::lines);
    CHECK(progress_style("auto", true, false) == ProgressStyle::none);
    CHECK(progress_style("off", false, true) == ProgressStyle::none);
    CHECK(progress_style("json", true, true) == ProgressStyle::json);
}

TEST_CASE("a log has lines of progress, and none where work is short", "[progress]") {
    OutputFlags flags;
    CHECK(told(flags).empty());
    flags.log_interval = 0ms;
    const std::string log = told(flags);
    CHECK_THAT(log, Catch::StartsWith("fovea: reading: 25 % (1 of 4 images), ") &&
                        Contains("\nfovea: detecting: 50 % (2 of 4 images), ") &&
                        Contains("\nfovea: detecting: 100 % (4 of 4 images), "));
    flags.progress = "off";
    CHECK(told(flags).empty());
}

TEST_CASE("programs get an object a line", "[progress]") {
    OutputFlags flags;
    flags.progress = "json";
    const std::vector<Json> objects = objects_in(told(flags));
    // Each stage: its beginning, the first image, the end; the rest within a second is left out.
    REQUIRE(objects.size() == 6);
    CHECK(objects[0] == Json({{"stage", "reading"}, {"seconds", 0}}));
    CHECK(objects[1]["done"] == 1);
    CHECK(objects[2]["done"] == 4);
    CHECK(objects[2]["total"] == 4);
    CHECK(objects[2]["seconds_left"] == 0);
    CHECK(objects[5]["stage"] == "detecting");
}

TEST_CASE("detect and evaluate tell programs how far they are", "[cli][progress]") {
    const PhotoFolder f({{"a.pgm", edge_pgm(40, 30)}, {"b.pgm", noise_pgm(90, 70, 3)}});
    const ProgramResult detected =
        run_fovea({"detect", f.photos, "--model", f.model, "--out", f.path("r.jsonl"), "--progress", "json"});
    CAPTURE(detected.err);
    REQUIRE(detected.exit_code == 0);
    const Json last = objects_in(detected.err).back();
    CHECK(last["stage"] == "detecting");
    CHECK(last["done"] == 2);
    CHECK(last["total"] == 2);
    CHECK(last["unit"] == "images");

    const std::string truth =
        f.folder
            .write(
                "photos/faces.xml",
                "<dataset><images><image file='a.pgm'><box top='0' left='10' width='20' height='20'/></image>"
                "<image file='b.pgm'/></images></dataset>")
            .string();
    const ProgramResult evaluated =
        run_fovea({"evaluate", "detection", "--dataset", "dlib:" + truth, "--results", f.path("r.jsonl"),
                   f.path("r.jsonl"), "--resamples", "200", "--progress", "json"});
    CAPTURE(evaluated.err);
    REQUIRE(evaluated.exit_code == 0);
    std::size_t before = 0;
    for (const Json& progress : objects_in(evaluated.err)) {
        if (progress["stage"] != "evaluating" || !progress.contains("done")) continue;
        CHECK(progress["done"].get<std::size_t>() >= before);
        before = progress["done"].get<std::size_t>();
        CHECK(progress["unit"].is_null());
    }
    CHECK(before == 1000);
    // Short work says nothing if standard error is no terminal.
    const ProgramResult quick =
        run_fovea({"detect", f.photos, "--model", f.model, "--device", "cpu", "--out", f.path("q.jsonl")});
    CHECK(quick.err.empty());
}

}  // namespace fovea::test
