#include "lib/bench/report/bench_report.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_plots.hpp"
#include "lib/bench/report/bench_tables.hpp"
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

TEST_CASE("a benchmark's numbers as JSON", "[bench][report]") {
    const Json json = benchmark_to_json(sample_benchmark());
    REQUIRE(json["sizes"].size() == 2);
    CHECK(json["sizes"][0]["size"] == "640x480");
    CHECK(json["sizes"][0]["windows_per_image"] == 1000);
    CHECK_FALSE(json["sizes"][0].contains("rejections"));
    const Json& scale = json["sizes"][1]["rejections"]["scales"][0];
    CHECK(scale["visited"] == 1000);
    CHECK(scale["rejected_by_stage"] == Json({500, 90, 0}));
    CHECK(scale["weak_classifiers_per_visited_window"] == 2.4);
    CHECK(json["sizes"][1]["rejections"]["all_scales"]["flat"] == 400);

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
    CHECK_FALSE(cpu.contains("visited_windows_per_second"));
    CHECK(json["measurements"][5]["visited_windows_per_second"] == 1375);  // 1100 in two images, 2.5 frames/s
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
    CHECK(json["optimisations"][0]["optimisation"] == "compaction");
    CHECK(json["optimisations"][0]["factor"] == 1.5);
    CHECK(json["optimisations"][1]["factor_resident"] == 0.95);
    CHECK(json["optimisations"][1]["factor_from_pinned_memory"] == 0.95);
    CHECK(json["optimisations"][0]["without"]["from_pinned_memory"]["median_ms"] == 1.35);
}

TEST_CASE("a benchmark's numbers as CSV, one row a part", "[bench][report]") {
    const std::string csv = benchmark_csv(sample_benchmark());
    const auto lines = std::count(csv.begin(), csv.end(), '\n');
    // Per size: CPU twice 4 parts, CUDA twice 8, OpenCV 1; two optimisations of 8; a heading.
    CHECK(lines == 2 * (2 * 4 + 2 * 8 + 1) + 2 * 8 + 1);
    CHECK_THAT(csv,
               Contains("\n640x480,640,480,CUDA,cuda,0,1,1,from_pinned_memory,3,0.9,0.72,0.81,0.99,,\n"));
    CHECK_THAT(csv, Contains("\n640x480,640,480,\"CPU, 1 thread\",cpu,1,0,1,total,3,100,80,90,110,10,1\n"));
    CHECK_THAT(csv, Contains("\n640x480,640,480,CUDA,cuda,0,1,32,upload,3,0.025,0.02,0.0225,0.0275,,\n"));
    CHECK_THAT(csv, Contains(",CUDA without compaction,cuda,0,1,32,total,3,1.5,"));
    CHECK_THAT(csv, !Contains("inf") && !Contains("nan"));
}

TEST_CASE("a benchmark in tables for people", "[bench]") {
    const auto text_of = [](const DetectionBenchmark& benchmark) {
        std::string text;
        for (const Table& table : benchmark_tables(benchmark)) text += text_table(table);
        return text;
    };
    const std::string text = text_of(sample_benchmark());
    CHECK_THAT(text, Contains("640x480, 1000 windows per image\n"));
    CHECK_THAT(text, Contains("CUDA, batch of 32") && Contains("400.00") && Contains("–"));
    CHECK_THAT(text, Contains("compaction (CUDA, batch of 32)") && Contains("0.950"));
    CHECK_THAT(text, Contains("30x30") && Contains("90.0\u00A0%"));
    CHECK_THAT(text, Contains("resident  from pinned memory  ") && Contains("factor, from pinned memory"));

    DetectionBenchmark cpu_only = sample_benchmark();
    cpu_only.variants.clear();
    cpu_only.measurements.erase(cpu_only.measurements.begin() + 2, cpu_only.measurements.end());
    const std::string short_text = text_of(cpu_only);
    CHECK_THAT(short_text, !Contains("upload") && !Contains("pinned") && !Contains("optimisation") &&
                               !Contains("1280x960, 4000"));
    CHECK(benchmark_tables({}).empty());
}

namespace {

const std::vector<std::string> plot_stems{"bench_frames", "bench_speedup", "bench_parts", "bench_rejections",
                                          "bench_optimisations"};

}  // namespace

TEST_CASE("a benchmark's plots show its lines, bars and scales", "[bench][report]") {
    const std::vector<Plot> plots = benchmark_plots(sample_benchmark());
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

    // The coarse scale's third stage and the fine one's first reject half and more, nothing below 1 %.
    const Plot& rejections = plots[3];
    REQUIRE(rejections.series.size() == 3);
    CHECK(rejections.series[0].name == "50 % and more");
    REQUIRE(rejections.series[0].rects.size() == 2);
    CHECK((rejections.series[0].rects[0].x == 0.5 && rejections.series[0].rects[0].y == -0.5));
    CHECK((rejections.series[0].rects[1].x == 2.5 && rejections.series[0].rects[1].y == 0.5));
    CHECK(rejections.series[2].name == "1 to 10 %");
    CHECK(rejections.series[2].rects[0].strength == 0.48);
    CHECK(rejections.y.marks[1].label == "30");

    const Plot& gains = plots[4];
    REQUIRE(gains.y.marks.size() == 2);
    CHECK(gains.y.marks[0].label == "compaction");
    REQUIRE(gains.series.size() == 1);
    CHECK((gains.series[0].rects[0].x == 1 && gains.series[0].rects[0].x2 == Approx(1.5)));
    CHECK((gains.series[0].rects[1].x == Approx(0.95) && gains.series[0].rects[1].x2 == 1));

    DetectionBenchmark one = sample_benchmark();
    one.variants.clear();
    one.measurements.resize(1);
    one.measurements[0].ms_per_image = {};
    one.measurements[0].ms_per_image.total_ms = {5};
    one.sizes[1].rejections.reset();
    const std::vector<Plot> alone = benchmark_plots(one);
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].stem == "bench_frames");
    CHECK(benchmark_plots({}).empty());
}

TEST_CASE("a benchmark's folder holds what belongs to it, also without gnuplot", "[bench][report][gnuplot]") {
    const TempDir folder;
    const std::filesystem::path out = folder.path() / "bench";
    write_benchmark_report(out, Json{{"answer", 42}}, sample_benchmark());
    CHECK(Json::parse(read_file(out / "bench.json"))["answer"] == 42);
    CHECK(read_file(out / "bench.csv") == benchmark_csv(sample_benchmark()));
    for (const std::string& stem : plot_stems) {
        CHECK_THAT(read_file(out / (stem + ".svg")), Contains("</svg>"));
        CHECK_THAT(read_file(out / "bench.html"), Contains("\"stem\":\"" + stem + "\""));
    }
    CHECK_THAT(read_file(out / "bench.md"), Contains("CUDA, batch of 32"));
    {
        const ScopedPath nothing(folder.path().string());
        CHECK_THROWS_AS(write_benchmark_report(out, Json{{"answer", 43}}, sample_benchmark()), Error);
    }
    // The numbers are new, so the old pictures are gone.
    CHECK(Json::parse(read_file(out / "bench.json"))["answer"] == 43);
    CHECK_FALSE(std::filesystem::exists(out / "bench_frames.svg"));
    CHECK_FALSE(std::filesystem::exists(out / "bench.html"));
    std::filesystem::create_directories(folder.path() / "file");
    folder.write("plain", "x");
    CHECK_THROWS_WITH(make_benchmark_folder(folder.path() / "plain" / "sub"), Contains("another folder"));
}
