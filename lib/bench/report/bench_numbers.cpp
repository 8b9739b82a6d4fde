#include "lib/bench/report/bench_numbers.hpp"

#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/core/csv.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/json/json.hpp"

namespace fovea::report {
namespace {

// Times are known to a tenth of a microsecond at best.
constexpr int time_digits = 4;

void add_size(Json& json, Size size) {
    json["size"] = size_name(size);
    if (size.width == 0) return;  // of no one size
    json["width"] = size.width;
    json["height"] = size.height;
}

void add_backend(Json& json, const BackendInfo& backend) {
    json["backend"] = backend_name(backend);
    json["kind"] = backend_kind(backend);
    if (backend.on_host()) {
        json["threads"] = backend.threads;
    } else {
        json["gpus"] = backend.gpus;
    }
}

Json parts_json(const EngineTimes& times) {
    Json json = Json::object();
    for (const BenchmarkPart& part : benchmark_parts()) {
        if (!(times.*part.times).empty()) json[part.key] = times_json(times.*part.times);
    }
    return json;
}

Json rejection_level_json(const RejectionLevel& level) {
    Json json;
    json["windows"] = level.windows;
    json["visited"] = level.visited;
    json["flat"] = level.flat;
    json["rejected_by_stage"] = level.rejected;
    json["passed"] = level.passed;
    json["weak_classifiers_per_visited_window"] = rounded(level.weak_classifiers_per_window(), 3);
    return json;
}

Json rejections_json(const RejectionTable& table) {
    Json json;
    json["all_scales"] = rejection_level_json(table.total());
    json["scales"] = Json::array();
    for (const RejectionLevel& level : table.levels()) {
        Json entry{{"scale", rounded(level.scale, 6)}, {"window", {level.box.width, level.box.height}}};
        entry.update(rejection_level_json(level));
        json["scales"].push_back(std::move(entry));
    }
    return json;
}

Json size_json(const MeasuredSize& size) {
    const auto images = static_cast<double>(size.images);
    Json json;
    add_size(json, size.size);
    json["images"] = size.images;
    json["boxes"] = size.boxes;
    json["megapixels_per_image"] = rounded(size.pixels / images / 1e6, 6);
    if (size.windows > 0) json["windows_per_image"] = rounded(size.windows / images, 1);
    if (size.rejections) json["rejections"] = rejections_json(*size.rejections);
    return json;
}

Json measurement_json(const DetectionBenchmark& benchmark, const Measurement& measurement) {
    const MeasuredSize& size = benchmark.sizes[measurement.size];
    const auto images = static_cast<double>(size.images);
    const double frames = frames_per_second(measurement);
    Json json;
    add_size(json, size.size);
    add_backend(json, measurement.backend);
    json["batch"] = measurement.batch;
    json["repetitions"] = measurement.ms_per_image.total_ms.size();
    json["parts"] = parts_json(measurement.ms_per_image);
    json["frames_per_second"] = rounded(frames, 3);
    const double resident = frames_per_second(measurement, &EngineTimes::resident_ms);
    if (resident > 0) json["frames_per_second_resident"] = rounded(resident, 3);
    const double pinned = frames_per_second(measurement, &EngineTimes::pinned_ms);
    if (pinned > 0) json["frames_per_second_from_pinned_memory"] = rounded(pinned, 3);
    json["megapixels_per_second"] = rounded(size.pixels / images * frames / 1e6, 2);
    // A rival has windows of its own, if any.
    const bool scans = size.windows > 0 && measurement.backend.rival.empty();
    if (scans) json["windows_per_second"] = std::round(size.windows / images * frames);
    if (size.rejections) {
        const auto visited = static_cast<double>(size.rejections->total().visited);
        json["visited_windows_per_second"] = std::round(visited / images * frames);
    }
    const double factor = speedup(benchmark, measurement);
    if (factor > 0) json["speedup"] = rounded(factor, 3);
    return json;
}

Json variant_json(const DetectionBenchmark& benchmark, const VariantMeasurement& variant) {
    Json json;
    json["optimisation"] = variant.optimisation;
    add_size(json, benchmark.sizes[variant.with.size].size);
    add_backend(json, variant.with.backend);
    json["batch"] = variant.with.batch;
    json["repetitions"] = variant.with.ms_per_image.total_ms.size();
    json["with"] = parts_json(variant.with.ms_per_image);
    json["without"] = parts_json(variant.without_ms_per_image);
    json["factor"] = rounded(variant_factor(variant), 4);
    const double resident = variant_factor(variant, &EngineTimes::resident_ms);
    if (resident > 0) json["factor_resident"] = rounded(resident, 4);
    const double pinned = variant_factor(variant, &EngineTimes::pinned_ms);
    if (pinned > 0) json["factor_from_pinned_memory"] = rounded(pinned, 4);
    return json;
}

// The rows of one measurement; `frames` and `factor` 0 = not known.
void add_rows(CsvRows& csv, Size size, const BackendInfo& backend, const std::string& name, int batch,
              const EngineTimes& times, double frames, double factor) {
    const auto add = [&](double value, int digits) {
        value > 0 ? csv.number(rounded(value, digits)) : csv.empty();
    };
    for (const BenchmarkPart& part : benchmark_parts()) {
        const std::vector<double>& ms = times.*part.times;
        if (ms.empty()) continue;
        const TimeSummary summary = summarise_times(ms);
        const bool total = part.times == &EngineTimes::total_ms;
        csv.text(size_name(size)).number(size.width).number(size.height);
        csv.text(name).text(backend_kind(backend)).number(backend.on_host() ? backend.threads : 0);
        csv.number(backend.gpus).number(batch).text(part.key).number(static_cast<double>(ms.size()));
        for (const double value :
             {summary.median_ms, summary.min_ms, summary.quartile_1_ms, summary.quartile_3_ms}) {
            csv.number(rounded(value, time_digits));
        }
        add(total ? frames : 0, 3);
        add(total ? factor : 0, 3);
        csv.end_row();
    }
}

}  // namespace

double rounded(double value, int digits_after_point) {
    const double unit = std::pow(10.0, digits_after_point);
    return std::round(value * unit) / unit;
}

std::string measurement_name(const Measurement& measurement) {
    const std::string name = backend_name(measurement.backend);
    return measurement.batch > 1 ? fmt::format("{}, batch of {}", name, measurement.batch) : name;
}

Json times_json(const std::vector<double>& times_ms) {
    if (times_ms.empty()) return nullptr;
    const TimeSummary summary = summarise_times(times_ms);
    return {{"median_ms", rounded(summary.median_ms, time_digits)},
            {"min_ms", rounded(summary.min_ms, time_digits)},
            {"quartile_1_ms", rounded(summary.quartile_1_ms, time_digits)},
            {"quartile_3_ms", rounded(summary.quartile_3_ms, time_digits)}};
}

Json benchmark_to_json(const DetectionBenchmark& benchmark) {
    Json json;
    json["sizes"] = Json::array();
    for (const MeasuredSize& size : benchmark.sizes) json["sizes"].push_back(size_json(size));
    json["measurements"] = Json::array();
    for (const Measurement& measurement : benchmark.measurements) {
        json["measurements"].push_back(measurement_json(benchmark, measurement));
    }
    if (!benchmark.variants.empty()) {
        json["optimisations"] = Json::array();
        for (const VariantMeasurement& variant : benchmark.variants) {
            json["optimisations"].push_back(variant_json(benchmark, variant));
        }
    }
    json["differences"] = benchmark.differences;
    json["failures"] = benchmark.failures;
    return json;
}

std::string benchmark_csv(const DetectionBenchmark& benchmark) {
    CsvRows csv({"size", "width", "height", "backend", "kind", "threads", "gpus", "batch", "part",
                 "repetitions", "median_ms", "min_ms", "quartile_1_ms", "quartile_3_ms", "frames_per_second",
                 "speedup"});
    for (const Measurement& m : benchmark.measurements) {
        add_rows(csv, benchmark.sizes[m.size].size, m.backend, backend_name(m.backend), m.batch,
                 m.ms_per_image, frames_per_second(m), speedup(benchmark, m));
    }
    for (const VariantMeasurement& variant : benchmark.variants) {
        const Measurement without{variant.with.size, variant.with.backend, variant.with.batch,
                                  variant.without_ms_per_image};
        add_rows(csv, benchmark.sizes[without.size].size, without.backend,
                 backend_name(without.backend) + " without " + variant.optimisation, without.batch,
                 without.ms_per_image, frames_per_second(without), speedup(benchmark, without));
    }
    return csv.bytes();
}

}  // namespace fovea::report
