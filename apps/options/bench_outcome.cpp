#include "apps/options/bench_outcome.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "apps/terminal/console.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/report/bench_numbers.hpp"
#include "lib/bench/report/bench_tables.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// One image at a time, at the one size, on the most threads or GPUs; null if not measured.
const Measurement* main_measurement(const DetectionBenchmark& benchmark, BackendInfo::Kind kind) {
    const Measurement* found = nullptr;
    if (benchmark.sizes.size() != 1) return found;
    for (const Measurement& measurement : benchmark.measurements) {
        if (measurement.backend.kind == kind && measurement.batch == 1) found = &measurement;
    }
    return found;
}

// The device that --device names, beside which OpenCV stands.
const Measurement* main_engine(const DetectionBenchmark& benchmark) {
    const Measurement* cuda = main_measurement(benchmark, BackendInfo::Kind::cuda);
    return cuda != nullptr ? cuda : main_measurement(benchmark, BackendInfo::Kind::cpu);
}

Json main_times_json(const Measurement& measurement, double pixels_per_image) {
    const std::vector<double>& times_ms = measurement.ms_per_image.total_ms;
    Json json = report::times_json(times_ms);
    const double mpixels = pixels_per_image / 1e6 * frames_per_second(measurement);
    json["megapixels_per_second"] = report::rounded(mpixels, 2);
    json["times_ms"] = Json::array();
    for (const double time : times_ms) json["times_ms"].push_back(report::rounded(time, 4));
    return json;
}

double speedup_over_opencv(const Measurement& engine, const Measurement& opencv) {
    return summarise_times(opencv.ms_per_image.total_ms).median_ms /
           summarise_times(engine.ms_per_image.total_ms).median_ms;
}

}  // namespace

ExitCode bench_exit_code(const BenchResult& outcome) {
    if (!outcome.benchmark.differences.empty()) return ExitCode::backends_differ;
    if (!outcome.benchmark.failures.empty()) return ExitCode::failed;
    if (outcome.benchmark.interrupted) return ExitCode::interrupted;
    return outcome.photographs.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

Json bench_json(const BenchResult& outcome) {
    const DetectionBenchmark& benchmark = outcome.benchmark;
    const Measurement* engine = main_engine(benchmark);
    const Measurement* opencv = main_measurement(benchmark, BackendInfo::Kind::opencv);
    Json json;
    json["command"] = "bench detect";
    json["exit_code"] = static_cast<int>(bench_exit_code(outcome));
    if (outcome.arguments.size() == 1) json["image"] = outcome.arguments[0];
    if (benchmark.sizes.size() == 1 && benchmark.sizes[0].size.width > 0) {
        json["width"] = benchmark.sizes[0].size.width;
        json["height"] = benchmark.sizes[0].size.height;
    }
    json["model"] = outcome.subject.model.string();
    if (outcome.rival) {
        json["rival"] = {{"model", outcome.rival->model.string()},
                         {"options", detector_options_to_json(outcome.rival->options)}};
    }
    json["options"] = detector_options_to_json(outcome.subject.config.options);
    json["device"] = outcome.backends.front().device_name();
    for (const BenchmarkBackend& backend : outcome.backends) {
        if (backend.info.kind == BackendInfo::Kind::cuda) json["device"] = backend.device_name();
    }
    json["threads"] = outcome.threads;
    if (engine != nullptr) json["repeat"] = engine->ms_per_image.total_ms.size();
    if (benchmark.sizes.size() == 1) json["boxes"] = benchmark.sizes[0].boxes;
    if (engine != nullptr) {
        const double pixels = benchmark.sizes[0].pixels / static_cast<double>(benchmark.sizes[0].images);
        json["fovea"] = main_times_json(*engine, pixels);
        if (opencv != nullptr) {
            json["opencv"] = main_times_json(*opencv, pixels);
            json["speedup"] = report::rounded(speedup_over_opencv(*engine, *opencv), 3);
        }
    }
    json["same_boxes"] = benchmark.differences.empty();
    json["interrupted"] = benchmark.interrupted;
    json["images"] = Json::array();
    for (const Photograph& photograph : outcome.photographs.images) json["images"].push_back(photograph.name);
    json["unreadable_images"] = unreadable_json(outcome.photographs.unreadable);
    json.update(report::benchmark_to_json(benchmark));
    return json;
}

std::string bench_text(const BenchResult& outcome) {
    const DetectionBenchmark& benchmark = outcome.benchmark;
    const DetectorOptions& options = outcome.subject.config.options;
    std::string text = detector_name(outcome.subject.config);
    if (options.scale_factor) text += fmt::format(", scale factor {}", *options.scale_factor);
    text += ", " + counted(outcome.photographs.images.size(), "photograph") + "\n\n";
    text += format_tables(report::benchmark_tables(benchmark)) + "\n";
    const Measurement* engine = main_engine(benchmark);
    const Measurement* opencv = main_measurement(benchmark, BackendInfo::Kind::opencv);
    if (engine != nullptr && opencv != nullptr) {
        text += fmt::format("{} is {:.2f} times as fast as {}\n", backend_name(engine->backend),
                            speedup_over_opencv(*engine, *opencv), backend_name(opencv->backend));
    }
    std::size_t boxes = 0;
    for (const MeasuredSize& size : benchmark.sizes) boxes += size.boxes;
    const bool compared =
        std::any_of(outcome.backends.begin(), outcome.backends.end(), [&](const BenchmarkBackend& backend) {
            const BackendInfo::Kind kind = backend.info.kind;
            return kind == BackendInfo::Kind::cuda || (kind == BackendInfo::Kind::opencv && !outcome.rival);
        });
    if (!compared) {
        text += counted(boxes, "box", "boxes") + " found\n";
    } else if (benchmark.differences.empty()) {
        text += fmt::format("all backends find the same {}\n", counted(boxes, "box", "boxes"));
    }
    for (const std::string& difference : benchmark.differences) text += difference + "; see 'fovea verify'\n";
    if (benchmark.interrupted) text += "interrupted: this is what was measured until then\n";
    return text;
}

}  // namespace fovea
