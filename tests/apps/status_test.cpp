// fovea status: parts that are complete, interrupted, running and missing.

#include <chrono>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "lib/job/journal/journal.hpp"
#include "lib/job/status/job_status.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct Parts : PhotoFolder {
    Parts() : PhotoFolder({}) {
        for (int i = 0; i < 30; ++i)
            folder.write("photos/" + std::to_string(i) + ".pgm", i == 7 ? "no image" : edge_pgm(40, 30));
    }
    ProgramResult make(const std::string& shard) const {
        return run_fovea({"detect", photos, "--model", model, "--device", "cpu", "--shard", shard, "--quiet",
                          "--out", path("parts/part-{shard}.jsonl")});
    }
    ProgramResult status(const std::vector<std::string>& flags = {}) const {
        std::vector<std::string> words{"status", path("parts")};
        words.insert(words.end(), flags.begin(), flags.end());
        return run_fovea(words);
    }
    /// Makes a part as one that has done so many of its images.
    void begin(const std::string& part, std::size_t done, std::size_t unreadable) const {
        const fs::path results = path("parts/" + part + ".jsonl");
        std::vector<fs::path> files;
        for (int i = 0; i < 8; ++i) files.emplace_back(std::to_string(i));
        AppendedFile file(results);
        file.begin();
        const std::array outputs{&file};
        Journal journal = Journal::create(journal_path(results),
                                          {{"work", {{"images", {{"count", 30}, {"sha256", "x"}}}}},
                                           {"shard", "3/5"},
                                           {"request", nullptr}},
                                          ImageList::of(files));
        for (std::size_t i = 0; i <= done; ++i) {
            file.append("{}\n");
            journal.mark(i, outputs, std::min(i, unreadable));
        }
        file.close();
    }
};

}  // namespace

TEST_CASE("fovea status tells of complete, running and missing parts", "[status][cli]") {
    const Parts parts;
    REQUIRE(parts.make("1/5").exit_code == 0);
    REQUIRE(parts.make("2/5").exit_code == 0);
    parts.begin("part-3", 4, 2);
    const std::string journal = read_bytes(parts.path("parts/part-3.jsonl.journal"));
    const ProgramResult shown = parts.status();
    CAPTURE(shown.err);
    CHECK(shown.exit_code == 0);
    CHECK_THAT(shown.out, Contains("5 parts: 2 complete, 1 running, 2 missing\n") &&
                              Contains("to send again: --array=3,4\n") && Contains(" of 30 ("));
    const Json json = Json::parse(parts.status({"--json"}).out);
    CHECK(json["parts"] == 5);
    CHECK(json["images"] == 30);
    CHECK(json["states"] == Json{{"complete", 2},
                                 {"running", 1},
                                 {"interrupted", 0},
                                 {"failed", 0},
                                 {"unknown", 0},
                                 {"missing", 2}});
    CHECK(json["send_again"] == "3,4");
    REQUIRE(json["each"].size() == 5);
    const Json& running = json["each"][2];
    CHECK(running["shard"] == "3/5");
    CHECK(running["images"] == 8);
    CHECK(running["done"] == 4);
    CHECK(running["unreadable"] == 2);
    CHECK(running["host"].get<std::string>().size() > 0);
    const Json& complete = json["each"][0];
    CHECK(complete["state"] == "complete");
    CHECK(complete["images"] == complete["done"]);
    CHECK(json["done"] == complete["done"].get<int>() + json["each"][1]["done"].get<int>() + 4);
    // It reads, and changes nothing.
    CHECK(read_bytes(parts.path("parts/part-3.jsonl.journal")) == journal);

    // A part that is silent for long does not run.
    fs::last_write_time(parts.path("parts/part-3.jsonl"),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    fs::last_write_time(parts.path("parts/part-3.jsonl.journal"),
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
    CHECK_THAT(parts.status().out,
               Contains("2 complete, 1 interrupted, 2 missing") && Contains("to send again: --array=2-4\n"));
    CHECK_THAT(parts.status({"--stale", "7200"}).out, Contains("1 running"));
    CHECK_THAT(parts.status({"--each"}).out,
               Contains("interrupted") && Contains("1:00:0") && Contains("4/5"));
}

TEST_CASE("fovea status names reasons, failures and parts of other divisions", "[status][cli]") {
    const Parts parts;
    for (const char* shard : {"1/2", "2/2"}) REQUIRE(parts.make(shard).exit_code == 0);
    const ProgramResult all = parts.status();
    CHECK_THAT(all.out, Contains("2 parts: 2 complete\n") &&
                            Contains("images done: 30 of 30 (100.0 %), 1 unreadable") &&
                            Contains("unreadable: 1 "));
    CHECK_THAT(all.out, !Contains("send again"));
    const Json one = Json::parse(parts.status({"--json"}).out);
    CHECK(one["reasons"].size() == 1);
    REQUIRE(run_fovea({"detect", parts.photos, "--model", parts.model, "--device", "cpu", "--shard", "1/3",
                       "--out", parts.path("parts/other.jsonl")})
                .exit_code == 0);
    CHECK_THAT(parts.status().err, Contains("divisions into 2, 3 parts"));
    // A journal that cannot be read is no reason to tell nothing of the others.
    parts.folder.write("parts/bad.jsonl.journal", "no journal, but long enough to be none");
    CHECK_THAT(parts.status().out, Contains("1 failed") && Contains("is no journal"));
    const ProgramResult none = run_fovea({"status", parts.path("photos")});
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.err, Contains("holds no results of 'fovea detect'"));
    CHECK(run_fovea({"status", parts.path("absent.jsonl")}).exit_code == 2);
}

TEST_CASE("fovea status writes metrics", "[status][cli]") {
    const Parts parts;
    REQUIRE(parts.make("1/2").exit_code == 0);
    const std::string metrics = parts.status({"--metrics", "-"}).out;
    CHECK_THAT(metrics,
               Contains("# TYPE fovea_parts gauge\n") && Contains("fovea_parts{state=\"complete\"} 1\n") &&
                   Contains("fovea_parts{state=\"missing\"} 1\n") && Contains("\nfovea_images 30\n"));
    CHECK(metrics.ends_with("# EOF\n"));
    const std::string file = parts.path("fovea.prom");
    for (int i = 0; i < 2; ++i) CHECK(parts.status({"--metrics", file}).exit_code == 0);
    CHECK(read_bytes(file) == metrics);
    parts.folder.write("other.prom", "something else");
    CHECK(parts.status({"--metrics", parts.path("other.prom")}).exit_code == 2);
    CHECK(read_bytes(parts.path("other.prom")) == "something else");
    CHECK(parts.status({"--metrics", parts.path("other.prom"), "--overwrite"}).exit_code == 0);
}

TEST_CASE("the sums of a job's status", "[status]") {
    JobStatus status;
    status.images_of_job = 1000;
    PartStatus part;
    part.shard = Shard{1, 4};
    part.state = PartState::complete;
    part.images = part.done = 200;
    part.unreadable = 3;
    part.reasons = {{"no JPEG", 2}, {"cut off", 1}};
    part.joules = 50;
    part.images_per_second = 99;
    status.parts.push_back(part);
    part.shard = Shard{2, 4};
    part.state = PartState::running;
    part.images = 300;
    part.done = 100;
    part.joules = 0;
    part.images_per_second = 10;
    part.reasons = {{"no JPEG", 1}};
    status.parts.push_back(part);
    part.shard = Shard{4, 4};
    part.state = PartState::failed;
    part.done = 0;
    status.parts.push_back(part);
    CHECK(status.images_done() == 300);
    CHECK(status.unreadable() == 9);
    CHECK(status.images_per_second() == 10);
    CHECK(status.seconds_left() == 70);
    CHECK(status.joules() == 50);
    CHECK(status.reasons() == std::map<std::string, std::size_t>{{"no JPEG", 4}, {"cut off", 1}});
    CHECK(status.to_send_again() == std::vector<int>{3});
    status.images_of_job = 0;
    CHECK_FALSE(status.seconds_left());
    // A reason may hold anything.
    status.parts[0].reasons = {{"a \"b\"\n\\", 1}};
    CHECK_THAT(open_metrics(status), Contains("{reason=\"a \\\"b\\\"\\n\\\\\"} 1\n"));
}

TEST_CASE("indices as an array takes them", "[status][shard]") {
    CHECK(array_expression(ranges_of({})).empty());
    CHECK(array_expression(ranges_of({7})) == "7");
    CHECK(array_expression(ranges_of({3, 4})) == "3,4");
    CHECK(array_expression(ranges_of({0, 1, 2, 5, 7, 8, 9, 10})) == "0-2,5,7-10");
}
