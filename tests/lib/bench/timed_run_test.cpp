#include "lib/bench/timed_run.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>

#include "lib/bench/archive_benchmark.hpp"
#include "lib/bench/report/records.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea {
namespace {

using Catch::Matchers::Contains;

Json manifest() {
    return Json::parse(R"({
        "counts": {"images": 200, "ok": 199, "unreadable": 1, "detections": 300},
        "timings": {"total_seconds": 0.5, "images_per_second": 400.0, "megapixels_per_second": 829.4, "limit": "decode",
                    "stages": {"decode": {"busy": 0.97}}, "peak_memory_bytes": 5},
        "energy": {"gpu": [{"device": "cuda:0", "joules": 30.0}, {"device": "cuda:1", "joules": 10.0}],
                   "cpu": {"joules": 20.0}}})");
}

ArchiveBenchmark benchmark_of_two_rows() {
    ArchiveBenchmark benchmark;
    ArchiveRowResult measured;
    measured.row = archive_rows()[0];
    measured.runs.images_per_second = {4000, 5000, 4500};
    measured.runs.run = read_timed_run(manifest(), "run.json");
    measured.runs.start_up_seconds = 1.25;
    measured.runs.peak_memory_bytes = std::uint64_t{700} << 20;
    measured.limit = MeasuredLimit{measured.row.size, measured.row.limit, "JPEG engines of cuda:0", 6000, {}};
    ArchiveRowResult absent;
    absent.row = *std::find_if(archive_rows().begin(), archive_rows().end(),
                               [](const ArchiveRow& row) { return row.key == "small"; });
    absent.not_run = "there is no GPU: none";
    benchmark.rows = {measured, absent};
    return benchmark;
}

}  // namespace

TEST_CASE("a run's manifest tells speed, limit and energy", "[archive-bench]") {
    const TimedRun run = read_timed_run(manifest(), "run.json");
    CHECK(run.images == 200);
    CHECK(run.unreadable == 1);
    CHECK(run.detections == 300);
    CHECK(run.images_per_second == Approx(400));
    CHECK(run.megapixels_per_second == Approx(829.4));
    CHECK(run.limit == "decode");
    CHECK(run.gpu_joules_per_image.value() == Approx(0.2));
    CHECK(run.cpu_joules_per_image.value() == Approx(0.1));
    CHECK(energy_text(run) == "0.3 (GPU 0.2, CPU 0.1)");
}

TEST_CASE("what a manifest does not tell is absent", "[archive-bench]") {
    Json json = manifest();
    json["energy"]["gpu"][1] = {{"device", "cuda:1"}, {"unavailable", "why"}};
    TimedRun run = read_timed_run(json, "run.json");
    CHECK_FALSE(run.gpu_joules_per_image.has_value());  // half of the GPUs would look like all
    CHECK(energy_text(run) == "0.1 (CPU)");
    json.erase("energy");
    json["timings"].erase("limit");
    run = read_timed_run(json, "run.json");
    CHECK(run.limit.empty());
    CHECK(run.energy.is_null());
    CHECK(energy_text(run) == "–");

    for (const char* broken :
         {R"({})", R"([])", R"({"counts": {"images": 0}, "timings": {"total_seconds": 1}})",
          R"({"counts": {"images": 5}, "timings": {"total_seconds": 0}})",
          R"({"counts": {"images": -5}, "timings": {"total_seconds": "1"}})"}) {
        CAPTURE(broken);
        CHECK_THROWS_WITH(read_timed_run(Json::parse(broken), "run.json"),
                          Contains("run.json does not tell"));
    }
    CHECK_THROWS_AS(read_timed_run(Json::parse("{", nullptr, false), "run.json"), Error);
}

TEST_CASE("the table shows medians, shares of the limit and what did not run", "[archive-bench]") {
    const ArchiveBenchmark benchmark = benchmark_of_two_rows();
    const report::BenchRecord record = report::archive_record(benchmark, "this machine");
    const report::Table table = report::bench_table(record.lists[0]);
    REQUIRE(table.rows.size() == 2);
    std::vector<std::string> texts;
    for (const report::Cell& cell : table.rows[0]) texts.push_back(cell.text);
    CHECK(texts == std::vector<std::string>{"1080p to detections", "4,500", "6,000", "75.0\u00A0%", "decode",
                                            "0.3 (GPU 0.2, CPU 0.1)", "1.5", "700 MiB", "1.25 s"});
    CHECK(table.rows[0][1].interval == "4,250–4,750");
    CHECK(table.rows[0][1].value == 4500);
    CHECK(table.rows[1][1].text == "not run");
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    const std::string verdicts = fmt::format("{}", fmt::join(record.notes, "\n"));
    CHECK_THAT(verdicts, Contains("500x375 to detections: not run: there is no GPU: none"));
    const Json json = report::bench_json(record);
    CHECK(json["rows"][0]["quartile_1"] == 4250);
    CHECK(json["rows"][0]["limit"]["share"] == 0.75);
    CHECK(json["rows"][0]["detections_per_image"] == 1.5);
    CHECK(json["rows"][1]["not_run"] == "there is no GPU: none");
}

TEST_CASE("timed runs have a scale factor where the detector has one", "[bench][yunet]") {
    const test::TempDir folder;
    const std::string cascade = folder.write("edge.xml", "").string();
    const std::string network = folder.write("net.onnx", "").string();
    CHECK(timed_scale_factor(cascade) == 1.15);
    CHECK_FALSE(timed_scale_factor(network).has_value());
    CHECK(detect_command("fovea", "photos", cascade, "cuda:0") ==
          std::vector<std::string>{"fovea", "detect", "photos", "--model", cascade, "--scale-factor", "1.15",
                                   "--device", "cuda:0", "--quiet"});
    CHECK(detect_command("fovea", "photos", network, "cpu") ==
          std::vector<std::string>{"fovea", "detect", "photos", "--model", network, "--device", "cpu",
                                   "--quiet"});
    CHECK_THROWS_AS(timed_scale_factor((folder.path() / "none.onnx").string()), UsageError);
}

}  // namespace fovea
