#include "lib/bench/report/records.hpp"

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::report;
using Catch::Matchers::Contains;

namespace {

// The texts of a row of a list's table, by the titles of its columns.
std::map<std::string, std::string> texts_of(const BenchList& list, std::size_t row) {
    const Table table = bench_table(list);
    std::map<std::string, std::string> texts;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        texts[table.columns[i].title] = table.rows.at(row)[i].text;
    return texts;
}

}  // namespace

TEST_CASE("landmarks of a batch are recorded by backend", "[bench][report]") {
    const BenchRecord record = landmark_record({{"cpu, 2 threads", "cpu", 2, 16, {8, 10, 12}, {}, true},
                                                {"cuda:0", "cuda:0", 0, 64, {2, 2, 2}, {1, 1, 1}, true}},
                                               "this machine");
    const Json json = bench_json(record)["measurements"];
    CHECK(json[0] == Json::parse(R"({"device": "cpu", "threads": 2, "faces": 16, "repeat": 3,
        "total": {"median_ms": 10.0, "min_ms": 8.0, "quartile_1_ms": 9.0, "quartile_3_ms": 11.0,
                  "faces_per_second": 1600.0}})"));
    CHECK(json[1]["resident"]["faces_per_second"] == 64000);
    auto texts = texts_of(record.lists[0], 1);
    CHECK(texts["backend"] == "cuda:0");
    CHECK(texts["total ms"] == "2.000");
    CHECK(texts["faces/s"] == "32000");
    CHECK(texts["resident faces/s"] == "64000");
    CHECK(texts_of(record.lists[0], 0)["resident ms"] == "–");
}

TEST_CASE("recognition is recorded beside the figures of Tek 2012", "[bench][report]") {
    const RecognitionCase of = tek_cases()[1];
    RecognitionBenchmark benchmark;
    benchmark.features = {{"cpu, 1 thread", of, 1, {4, 5, 6}, {}, true},
                          {"cuda:0", of, 64, {2, 2, 2}, {1, 1, 1}, false}};
    benchmark.searches = {{"cpu, 1 thread", of, 1000, 1, {3, 3, 3}, {}, true}};
    const BenchRecord record = recognition_record(benchmark, "this machine");
    const Json json = bench_json(record);
    CHECK(json["features"][0] ==
          Json::parse(
              R"({"backend": "cpu, 1 thread", "bins": 2891, "points": 8, "radius": 2.0, "cell": [18, 21],
            "faces": 1, "total": {"median_ms": 5.0, "min_ms": 4.0, "quartile_1_ms": 4.5, "quartile_3_ms": 5.5},
            "repeat": 3, "equal": true})"));
    CHECK(json["features"][1]["equal"] == false);
    CHECK(json["features"][1]["resident"]["median_ms"] == 1);
    CHECK(json["searches"][0]["gallery"] == 1000);
    CHECK(json["searches"][0]["queries"] == 1);
    CHECK(json["interrupted"] == false);
    auto few = texts_of(record.lists[0], 0);
    CHECK(few["LBP"] == "(8, 2) u2");
    CHECK(few["region"] == "18x21");
    CHECK(few["faces/s"] == "200");
    CHECK(few["Tek GPU [ms]"] == "0.17");
    CHECK(few["Tek CPU [ms]"] == "3.85");
    auto many = texts_of(record.lists[0], 1);
    CHECK(many["faces/s"] == "64000");   // from those in the device's memory
    CHECK(many["Tek GPU [ms]"] == "–");  // his are of one face
    auto search = texts_of(record.lists[1], 0);
    CHECK(search["N"] == "1000");
    CHECK(search["Tek GPU [ms]"] == "0.88");
    CHECK(search["Tek CPU [ms]"] == "2.55");
    CHECK(search["terms/s"] == "9.64e+08");  // 2891 · 1000 in 3 ms
}

TEST_CASE("videos are recorded with their limits and latency", "[bench][report]") {
    VideoBenchmark benchmark;
    VideoRowResult& row = benchmark.rows.emplace_back();
    row.key = "cpu";
    row.video = "videos/a.mp4";
    row.work = "one file, on the CPU";
    row.runs.images_per_second = {100, 120, 110};
    row.runs.run.images = 50;
    row.runs.run.detections = 75;
    row.limit_name = "FFmpeg, 2 threads";
    row.limit_per_second = {400, 440, 420};
    row.detect_per_second = 220;
    VideoRowResult& absent = benchmark.rows.emplace_back();
    absent.key = "files";
    absent.video = "videos/a.mp4";
    absent.work = "16 files of 1000 frames";
    absent.not_run = "the device is the CPU";
    LiveResult& live = benchmark.live.emplace_back();
    live.video = "videos/a.mp4";
    live.frames_per_second = 90;
    live.latency_ms = {3, 5};
    live.median_ms = 4;
    live.p99_ms = live.max_ms = 5;
    const BenchRecord record = video_record(benchmark, "this machine");
    const Json json = bench_json(record);
    CHECK(json["rows"][0]["video"] == "a.mp4");
    CHECK(json["rows"][0]["frames_per_second"] == 110);
    CHECK(json["rows"][0]["runs"] == Json({100, 120, 110}));
    CHECK(json["rows"][0]["limit"]["of"] == "FFmpeg, 2 threads");
    CHECK(json["rows"][0]["limit"]["frames_per_second"] == 420);
    CHECK(json["rows"][0]["share"] == 0.5);  // detection alone is slower than the decoder
    CHECK(json["rows"][0]["detections_per_frame"] == 1.5);
    CHECK(json["rows"][1] == Json::parse(R"({"row": "files", "video": "a.mp4",
        "work": "16 files of 1000 frames", "not_run": "the device is the CPU"})"));
    CHECK(json["live"].size() == 1);  // Oro's figure is none of this machine
    CHECK(json["live"][0]["frames"] == 2);
    CHECK(json["live"][0]["latency_ms"]["p99"] == 5);
    CHECK(texts_of(record.lists[0], 1)["frames/s"] == "not run");
    CHECK(texts_of(record.lists[1], 1)["frames/s"] == "70.0");
    CHECK(record.files.at(0).second == "video,frame,latency_ms\n0,0,3.0000\n0,1,5.0000\n");
    CHECK(record.plots.at(0).stem == "latency");
    CHECK_THAT(record.notes.at(0), Contains("a.mp4, one file, on the CPU: the limit is FFmpeg, 2 threads, or "
                                            "detection alone with 220 frames/s"));
    CHECK(video_record({}, "").plots.empty());
    CHECK(bench_tables(video_record({}, "")).empty());
}

TEST_CASE("tracks are recorded beside OpenCV and Helf 2018", "[bench][report][track-bench]") {
    TrackBenchmark benchmark;
    benchmark.request = quick_track_benchmark();
    benchmark.frames = 2;
    benchmark.size = {640, 480};
    FrameTimes& every = benchmark.times.emplace_back();
    every.work = "detection and landmarks in every frame";
    every.ms = {8, 12};
    every.mean_ms = every.median_ms = 10;
    FrameTimes& tenth = benchmark.times.emplace_back();
    tenth.work = "detection in 1 of 10 frames, followed by flow";
    tenth.redetect = 10;
    tenth.ms = {7, 1};
    tenth.mean_ms = 4;
    tenth.speed_up = 2.5;
    for (const int levels : {1, 4}) {
        FlowTimes& flow = benchmark.flow.emplace_back();
        flow.points = 68;
        flow.window = 21;
        flow.levels = levels;
        flow.iterations = 30;
        flow.fovea_ms = {1, 1, 1};
        flow.opencv_ms = {3, 3, 3};
        flow.equal = levels == 4;
    }
    const BenchRecord record = track_record(benchmark, "this machine");
    const Json json = bench_json(record);
    CHECK(json["times"].size() == 2);
    CHECK(json["times"][0]["speed_up"].is_null());
    CHECK(json["times"][1]["speed_up"] == 2.5);
    CHECK(json["times"][1]["frames"] == 2);
    CHECK(json["flow"][1]["opencv"]["median_ms"] == 3);
    CHECK_FALSE(json["flow"][1].contains("fovea_gpu"));
    CHECK(texts_of(record.lists[0], 0)["frames/s"] == "100");
    CHECK(texts_of(record.lists[0], 3)["speed-up"] == "1.65");
    CHECK(texts_of(record.lists[1], 0)["times as fast"] == "3.00");
    // The terminal shows the tracker's settings, or the largest, alone.
    const std::vector<Table> shown = bench_tables(record);
    REQUIRE(shown.size() == 2);
    CHECK(shown[1].rows.size() == 1);
    CHECK(record.files.at(0).second ==
          "redetect,run,frame,ms\n1,0,0,8.0000\n1,0,1,12.0000\n10,0,0,7.0000\n10,0,1,1.0000\n");
    CHECK_THAT(record.notes.at(0), Contains("2.50 times as fast"));
    CHECK_THAT(record.notes.at(1), Contains("points differ from OpenCV's in 1 of 2 settings"));
    REQUIRE(record.plots.size() == 3);
    CHECK(record.plots[2].stem == "track_flow");
    CHECK_THAT(bench_csv(record.lists[1]),
               Contains("points,window,levels,iterations,found,fovea_median_ms,fovea_min_ms,") &&
                   Contains("\n68,21,4,30,0,1,1,1,1,3,3,3,3,1\n"));
}
