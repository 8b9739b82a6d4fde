#include "tests/lab/engine_study.hpp"

#include <atomic>

#include <catch2/catch.hpp>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "lib/report/write/text.hpp"
#include "tests/lab/engine_record.hpp"
#include "tests/lab/optimisations.hpp"
#include "tests/lib/bench/bench_scene.hpp"
#include "tests/lib/bench/report/sample_benchmark.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// The windows of two scales and a cascade of three stages: of 1000 visited ones, 400 are flat, 500 and 90
/// are rejected by the first two stages and 10 pass; on the second scale 10 windows pass and 90 do not.
RejectionTable sample_rejections() {
    PyramidLevel fine;
    fine.box = {20, 20};
    PyramidLevel coarse;
    coarse.scale = 1.5F;
    coarse.box = {30, 30};
    WindowTrace trace;
    trace.levels.resize(2);
    const auto add = [](WindowTrace::Level& level, std::size_t count, std::int16_t stages_passed) {
        level.stages_passed.insert(level.stages_passed.end(), count, stages_passed);
    };
    add(trace.levels[0], 200, WindowTrace::skipped);
    add(trace.levels[0], 400, WindowTrace::flat);
    add(trace.levels[0], 500, 0);
    add(trace.levels[0], 90, 1);
    add(trace.levels[0], 10, 3);
    add(trace.levels[1], 90, 2);
    add(trace.levels[1], 10, 3);
    RejectionTable table;
    table.add(std::vector{3, 5, 10}, std::vector<PyramidLevel>{fine, coarse}, trace);
    return table;
}

}  // namespace

TEST_CASE("an optimisation's factor is the time without it over that with it", "[lab]") {
    const BenchScene scene;
    const EngineDetector& cascade = scene.detector;
    EngineStudyRequest request;
    request.sizes = {{80, 60}};
    request.repetitions = 3;
    request.batch = 1;
    request.optimisations = {"graphs", "compaction"};
    const MakeEngine make = [&](const EngineOptions& variant) {
        const double ms = variant == without_optimisation({}, "graphs")       ? 6
                          : variant == without_optimisation({}, "compaction") ? 3
                                                                              : 4;
        return std::make_unique<KnownEngine>(scene.detector.cascade(), ms);
    };
    const EngineStudy study = study_optimisations(cascade.engine(), make, cascade.scan_of(scene.options),
                                                  scene.photographs, request, {});
    REQUIRE(study.gains.size() == 2);
    CHECK(study.gains[0].optimisation == "graphs");
    CHECK(study.gains[0].with.total_ms.size() == 3);
    CHECK(study.gains[0].without.total_ms.size() == 3);
    CHECK(study.gains[0].factor() == 1.5);
    CHECK(study.gains[1].factor() == 0.75);
    CHECK(study.gains[1].factor(&EngineTimes::scan_ms) == 0);
    CHECK(study.differences.empty());
}

TEST_CASE("an engine that finds other boxes without an optimisation is named", "[lab]") {
    const BenchScene scene;
    const EngineDetector& cascade = scene.detector;
    EngineStudyRequest request;
    request.sizes = {{80, 60}};
    request.repetitions = 1;
    request.batch = 4;
    request.optimisations = {"graphs"};
    const MakeEngine make = [&](const EngineOptions& variant) {
        auto engine = std::make_unique<KnownEngine>(scene.detector.cascade(), 4);
        engine->drops_last_of_batches = !(variant == EngineOptions{});
        return engine;
    };
    const EngineStudy study = study_optimisations(cascade.engine(), make, cascade.scan_of(scene.options),
                                                  scene.photographs, request, {});
    CHECK(study.gains.size() == 2);
    REQUIRE(study.differences.size() == 1);
    CHECK_THAT(study.differences[0],
               Contains("without graphs, batch of 4, differ") && Contains("in 1 image (80x60)"));
}

TEST_CASE("rejections are counted for every size", "[lab]") {
    const BenchScene scene;
    const EngineDetector& cascade = scene.detector;
    const CascadeScan scan = cascade.scan_of(scene.options);
    const auto all = count_rejections(cascade, scan, scene.photographs, {{60, 44}, {40, 30}}, {});
    REQUIRE(all.size() == 2);
    const RejectionLevel total = all[0].table.total();
    std::int64_t windows = 0;
    for (const PyramidLevel& level : cascade_levels({60, 44}, {20, 20}, {}))
        windows += std::int64_t{2} * level.windows_per_row() * level.window_rows();
    CHECK(total.windows == windows);
    CHECK(total.visited < total.windows);
    CHECK(total.flat + total.rejected.at(0) + total.rejected.at(1) + total.passed == total.visited);
    CHECK(total.passed > 0);
    // Two stages of one stump: what the first one lets through is evaluated twice.
    CHECK(total.weak_classifiers == total.rejected[0] + 2 * (total.rejected[1] + total.passed));
    CHECK(all[0].table.levels().size() == cascade_levels({60, 44}, {20, 20}, {}).size());
    std::atomic<bool> cancel{true};
    JobHooks hooks;
    hooks.cancel = &cancel;
    CHECK(count_rejections(cascade, scan, scene.photographs, {{60, 44}}, hooks).empty());
}

TEST_CASE("rejections of several images add up by scale", "[lab]") {
    const RejectionTable table = sample_rejections();
    REQUIRE(table.levels().size() == 2);
    const RejectionLevel& fine = table.levels()[0];
    CHECK(fine.windows == 1200);
    CHECK(fine.visited == 1000);
    CHECK(fine.flat == 400);
    CHECK(fine.rejected == std::vector<std::int64_t>{500, 90, 0});
    CHECK(fine.passed == 10);
    CHECK(fine.weak_classifiers == 500 * 3 + 90 * 8 + 10 * 18);
    CHECK(fine.weak_classifiers_per_window() == 2.4);
    CHECK(table.total().visited == 1100);
    CHECK(table.total().rejected == std::vector<std::int64_t>{500, 90, 90});
    CHECK(RejectionLevel{}.share(0) == 0);

    RejectionTable broken;
    const std::vector<int> stages{1};
    PyramidLevel level;
    WindowTrace trace;
    CHECK_THROWS_AS(broken.add(stages, {&level, 1}, trace), std::invalid_argument);
    trace.levels.resize(1);
    trace.levels[0].stages_passed = {2};
    CHECK_THROWS_AS(broken.add(stages, {&level, 1}, trace), std::invalid_argument);
}

TEST_CASE("two engines are measured in turns", "[lab]") {
    const BenchScene scene;
    const std::vector<ImageViews> groups{{scene.photographs[0].image.view()},
                                         {scene.photographs[1].image.view()}};
    KnownEngine engine(scene.detector.cascade(), 2);
    KnownEngine other(scene.detector.cascade(), 3);
    const PairedTimes paired = measure_in_turns(engine, other, groups, {}, 8, [] { return false; });
    CHECK(paired.first.total_ms == std::vector<double>(8, 2));
    CHECK(paired.second.total_ms == std::vector<double>(8, 3));
    CHECK(engine.calls >= 8);  // four pieces or more, of two groups each
    CHECK(engine.repetitions == other.repetitions);
    const PairedTimes cut = measure_in_turns(engine, other, groups, {}, 8, [] { return true; });
    CHECK(cut.first.total_ms.size() == 2);  // the piece in flight
    CHECK(cut.second.total_ms.size() == 2);
}

TEST_CASE("optimisations are named once; a wrong name finds its nearest", "[lab]") {
    CHECK(resolve_optimisations({"graphs", "pinned", "graphs"}) ==
          std::vector<std::string>{"graphs", "pinned"});
    CHECK(resolve_optimisations({"all", "graphs"}) == engine_optimisations());
    CHECK(resolve_optimisations({}).empty());
    CHECK_THROWS_WITH(resolve_optimisations({"compacton"}), Contains("did you mean 'compaction'"));
}

TEST_CASE("rejections and gains are shown", "[lab][report]") {
    const report::BenchRecord record = report::rejections_record({{{1280, 960}, sample_rejections()}});
    const Json rows = report::bench_json(record)["rejections"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["visited"] == 1000);
    CHECK(rows[0]["rejected_by_stage"] == Json({500, 90, 0}));
    CHECK(rows[0]["weak_classifiers_per_visited_window"] == 2.4);
    CHECK(rows[2]["window"] == "all");
    CHECK(rows[2]["flat"] == 400);
    const std::string text = report::text_table(report::bench_table(record.lists[0]));
    CHECK_THAT(text, Contains("30x30") && Contains("90.0\u00A0%"));
    // The coarse scale's third stage and the fine one's first reject half and more, nothing below 1 %.
    REQUIRE(record.plots.size() == 1);
    const report::Plot& rejections = record.plots[0];
    REQUIRE(rejections.series.size() == 3);
    CHECK(rejections.series[0].name == "50 % and more");
    REQUIRE(rejections.series[0].rects.size() == 2);
    CHECK((rejections.series[0].rects[0].x == 0.5 && rejections.series[0].rects[0].y == -0.5));
    CHECK((rejections.series[0].rects[1].x == 2.5 && rejections.series[0].rects[1].y == 0.5));
    CHECK(rejections.series[2].name == "1 to 10 %");
    CHECK(rejections.series[2].rects[0].strength == 0.48);
    CHECK(rejections.y.marks[1].label == "30");

    EngineStudy study;
    study.gains.push_back({"compaction", {1280, 960}, 32, cuda_times(1), cuda_times(1.5)});
    study.gains.push_back({"streams", {1280, 960}, 32, cuda_times(1), cuda_times(0.95)});
    const report::BenchRecord gained = report::optimisations_record(study, "this machine");
    const Json gains = report::bench_json(gained)["optimisations"];
    CHECK(gains[0]["optimisation"] == "compaction");
    CHECK(gains[0]["factor"] == 1.5);
    CHECK(gains[1]["factor_resident"] == 0.95);
    CHECK(gains[1]["factor_from_pinned_memory"] == 0.95);
    CHECK(gains[0]["without"]["from_pinned_memory"]["median_ms"] == 1.35);
    CHECK_THAT(report::text_table(report::bench_table(gained.lists[0])),
               Contains("compaction") && Contains("0.950") && Contains("factor, from pinned memory"));
    const report::Plot& plot = gained.plots.at(0);
    REQUIRE(plot.y.marks.size() == 2);
    CHECK(plot.y.marks[0].label == "compaction");
    REQUIRE(plot.series.size() == 1);
    CHECK((plot.series[0].rects[0].x == 1 && plot.series[0].rects[0].x2 == Approx(1.5)));
    CHECK((plot.series[0].rects[1].x == Approx(0.95) && plot.series[0].rects[1].x2 == 1));
    CHECK(report::optimisations_record({}, "").plots.empty());
}

TEST_CASE("the laboratory counts what stages reject", "[lab]") {
    const PhotoFolder f({{"a.pgm", edge_pgm(40, 30)}, {"c.pgm", noise_pgm(90, 70, 3)}});
    const std::string out = f.path("out");
    const ProgramResult result = run_lab_program(
        {"rejections", f.photos, "--model", f.model, "--sizes", "64x48,96x72,64x48", "--json", "--out", out});
    CAPTURE(result.err, result.out);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["rejections"][0]["window"] == "20x20");
    CHECK(json["rejections"].back()["size"] == "96x72");
    for (const char* name : {"bench.json", "rejections.csv", "bench.html", "bench_rejections.svg"})
        CHECK(std::filesystem::exists(std::filesystem::path(out) / name));
    const ProgramResult mct =
        run_lab_program({"rejections", f.photos, "--model", "mct", "--sizes", "64x48", "--json"});
    CAPTURE(mct.err);
    REQUIRE(mct.exit_code == 0);
    const Json all = Json::parse(mct.out)["rejections"].back();
    CHECK(all["window"] == "all");
    CHECK(all["flat"] == 0);
}

TEST_CASE("the laboratory refuses engines that it cannot study", "[lab]") {
    const PhotoFolder f({{"a.pgm", edge_pgm(40, 30)}});
    const auto refused = [&](const std::string& command, const std::vector<std::string>& flags,
                             const std::string& message) {
        std::vector<std::string> words{command, f.photos};
        words.insert(words.end(), flags.begin(), flags.end());
        const ProgramResult result = run_lab_program(words);
        INFO(message);
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains(message));
    };
    refused("optimisations", {"--optimisation", "graphs", "--device", "cpu"}, "no GPU is measured");
    refused("optimisations", {"--optimisation", "graph", "--device", "cpu"}, "did you mean 'graphs'");
    refused("rejections", {"--model", "wild"}, "is no cascade");
}
