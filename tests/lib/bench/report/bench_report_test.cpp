#include <algorithm>

#include <catch2/catch.hpp>

#include "lib/bench/report/records.hpp"
#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/report/write/text.hpp"
#include "tests/lib/bench/report/sample_benchmark.hpp"
#include "tests/support/scoped_path.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("a benchmark's numbers as JSON", "[bench][report]") {
    const Json json = bench_json(detection_record(sample_benchmark()));
    REQUIRE(json["sizes"].size() == 2);
    CHECK(json["sizes"][0]["size"] == "640x480");
    CHECK(json["sizes"][0]["windows_per_image"] == 1000);

    REQUIRE(json["measurements"].size() == 10);
    const Json& cpu = json["measurements"][0];
    CHECK(cpu["backend"] == "CPU, 1 thread");
    CHECK(cpu["threads"] == 1);
    CHECK(cpu["parts"]["total"]["median_ms"] == 100);
    CHECK(cpu["parts"]["total"]["min_ms"] == 80);
    CHECK(cpu["parts"]["total"]["quartile_1_ms"] == 90);
    CHECK(cpu["parts"]["total"]["quartile_3_ms"] == 110);
    CHECK_FALSE(cpu["parts"].contains("upload"));
    CHECK(cpu["frames_per_second"] == 10);
    CHECK(cpu["windows_per_second"] == 10000);
    CHECK(cpu["speedup"] == 1);
    const Json& batch = json["measurements"][3];
    CHECK(batch["kind"] == "cuda");
    CHECK(batch["batch"] == 32);
    CHECK(batch["gpus"] == 1);
    CHECK(batch["speedup"] == 400);
    CHECK(batch["frames_per_second_resident"] == 5000);
    CHECK(batch["frames_per_second_from_pinned_memory"] == 4444.444);  // 0.225 ms
    CHECK(batch["parts"]["from_pinned_memory"]["median_ms"] == 0.225);
    CHECK_FALSE(cpu.contains("frames_per_second_from_pinned_memory"));
    CHECK_FALSE(cpu["parts"].contains("from_pinned_memory"));
}

TEST_CASE("a benchmark's numbers as CSV, one row a measurement", "[bench][report]") {
    const std::string csv = bench_csv(detection_record(sample_benchmark()).lists.at(1));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 2 * 5 + 1);
    CHECK_THAT(csv, StartsWith("size,width,height,backend,kind,threads,batch,repetitions,"
                               "parts_preprocessing_median_ms,parts_preprocessing_min_ms,"));
    CHECK_THAT(csv, Contains("\n640x480,640,480,\"CPU, 1 thread\",cpu,1,1,3,25,20,"));
    CHECK_THAT(csv, Contains("\n640x480,640,480,CUDA,cuda,,32,3,"));
    CHECK_THAT(
        csv, Contains("parts_total_median_ms") && Contains(",gpus,") && !Contains("inf") && !Contains("nan"));
}

TEST_CASE("a list shows what was measured, what was not run, and what others published", "[bench][report]") {
    struct Row {
        std::string name, not_run;
        std::vector<double> ms;
        double share = 0;
    };
    const std::vector<BenchField<Row>> fields{
        {"name", words("work"), [](const Row& r) { return text_value(r.name); }, true},
        {"inner/times", {"ms"}, [](const Row& r) { return times_value(r.ms); }},
        {"inner/equal", {}, [](const Row&) { return flag_value(true); }},
        {"share",
         {"share"},
         [](const Row& r) {
             return r.share > 0 ? number_value(r.share, 2, share_cell(r.share)) : BenchValue{};
         }},
        {"more",
         {},
         [](const Row&) {
             return bulky_value(Json{1, 2});
         }},
        {{}, {"never"}, [](const Row&) { return BenchValue{}; }}};
    BenchList list =
        list_of<Row>({"rows", "Rows", "A note."}, fields,
                     {{"a, b", {}, {3, 1, 2}, 0.256}, {"none", "there is no GPU", {}}, {"=c", {}, {}}});
    list.add_published({{"work", Cell("theirs")}, {"ms", Cell("9")}});

    CHECK(bench_json(list) ==
          Json::parse(R"([{"name": "a, b", "inner": {"times": {"median_ms": 2.0, "min_ms": 1.0,
                           "quartile_1_ms": 1.5, "quartile_3_ms": 2.5}, "equal": true}, "share": 0.26,
                           "more": [1, 2]},
                          {"name": "none", "not_run": "there is no GPU"},
                          {"name": "=c", "inner": {"equal": true}, "more": [1, 2]}])"));
    CHECK(bench_csv(list) ==
          "name,inner_times_median_ms,inner_times_min_ms,inner_times_quartile_1_ms,"
          "inner_times_quartile_3_ms,inner_equal,share,not_run\n"
          "\"a, b\",2,1,1.5,2.5,1,0.26,\n"
          "none,,,,,,,there is no GPU\n"
          "\"'=c\",,,,,1,,\n");
    const Table table = bench_table(list);
    REQUIRE(table.columns.size() == 3);  // "never" is left out
    CHECK(table.note == "A note.");
    CHECK(table.rows[0][1].text == "2.000");
    CHECK(table.rows[0][1].interval == "1.500–2.500");
    CHECK(table.rows[1][1].text == "not run");
    CHECK(table.rows[2][1].text == "–");
    CHECK(table.rows[3][0].text == "theirs");
    CHECK(table.rows[3][1].text == "9");

    BenchRecord record{"Title", "Lead.", {list}};
    record.lists[0].rows[2].is_detail = true;
    CHECK(bench_tables(record).at(0).rows.size() == 3);
    record.lists[0].rows.erase(record.lists[0].rows.begin(), record.lists[0].rows.begin() + 3);
    CHECK(bench_tables(record).empty());  // others' figures alone say nothing
}

TEST_CASE("a benchmark in tables for people", "[bench]") {
    const auto text_of = [](const DetectionBenchmark& benchmark) {
        std::string text;
        for (const Table& table : bench_tables(detection_record(benchmark))) text += text_table(table);
        return text;
    };
    const std::string text = text_of(sample_benchmark());
    CHECK_THAT(text, Contains("windows per image") && Contains("1,000"));
    CHECK_THAT(text, Contains("CUDA, batch of 32") && Contains("400.00") && Contains("–"));
    CHECK_THAT(text, Contains("resident  from pinned memory  "));

    DetectionBenchmark cpu_only = sample_benchmark();
    cpu_only.measurements.erase(cpu_only.measurements.begin() + 2, cpu_only.measurements.end());
    CHECK_THAT(text_of(cpu_only), !Contains("upload") && !Contains("pinned"));
    CHECK(bench_tables(detection_record({})).empty());
}

namespace {

const std::vector<std::string> plot_stems{"bench_frames", "bench_speedup", "bench_parts"};

}  // namespace

TEST_CASE("a benchmark's plots show its lines, bars and scales", "[bench][report]") {
    const std::vector<Plot> plots = detection_record(sample_benchmark()).plots;
    REQUIRE(plots.size() == plot_stems.size());
    for (std::size_t i = 0; i < plots.size(); ++i) CHECK(plots[i].stem == plot_stems[i]);
    for (const std::size_t by_size : {0U, 1U}) {
        const Plot& plot = plots[by_size];
        REQUIRE(plot.series.size() == 5);
        CHECK(plot.series[3].name == "CUDA, batch of 32");
        CHECK(plot.series[4].name == "OpenCV, 1 thread");
        REQUIRE(plot.x.marks.size() == 2);
        CHECK(plot.x.marks[0].label == "640x480");
        CHECK(plot.y.scale == Scale::log);
    }
    CHECK(plots[0].series[3].points[0].y == Approx(4000));
    CHECK(plots[0].series[4].points[1].y == Approx(0.625));
    CHECK(plots[1].series[3].points[0].y == Approx(400));

    // OpenCV has no parts; the wholes are no parts.
    const Plot& parts = plots[2];
    std::vector<std::string> names;
    for (const Series& series : parts.series) names.push_back(series.name);
    CHECK(names == std::vector<std::string>{"upload", "preprocessing", "scan", "grouping", "download"});
    REQUIRE(parts.y.marks.size() == 4);
    CHECK(parts.y.marks[0].label == "CPU, 1 thread");
    CHECK(parts.y.marks[0].second == "400 ms");
    REQUIRE(parts.series[0].rects.size() == 2);
    CHECK(parts.series[0].rects[0].y == Approx(2 - 0.32));
    CHECK(parts.series[0].rects[0].x2 == Approx(0.1 / 1.12));
    CHECK(parts.series[4].rects[0].x2 == Approx(1));

    DetectionBenchmark one = sample_benchmark();
    one.measurements.resize(1);
    one.measurements[0].ms_per_image = {};
    one.measurements[0].ms_per_image.total_ms = {5};
    const std::vector<Plot> alone = detection_record(one).plots;
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].stem == "bench_frames");
    CHECK(detection_record({}).plots.empty());
}

TEST_CASE("a benchmark's folder holds what belongs to it, also without gnuplot", "[bench][report][gnuplot]") {
    const TempDir folder;
    const std::filesystem::path out = folder.path() / "bench";
    const BenchRecord record = detection_record(sample_benchmark());
    CHECK(write_benchmark(out, Json{{"answer", 42}}, record) == out / "bench.html");
    CHECK(Json::parse(read_file(out / "bench.json"))["answer"] == 42);
    CHECK(read_file(out / "measurements.csv") == bench_csv(record.lists[1]));
    for (const std::string& stem : plot_stems) {
        CHECK_THAT(read_file(out / (stem + ".svg")), Contains("</svg>"));
        CHECK_THAT(read_file(out / "bench.html"), Contains("\"stem\":\"" + stem + "\""));
    }
    CHECK_THAT(read_file(out / "bench.md"), Contains("CUDA, batch of 32"));
    {
        const ScopedPath nothing(folder.path().string());
        CHECK_THROWS_AS(write_benchmark(out, Json{{"answer", 43}}, record), Error);
    }
    // The numbers are new, so the old pictures are gone.
    CHECK(Json::parse(read_file(out / "bench.json"))["answer"] == 43);
    CHECK_FALSE(std::filesystem::exists(out / "bench_frames.svg"));
    CHECK_FALSE(std::filesystem::exists(out / "bench.html"));
    std::filesystem::create_directories(folder.path() / "file");
    folder.write("plain", "x");
    CHECK_THROWS_WITH(make_benchmark_folder(folder.path() / "plain" / "sub"), Contains("another folder"));
}
