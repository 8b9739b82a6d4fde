#include <algorithm>
#include <functional>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t longest_name = 28;

/// Backends and batches, each once, in the order of measurement.
Names measured_names(const DetectionBenchmark& benchmark) {
    Names names;
    for (const Measurement& measurement : benchmark.measurements)
        place_in(names, measurement_name(measurement));
    return names;
}

// Sizes in the order of their pixels: lines from left to right must not turn back.
std::vector<std::size_t> sizes_by_pixels(const DetectionBenchmark& benchmark) {
    std::vector<std::size_t> order(benchmark.sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return benchmark.sizes[a].pixels < benchmark.sizes[b].pixels;
    });
    return order;
}

// Lines over the sizes; values of 0 are left out.
Plot by_size_plot(const DetectionBenchmark& benchmark, Plot plot,
                  const std::function<double(const Measurement&)>& value) {
    const std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    std::vector<AxisMark> marks;
    Names names = measured_names(benchmark);
    std::vector<std::vector<PlotPoint>> points(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        marks.push_back({static_cast<double>(i), size_name(benchmark.sizes[order[i]].size)});
        for (const Measurement& measurement : benchmark.measurements) {
            const double y = value(measurement);
            if (measurement.size == order[i] && y > 0)
                points[place_in(names, measurement_name(measurement))].push_back({static_cast<double>(i), y});
        }
    }
    plot.x = category_axis("Image size", std::move(marks));
    plot.y.scale = Scale::log;
    plot.series = curves_of(names, std::move(points), Mark::line_dots);
    return plot;
}

/// Sum of the medians of what does not overlap: all parts but the wholes; 0 if none was measured.
double sum_of_parts(const EngineTimes& times) {
    double sum = 0;
    for (const BenchmarkPart& part : benchmark_parts()) {
        if (!part.whole) sum += median_time(times.*part.times);
    }
    return sum;
}

// A row a backend and batch that has parts at this size.
Plot parts_plot(const DetectionBenchmark& benchmark, std::size_t size) {
    Plot plot{"bench_parts", "Parts of the time, " + size_name(benchmark.sizes[size].size),
              "Medians of the parts as shares of their sum; on the right the total."};
    const auto& parts = benchmark_parts();
    for (std::size_t p = 0; p < parts.size(); ++p)
        plot.series.push_back({.name = parts[p].name, .mark = Mark::rects, .style = {.colour = p}});
    std::vector<AxisMark> rows;
    for (const Measurement& measurement : benchmark.measurements) {
        const double sum = sum_of_parts(measurement.ms_per_image);
        if (measurement.size != size || !(sum > 0)) continue;
        const auto row = static_cast<double>(rows.size());
        double left = 0;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const double ms = parts[p].whole ? 0 : median_time(measurement.ms_per_image.*parts[p].times);
            if (!(ms > 0)) continue;
            plot.series[p].rects.push_back(row_bar(left, left + ms / sum, row));
            plot.series[p].rects.back().note = fmt::format("{:.3g} ms", ms);
            left += ms / sum;
        }
        rows.push_back({row, shortened(measurement_name(measurement), longest_name),
                        fmt::format("{:.3g} ms", median_time(measurement.ms_per_image.total_ms))});
    }
    plot.x = share_axis("Share of the time");
    plot.y = row_axis("", std::move(rows));
    return plot;
}

/// The parts at the largest size at which there are any; nothing without.
void add_parts_plot(std::vector<Plot>& plots, const DetectionBenchmark& benchmark) {
    std::vector<std::size_t> order = sizes_by_pixels(benchmark);
    std::reverse(order.begin(), order.end());
    for (const std::size_t size : order) {
        Plot plot = parts_plot(benchmark, size);
        std::erase_if(plot.series, [](const Series& series) { return series.rects.empty(); });
        if (plot.series.empty()) continue;
        plots.push_back(std::move(plot));
        return;
    }
}

std::vector<Plot> plots_of(const DetectionBenchmark& benchmark) {
    if (benchmark.measurements.empty()) return {};
    Plot frames{"bench_frames", "Frames per second by image size",
                "From grey pixels in host memory to boxes in host memory, median."};
    frames.y.label = "Frames/s";
    std::vector<Plot> plots{
        by_size_plot(benchmark, std::move(frames), [](const auto& m) { return frames_per_second(m); })};
    Plot speedups{"bench_speedup", "Speed-up by image size",
                  "Times as fast as the CPU with the fewest threads, one image at a time."};
    speedups.y.label = "Times as fast";
    speedups =
        by_size_plot(benchmark, std::move(speedups), [&](const auto& m) { return speedup(benchmark, m); });
    if (!speedups.series.empty() && measured_names(benchmark).size() > 1)
        plots.push_back(std::move(speedups));
    add_parts_plot(plots, benchmark);
    return plots;
}

/// A measurement and its size.
struct SizedMeasurement {
    const DetectionBenchmark& benchmark;
    const Measurement& measurement;

    const MeasuredSize& size() const { return benchmark.sizes[measurement.size]; }
    double per_image(double sum) const { return sum / static_cast<double>(size().images); }
};
using Sized = SizedMeasurement;

/// "size", and "width" and "height" where all images have them. \param size_of a row
template <class Row>
std::vector<BenchField<Row>> size_fields(Size (*size_of)(const Row& row)) {
    const auto edge = [size_of](int Size::*value) {
        return [size_of, value](const Row& row) {
            const int pixels = size_of(row).*value;
            return pixels > 0 ? exact_value(pixels) : BenchValue{};
        };
    };
    return {
        {"size", words("size"), [size_of](const Row& row) { return text_value(size_name(size_of(row))); }},
        {"width", {}, edge(&Size::width)},
        {"height", {}, edge(&Size::height)}};
}

/// Nothing where a value is not known, which 0 says.
BenchValue known_value(double value, int digits, int decimals) {
    return value > 0 ? number_value(value, digits, value_cell(value, decimals)) : BenchValue{};
}

std::vector<BenchField<MeasuredSize>> sizes_fields() {
    using Row = MeasuredSize;
    std::vector<BenchField<Row>> fields = size_fields<Row>([](const Row& row) { return row.size; });
    append<Row>(fields, {{"images", {"images"}, [](const Row& row) { return count_value(row.images); }},
                         {"boxes", {"boxes"}, [](const Row& row) { return count_value(row.boxes); }},
                         {"megapixels_per_image",
                          {"Mpixel per image"},
                          [](const Row& row) {
                              return known_value(row.pixels / static_cast<double>(row.images) / 1e6, 6, 3);
                          }},
                         {"windows_per_image", {"windows per image"}, [](const Row& row) {
                              const double windows = row.windows / static_cast<double>(row.images);
                              return windows > 0 ? number_value(windows, 1, count_cell(windows))
                                                 : BenchValue{};
                          }}});
    return fields;
}

/// The times of a part; the quartiles stand beside the total alone.
BenchValue part_value(const BenchmarkPart& part, const EngineTimes& times) {
    BenchValue value = times_value(times.*part.times);
    if (part.times != &EngineTimes::total_ms) value.cell.interval.clear();
    return value;
}

BenchValue threads_or_gpus(const Sized& m, bool on_host) {
    const BackendInfo& backend = m.measurement.backend;
    if (backend.on_host() != on_host) return {};
    return exact_value(on_host ? backend.threads : backend.gpus);
}

std::vector<BenchField<Sized>> measurement_fields() {
    std::vector<BenchField<Sized>> fields{{{}, words("ms per image"), [](const Sized& m) {
                                               return BenchValue{{}, measurement_name(m.measurement)};
                                           }}};
    append(fields, size_fields<Sized>([](const Sized& m) { return m.size().size; }));
    append<Sized>(
        fields,
        {{"backend", {}, [](const Sized& m) { return text_value(backend_name(m.measurement.backend)); }},
         {"kind", {}, [](const Sized& m) { return text_value(backend_kind(m.measurement.backend)); }},
         {"threads", {}, [](const Sized& m) { return threads_or_gpus(m, true); }},
         {"gpus", {}, [](const Sized& m) { return threads_or_gpus(m, false); }},
         {"batch", {}, [](const Sized& m) { return exact_value(m.measurement.batch); }},
         {"repetitions", {}, [](const Sized& m) {
              return count_value(m.measurement.ms_per_image.total_ms.size());
          }}});
    for (const BenchmarkPart& part : benchmark_parts()) {
        fields.push_back({std::string("parts/") + part.key, {part.name}, [&part](const Sized& m) {
                              return part_value(part, m.measurement.ms_per_image);
                          }});
    }
    const auto frames = [](std::vector<double> EngineTimes::*part) {
        return [part](const Sized& m) {
            const double per_second = frames_per_second(m.measurement, part);
            return known_value(per_second, 3, per_second < 100 ? 2 : 0);
        };
    };
    append<Sized>(
        fields, {{"speedup",
                  {"speed-up", "over the CPU with the fewest threads"},
                  [](const Sized& m) { return known_value(speedup(m.benchmark, m.measurement), 3, 2); }},
                 {"frames_per_second", {"frames/s"}, frames(&EngineTimes::total_ms)},
                 {"frames_per_second_resident", {}, frames(&EngineTimes::resident_ms)},
                 {"frames_per_second_from_pinned_memory", {}, frames(&EngineTimes::pinned_ms)},
                 {"megapixels_per_second",
                  {"Mpixel/s"},
                  [](const Sized& m) {
                      return known_value(
                          m.per_image(m.size().pixels) * frames_per_second(m.measurement) / 1e6, 2, 1);
                  }},
                 {"windows_per_second", {"Mwindows/s"}, [](const Sized& m) {
                      // A rival has windows of its own, if any.
                      if (!m.measurement.backend.rival.empty() || !(m.size().windows > 0))
                          return BenchValue{};
                      const double windows = m.per_image(m.size().windows) * frames_per_second(m.measurement);
                      return number_value(windows, 0, value_cell(windows / 1e6, 2));
                  }}});
    return fields;
}

}  // namespace

std::string measurement_name(const Measurement& measurement) {
    const std::string name = backend_name(measurement.backend);
    return measurement.batch > 1 ? fmt::format("{}, batch of {}", name, measurement.batch) : name;
}

BenchRecord detection_record(const DetectionBenchmark& benchmark) {
    std::vector<Sized> rows;
    for (const Measurement& measurement : benchmark.measurements) rows.push_back({benchmark, measurement});
    BenchRecord record{"Speed of detection",
                       fmt::format("Measured: {}.", fmt::join(measured_names(benchmark), "; ")),
                       {list_of({"sizes", "Photographs", {}}, sizes_fields(), benchmark.sizes),
                        list_of({"measurements", "Times", "Medians, with the quartiles of the total."},
                                measurement_fields(), rows)}};
    record.plots = plots_of(benchmark);
    record.interrupted = benchmark.interrupted;
    return record;
}

}  // namespace fovea::report
