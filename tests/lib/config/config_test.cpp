#include "lib/config/config.hpp"

#include <cstdlib>
#include <fstream>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/files/find_model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::string usage_error_of(const std::string& json) {
    try {
        run_config_from_json(Json::parse(json));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

std::string load_error_of(const std::string& text) {
    const test::TempDir folder;
    try {
        load_run_config(folder.write("c.json", text));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("configs/default.json holds every field with its default", "[config]") {
    RunConfig defaults;
    defaults.detectors.emplace_back();
    std::ifstream stream(test::source_file("configs/default.json"));
    const Json file = Json::parse(stream);
    CHECK(file == run_config_to_json(defaults));
    // And what is read is what was written.
    CHECK(run_config_to_json(run_config_from_json(file)) == file);
}

TEST_CASE("an empty configuration leaves every default as it is", "[config]") {
    CHECK(run_config_to_json(run_config_from_json(Json::object())) == run_config_to_json(RunConfig{}));
    CHECK(RunConfig{}.image.decoder == DecoderChoice::automatic);
}

TEST_CASE("every field of a configuration is read", "[config]") {
    const Json json = Json::parse(R"({
      "dataset": {"path": "list:a.txt", "files": [], "pattern": "*.png", "limit": 7, "root": "r", "every": 2, "fps": 0.5,
                  "from": 1.5, "to": 9.0},
      "image": {"max_megapixels": 1.5, "apply_exif_orientation": false, "prefetch_megabytes": 8.0,
                "decoder": "auto", "allow_mixed_decoders": true, "video_decoder": "cpu", "scaled_decoding": true},
      "detectors": [{"name": "n", "model": "m.xml", "scale_factor": 1.2, "min_neighbors": 0, "min_size": [3, 4],
                     "max_size": [30, 40], "border": 12, "score": "stage_sum", "raw": true, "start_scale": 2.0, "step": 3,
                     "min_score": -1.5,
                     "box_offsets": {"left": -0.25, "right": 0.5, "top": 0.125, "bottom": -0.125}}],
      "landmarks": {"model": "m.dat", "boxes": ["truth"], "convention": "none"},
      "recognition": {"recognisers": ["r", "s.json"], "faces": "truth", "detector": "d", "landmarks": "l",
                      "convention": "none", "fallback_eyes": [0.25, 0.5, 0.75, 0.5], "pairs": "lfw:p", "gallery": "g",
                      "probes": ["q", "g"],
                      "permutations": {"dataset": "e", "count": 6, "enrolled": 2, "folds": 0, "seed": 4}},
      "tracking": {"follow": "detections", "redetect": 3, "look_back": 4, "min_weak_score": 0.25, "min_overlap": 0.125,
                   "min_weak_overlap": 0.375, "min_regained_overlap": 0.625, "max_motion_distance": 1.5, "max_lone_distance": 3.5, "steady_frames": 4,
                   "max_size_change": 1.25, "max_search": 13, "max_bridged": 14, "min_detections": 5, "max_followed": 6,
                   "max_lost": 7, "rejoin": true, "separate": true, "max_rejoin_distance": 8.5, "recogniser": "r", "smoothing": 0.75,
                   "explain": true,
                   "points": "grid", "grid": 9, "flow_window": 11, "flow_levels": 2, "flow_iterations": 12,
                   "flow_epsilon": 0.5, "max_return_error": 0.75, "max_residual": 3.5, "min_votes": 0.5, "min_sure_votes": 0.875,
                   "max_scale_step": 1.5},
      "evaluation": {"enabled": false, "protocol": "mit-cmu", "mode": "corrected", "iou_threshold": 0.25, "oks_sigmas": [0.5], "false_positive_points": [1, 2],
                     "bootstrap_resamples": 10, "bootstrap_seed": 3},
      "report": {"title": "t", "thumbnails": 5, "pictures": 6, "picture_megabytes": 1.5, "latex": "brackets"},
      "device": "cuda:0,2", "threads": 3, "memory_limit_megabytes": 512.0, "output": "o"})");
    const RunConfig config = run_config_from_json(json);
    CHECK(config.dataset.path == "list:a.txt");
    CHECK(config.dataset.pattern == "*.png");
    CHECK(config.dataset.limit == 7);
    CHECK(config.dataset.root == "r");
    CHECK(frame_selection(config.dataset) == FrameSelection{2, 0.5, 1.5, 9});
    CHECK(config.image.max_megapixels == 1.5);
    CHECK_FALSE(config.image.apply_exif_orientation);
    CHECK(config.image.prefetch_megabytes == 8);
    CHECK(config.image.decoder == DecoderChoice::automatic);
    CHECK(config.image.allow_mixed_decoders);
    CHECK(config.image.video_decoder == VideoDecoderChoice::cpu);
    CHECK(config.image.scaled_decoding);
    CHECK(config.memory_limit_megabytes == 512);
    REQUIRE(config.detectors.size() == 1);
    CHECK(config.detectors[0].name == "n");
    CHECK(config.detectors[0].model == "m.xml");
    CHECK(config.detectors[0].options ==
          DetectorOptions{1.2, 0, {3, 4}, {30, 40}, ScoreKind::stage_sum, 12, true, 2, 3, -1.5});
    CHECK(config.detectors[0].box_offsets == BoxOffsets{-0.25, 0.5, 0.125, -0.125});
    TrackerOptions tracker;
    tracker.mode = FollowMode::detections;
    tracker.redetect = 3;
    tracker.look_back = 4;
    tracker.min_weak_score = 0.25;
    tracker.min_overlap = 0.125;
    tracker.min_weak_overlap = 0.375;
    tracker.min_regained_overlap = 0.625;
    tracker.max_motion_distance = 1.5;
    tracker.max_lone_distance = 3.5;
    tracker.steady_frames = 4;
    tracker.max_size_change = 1.25;
    tracker.max_search = 13;
    tracker.max_bridged = 14;
    tracker.min_detections = 5;
    tracker.max_followed = 6;
    tracker.max_lost = 7;
    tracker.points = FollowedPoints::grid;
    tracker.grid = 9;
    tracker.flow_window = 11;
    tracker.flow_levels = 2;
    tracker.flow_iterations = 12;
    tracker.flow_epsilon = 0.5;
    tracker.max_return_error = 0.75;
    tracker.max_residual = 3.5;
    tracker.min_votes = 0.5;
    tracker.min_sure_votes = 0.875;
    tracker.max_scale_step = 1.5;
    CHECK(config.tracking.tracker == tracker);
    CHECK(config.tracking.rejoin);
    CHECK(config.tracking.separate);
    CHECK(config.tracking.explain);
    CHECK(config.tracking.max_rejoin_distance == 8.5);
    CHECK(config.tracking.recogniser == "r");
    CHECK(config.tracking.smoothing == 0.75);
    CHECK_FALSE(config.evaluation.enabled);
    CHECK(config.evaluation.options.protocol == DetectionProtocol::mit_cmu);
    CHECK(config.evaluation.options.mode == ProtocolMode::corrected);
    CHECK(config.evaluation.options.iou_threshold == 0.25);
    CHECK(config.evaluation.options.oks_sigmas == std::vector{0.5});
    CHECK(config.evaluation.options.false_positive_points == std::vector<int>{1, 2});
    CHECK(config.evaluation.options.bootstrap_resamples == 10);
    CHECK(config.evaluation.options.bootstrap_seed == 3);
    CHECK(config.report.title == "t");
    CHECK(config.report.thumbnails == 5);
    CHECK(config.device == "cuda:0,2");
    CHECK(config.threads == 3);
    CHECK(config.output == "o");
    CHECK(run_config_to_json(config) == json);
}

TEST_CASE("unknown keys are errors that name the path and the nearest key", "[config]") {
    CHECK_THAT(usage_error_of(R"({"detector": []})"),
               Equals("unknown key 'detector' (did you mean 'detectors'?)"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{}, {"name": "b", "scalefactor": 1.1}]})"),
               Equals("unknown key 'detectors[1].scalefactor' (did you mean 'scale_factor'?)"));
    CHECK_THAT(usage_error_of(R"({"evaluation": {"zzz": 1}})"), Equals("unknown key 'evaluation.zzz'"));
}

TEST_CASE("wrong types are errors that name the path and what stands there", "[config]") {
    CHECK_THAT(usage_error_of("[]"), Contains("the JSON must be an object, but is an empty list"));
    CHECK_THAT(usage_error_of(R"({"threads": 2.5})"), Contains("'threads' must be an integer, but is 2.5"));
    CHECK_THAT(usage_error_of(R"({"threads": 4294967296})"),
               Contains("'threads' must be an integer of at most 32 bits"));
    CHECK_THAT(usage_error_of(R"({"threads": 18446744073709551615})"),
               Contains("'threads' must be an integer"));
    CHECK_THAT(usage_error_of(R"({"output": null})"), Contains("'output' must be a string, but is null"));
    CHECK_THAT(usage_error_of(R"({"dataset": {"limit": -1}})"),
               Contains("'dataset.limit' must be an integer of at least 0"));
    CHECK_THAT(usage_error_of(R"({"dataset": {"files": ["a", 1]}})"),
               Contains("'dataset.files[1]' must be a string"));
    CHECK_THAT(usage_error_of(R"({"detectors": {}})"), Contains("'detectors' must be a list"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"raw": 1}]})"),
               Contains("'detectors[0].raw' must be true or false"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"scale_factor": "1.1"}]})"),
               Contains("'detectors[0].scale_factor' must be a number, but is the string \"1.1\""));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"min_size": [1]}]})"),
               Contains("'detectors[0].min_size' must be a list [width, height], but is a list of 1"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"min_size": [1, "x"]}]})"),
               Contains("'detectors[0].min_size[1]' must be an integer"));
    CHECK_THAT(usage_error_of(R"({"evaluation": {"false_positive_points": [1, 1.5]}})"),
               Contains("'evaluation.false_positive_points[1]' must be an integer"));
}

TEST_CASE("values out of range are errors that name the path", "[config]") {
    const auto [json, path] = GENERATE(table<std::string, std::string>({
        {R"({"detectors": [{"scale_factor": 1.0}]})", "detectors[0].scale_factor"},
        {R"({"detectors": [{"scale_factor": -2}]})", "detectors[0].scale_factor"},
        {R"({"detectors": [{"scale_factor": 1000.5}]})", "detectors[0].scale_factor"},
        {R"({"detectors": [{"min_neighbors": -1}]})", "detectors[0].min_neighbors"},
        {R"({"detectors": [{"min_size": [-1, 5]}]})", "detectors[0].min_size"},
        {R"({"detectors": [{"max_size": [5, -1]}]})", "detectors[0].max_size"},
        {R"({"detectors": [{"min_size": [50, 50], "max_size": [40, 60]}]})", "detectors[0].max_size"},
        {R"({"detectors": [{"name": "a/b"}]})", "detectors[0].name"},
        {R"({"detectors": [{"box_offsets": {"left": 3}}]})", "detectors[0].box_offsets.left"},
        {R"({"detectors": [{"box_offsets": {"top": 0.5, "bottom": -0.5}}]})",
         "detectors[0].box_offsets.bottom"},
        {R"({"detectors": [{"name": ".."}]})", "detectors[0].name"},
        {R"({"detectors": [{"score": "stages"}]})", "detectors[0].score"},
        {R"({"detectors": [{"model": "a/m.xml"}, {"model": "b/m.xml"}]})", "detectors[1]"},
        {R"({"evaluation": {"iou_threshold": 0}})", "evaluation.iou_threshold"},
        {R"({"evaluation": {"iou_threshold": 1.01}})", "evaluation.iou_threshold"},
        {R"({"evaluation": {"oks_sigmas": [0.1, 0]}})", "evaluation.oks_sigmas[1]"},
        {R"({"evaluation": {"protocol": "pascal"}})", "evaluation.protocol"},
        {R"({"evaluation": {"false_positive_points": [5, -1]}})", "evaluation.false_positive_points[1]"},
        {R"({"evaluation": {"bootstrap_resamples": -1}})", "evaluation.bootstrap_resamples"},
        {R"({"image": {"max_megapixels": 0}})", "image.max_megapixels"},
        {R"({"image": {"prefetch_megabytes": -3}})", "image.prefetch_megabytes"},
        {R"({"image": {"decoder": "gpu"}})", "image.decoder"},
        {R"({"image": {"decoder": "cpu", "allow_mixed_decoders": true}})", "image.allow_mixed_decoders"},
        {R"({"memory_limit_megabytes": 10})", "memory_limit_megabytes"},
        {R"({"report": {"thumbnails": -1}})", "report.thumbnails"},
        {R"({"threads": -1})", "threads"},
        {R"({"device": "gpu"})", "device"},
        {R"({"dataset": {"path": "a", "files": ["b"]}})", "dataset.files"},
    }));
    CAPTURE(json);
    CHECK_THAT(usage_error_of(json), Contains("'" + path + "'"));
}

TEST_CASE("broken JSON is an error with file, line and column", "[config]") {
    CHECK_THAT(load_error_of("{\n  \"threads\": 1,\n  \"output\" \"x\"\n}"),
               Contains("c.json:3:") && Contains("this is not JSON") && !Contains("json.exception"));
    CHECK_THAT(load_error_of(""), Contains("c.json:1:1"));
    CHECK_THAT(load_error_of(R"({"threads": 1, "threads": 2})"),
               Contains("the key 'threads' is given twice"));
    CHECK_THAT(load_error_of(R"({"threads": 1e999})"), Contains("c.json"));
    // The same key in different objects is no duplicate.
    CHECK(load_error_of(R"({"detectors": [{"name": "a"}, {"name": "b"}]})") == "no error");
    CHECK_THROWS_AS(load_run_config("/nonexistent/c.json"), UsageError);
    CHECK_THROWS_AS(load_run_config("/"), UsageError);
}

TEST_CASE("environment variables are expanded as a shell does", "[config]") {
    ::setenv("FOVEA_TEST_SET", "value", 1);
    ::setenv("FOVEA_TEST_EMPTY", "", 1);
    ::unsetenv("FOVEA_TEST_UNSET");
    CHECK(expand_environment("plain $text $ {x}") == "plain $text $ {x}");
    CHECK(expand_environment("a/${FOVEA_TEST_SET}/b/${FOVEA_TEST_SET}") == "a/value/b/value");
    CHECK(expand_environment("${FOVEA_TEST_UNSET:-d/e}") == "d/e");
    CHECK(expand_environment("${FOVEA_TEST_EMPTY:-d}") == "d");
    CHECK(expand_environment("[${FOVEA_TEST_EMPTY}]") == "[]");
    CHECK(expand_environment("${FOVEA_TEST_SET:-d}") == "value");
    CHECK(expand_environment("${FOVEA_TEST_UNSET:-}x") == "x");
    CHECK(expand_environment("$$ $${FOVEA_TEST_SET} $$${FOVEA_TEST_SET} a$") ==
          "$ ${FOVEA_TEST_SET} $value a$");
    for (const std::string text : {"", "plain $text $ {x}", "${A}", "$", "$$", "$$$", "$${", "$$${x}$"}) {
        CAPTURE(text);
        CHECK(expand_environment(escape_environment(text)) == text);
    }
    CHECK(escape_environment("plain $text") == "plain $text");
    CHECK_THROWS_WITH(expand_environment("${FOVEA_TEST_UNSET}"), Contains("FOVEA_TEST_UNSET is not set"));
    CHECK_THROWS_AS(expand_environment("${FOVEA_TEST_SET"), UsageError);
    CHECK_THROWS_AS(expand_environment("${}"), UsageError);
    CHECK_THROWS_AS(expand_environment("${a-b}"), UsageError);

    RunConfig config;
    config.dataset.path = "mit-cmu:${FOVEA_TEST_SET}";
    config.detectors.push_back({"", "${FOVEA_TEST_UNSET:-m.xml}", {}});
    config.output = "${FOVEA_TEST_UNSET}";
    CHECK_THROWS_WITH(expand_environment(config), Contains("'output'"));
    config.output = "o";
    expand_environment(config);
    CHECK(config.dataset.path == "mit-cmu:value");
    CHECK(config.detectors[0].model == "m.xml");
}

TEST_CASE("the configurations that ship are valid", "[config]") {
    for (const std::string name :
         {"default", "demo", "mit-cmu", "cars-uiuc", "cells-bccd", "plates", "modern-line"}) {
        CAPTURE(name);
        CHECK_NOTHROW(load_run_config(test::source_file("configs/") + name + ".json"));
    }
}

TEST_CASE("configs/modern-line.json takes YuNet's file from a variable, or from the folder of models",
          "[config]") {
    const std::string file = test::source_file("configs/modern-line.json");
    const auto model = [&] {
        RunConfig config = load_run_config(file);
        expand_environment(config);
        return config.detectors.back().model;
    };
    ::unsetenv("FOVEA_YUNET");
    CHECK(model() == "face_detection_yunet_2022mar");
    ::setenv("FOVEA_YUNET", "/models/mine.onnx", 1);
    CHECK(model() == "/models/mine.onnx");
    ::unsetenv("FOVEA_YUNET");
}

TEST_CASE("the nearest name is the one that was meant", "[config]") {
    const std::vector<std::string> known{"scale_factor", "min_neighbors", "min_size", "max_size", "raw"};
    CHECK(nearest_name("scalefactor", known) == std::string("scale_factor"));
    CHECK(nearest_name("Scale-Factor", known) == std::string("scale_factor"));
    CHECK(nearest_name("min_neigbhors", known) == std::string("min_neighbors"));  // a swap is one edit
    CHECK(nearest_name("rwa", known) == std::string("raw"));
    CHECK(nearest_name("maxsize", known) == std::string("max_size"));
    CHECK_FALSE(nearest_name("colour", known));
    CHECK_FALSE(nearest_name("", known));
    CHECK(did_you_mean("colour", known).empty());
}

TEST_CASE("null in a configuration leaves a value to the detector", "[config]") {
    const RunConfig config = run_config_from_json(Json::parse(
        R"({"detectors": [{"scale_factor": null, "min_neighbors": null, "min_score": null, "score": "auto"}]})"));
    CHECK(config.detectors.at(0).options == DetectorOptions{});
    CHECK(config.detectors.at(0).model == default_model);
    CHECK_THAT(usage_error_of(R"({"detectors": [{"step": null}]})"),
               Contains("'detectors[0].step' must be an integer, but is null"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"step": 0}]})"),
               Contains("'detectors[0].step' must be between 1 and 24"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"border": -1}]})"),
               Contains("'detectors[0].border' must be between 0 and 4096 pixels, but is -1"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"start_scale": 0.2}]})"),
               Contains("'detectors[0].start_scale' must be between 0.25 and 1000"));
    CHECK_THAT(usage_error_of(R"({"detectors": [{"score": "sum"}]})"),
               Contains("auto, neighbors, stage_sum or confidence"));
}
