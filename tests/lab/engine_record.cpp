#include "tests/lab/engine_record.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/benchmark.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

std::string batch_name(int batch) {
    return batch == 1 ? "one by one" : fmt::format("batch of {}", batch);
}

/// A scale of a size; all scales together have none.
struct RejectionRow {
    Size size;
    RejectionLevel level;
    bool is_total = false;
};
using Rejected = RejectionRow;

BenchValue share_value(std::int64_t windows, const RejectionLevel& level) {
    const double part = level.share(windows);
    return {{}, share_cell(part, part > 0 && part < 0.001 ? 3 : 1)};
}

/// \param stages that have a column of their own
std::vector<BenchField<Rejected>> rejection_fields(std::size_t stages, bool has_later) {
    const auto count = [](std::int64_t RejectionLevel::*value) {
        return [value](const Rejected& r) { return exact_value(r.level.*value); };
    };
    std::vector<BenchField<Rejected>> fields{
        {"size", words("size"), [](const Rejected& r) { return text_value(size_name(r.size)); }},
        {"window", words("window", "pixels of the photograph"),
         [](const Rejected& r) {
             return text_value(r.is_total ? "all"
                                          : fmt::format("{}x{}", r.level.box.width, r.level.box.height));
         }},
        {"scale",
         {},
         [](const Rejected& r) {
             return r.is_total ? BenchValue{} : exact_value(rounded(r.level.scale, 6));
         }},
        {"windows", {}, count(&RejectionLevel::windows)},
        {"visited",
         {"visited"},
         [](const Rejected& r) {
             return exact_value(r.level.visited, count_cell(static_cast<double>(r.level.visited)));
         }},
        {"flat", {}, count(&RejectionLevel::flat)},
        {"passed", {}, count(&RejectionLevel::passed)},
        {"rejected_by_stage", {}, [](const Rejected& r) { return bulky_value(r.level.rejected); }},
        {{}, {"flat"}, [](const Rejected& r) { return share_value(r.level.flat, r.level); }}};
    for (std::size_t stage = 0; stage < stages; ++stage) {
        fields.push_back({{}, {fmt::format("stage {}", stage + 1)}, [stage](const Rejected& r) {
                              return share_value(r.level.rejected.at(stage), r.level);
                          }});
    }
    if (has_later) {
        fields.push_back(
            {{}, {"later"}, [stages](const Rejected& r) {
                 const auto first = r.level.rejected.begin() + static_cast<std::ptrdiff_t>(stages);
                 return share_value(std::accumulate(first, r.level.rejected.end(), std::int64_t{0}), r.level);
             }});
    }
    append<Rejected>(
        fields, {{{}, {"passed"}, [](const Rejected& r) { return share_value(r.level.passed, r.level); }},
                 {"weak_classifiers_per_visited_window",
                  {"weak classifiers", "evaluated in a window, on average"},
                  [](const Rejected& r) {
                      const double mean = r.level.weak_classifiers_per_window();
                      return number_value(mean, 3, value_cell(mean, 2));
                  }}});
    return fields;
}

// Shares are spread over five decades, so each class is one of them.
struct ShareClass {
    double from;
    const char* label;
    double strength;  ///< of the colour
};
constexpr std::array share_classes{
    ShareClass{0.5, "50 % and more", 1.0},     ShareClass{0.1, "10 to 50 %", 0.72},
    ShareClass{0.01, "1 to 10 %", 0.48},       ShareClass{0.001, "0.1 to 1 %", 0.28},
    ShareClass{0.0001, "0.01 to 0.1 %", 0.15}, ShareClass{0, "below 0.01 %", 0.07},
};

constexpr std::size_t max_stage_columns = 40;

// A field a stage and scale.
Plot rejections_plot(const SizeRejections& rejections) {
    const std::vector<RejectionLevel>& levels = rejections.table.levels();
    const std::size_t all_stages = rejections.table.total().rejected.size();
    // Several look-ups of an MCT cascade, each of which is a stage, share a column.
    const std::size_t shared =
        std::max<std::size_t>(1, (all_stages + max_stage_columns - 1) / max_stage_columns);
    const std::size_t stages = (all_stages + shared - 1) / shared;
    const auto passed = static_cast<double>(stages + 1);
    Plot plot{"bench_rejections", "Windows rejected, " + size_name(rejections.size),
              "Share of the visited windows that each stage rejects, by scale."};
    plot.x = {.label = "Stage that rejected the window", .min = -1.6, .max = passed + 0.6};
    plot.y = {
        .label = "Window width in pixels", .min = -0.6, .max = static_cast<double>(levels.size()) - 0.4};
    plot.x.marks = {{-1, "flat"}, {passed, "passed"}};
    // Stages are counted from 1, as people do; few enough labels that none touches another.
    const std::size_t step = stages > 12 ? 5 : stages > 6 ? 2 : 1;
    for (std::size_t stage = 1; stage <= stages; ++stage) {
        if ((stage % step == 0 && stages - stage >= step / 2) || stage == 1)
            plot.x.marks.push_back({static_cast<double>(stage), std::to_string(stage * shared)});
    }
    for (const ShareClass& of : share_classes) plot.series.push_back({.name = of.label, .mark = Mark::rects});
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const RejectionLevel& level = levels[i];
        const auto y = static_cast<double>(i);
        if (i % (levels.size() / 12 + 1) == 0) plot.y.marks.push_back({y, std::to_string(level.box.width)});
        const auto put = [&](std::int64_t count, double x) {
            if (count == 0) return;
            const double share = level.share(count);
            std::size_t c = 0;
            while (share < share_classes[c].from) ++c;
            plot.series[c].rects.push_back({x - 0.5, x + 0.5, y - 0.5, y + 0.5, share_classes[c].strength,
                                            small_share_cell(share).text});
        };
        put(level.flat, -1);
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const auto first = level.rejected.begin() + static_cast<std::ptrdiff_t>(stage * shared);
            const auto end = level.rejected.begin() +
                             static_cast<std::ptrdiff_t>(std::min((stage + 1) * shared, all_stages));
            put(std::accumulate(first, end, std::int64_t{0}), static_cast<double>(stage + 1));
        }
        put(level.passed, passed);
    }
    std::erase_if(plot.series, [](const Series& series) { return series.rects.empty(); });
    return plot;
}

// A row an optimisation, in it a bar a batch.
Plot optimisations_plot(const EngineStudy& study, Size size) {
    Plot plot{"bench_optimisations", "Gain of each optimisation, " + size_name(size),
              "Total time without it over total time with it."};
    plot.x = {.label = "Time without it / time with it", .min = 0.9, .max = 1.1};
    plot.lines = {{.x = 1}};
    std::vector<std::string> rows, names;
    for (const OptimisationGain& gain : study.gains) {
        if (gain.size == size) place_in(names, batch_name(gain.batch));
    }
    for (std::size_t i = 0; i < names.size(); ++i) plot.series.push_back(rival_series(names, i, Mark::rects));
    const double height = 0.76 / static_cast<double>(names.size());
    for (const OptimisationGain& gain : study.gains) {
        if (gain.size != size) continue;
        const auto row = static_cast<double>(place_in(rows, gain.optimisation));
        const double factor = gain.factor();
        if (!(factor > 0)) continue;
        const std::size_t i = place_in(names, batch_name(gain.batch));
        const double y = row - 0.38 + height * (static_cast<double>(i) + 0.5);
        plot.series[i].rects.push_back(
            row_bar(std::min(1.0, factor), std::max(1.0, factor), y, 0.46 * height));
        plot.x.min = std::min(*plot.x.min, factor - 0.05);
        plot.x.max = std::max(*plot.x.max, factor * 1.04);
    }
    std::vector<AxisMark> marks;
    for (std::size_t i = 0; i < rows.size(); ++i)
        marks.push_back({static_cast<double>(i), shortened(rows[i], 28)});
    plot.y = row_axis("", std::move(marks));
    std::erase_if(plot.series, [](const Series& series) { return series.rects.empty(); });
    return plot;
}

const std::vector<BenchField<OptimisationGain>>& gain_fields() {
    using Gain = OptimisationGain;
    const auto times = [](const EngineTimes& of) {
        Json json = Json::object();
        for (const BenchmarkPart& part : benchmark_parts()) {
            if (!(of.*part.times).empty()) json[part.key] = times_json(of.*part.times);
        }
        return exact_value(std::move(json),
                           of.total_ms.empty() ? not_measured : ms_cell(median_time(of.total_ms)));
    };
    const auto factor = [](std::vector<double> EngineTimes::*part) {
        return [part](const Gain& gain) {
            const double value = gain.factor(part);
            return value > 0 ? number_value(value, 4, value_cell(value, 3)) : BenchValue{};
        };
    };
    static const std::vector<BenchField<Gain>> fields{
        {"optimisation", words("optimisation"), [](const Gain& g) { return text_value(g.optimisation); }},
        {"size", words("size"), [](const Gain& g) { return text_value(size_name(g.size)); }},
        {"batch", {"batch"}, [](const Gain& g) { return count_value(static_cast<std::size_t>(g.batch)); }},
        {"repetitions", {}, [](const Gain& g) { return count_value(g.with.total_ms.size()); }},
        {"with", {"with, ms"}, [times](const Gain& g) { return times(g.with); }},
        {"without", {"without, ms"}, [times](const Gain& g) { return times(g.without); }},
        {"factor", {"factor"}, factor(&EngineTimes::total_ms)},
        {"factor_resident", {"factor, resident"}, factor(&EngineTimes::resident_ms)},
        {"factor_from_pinned_memory", {"factor, from pinned memory"}, factor(&EngineTimes::pinned_ms)}};
    return fields;
}

std::int64_t pixels_of(Size size) {
    return std::int64_t{size.width} * size.height;
}

}  // namespace

BenchRecord rejections_record(const std::vector<SizeRejections>& rejections) {
    constexpr std::size_t max_stages = 5;
    std::vector<Rejected> rows;
    std::size_t stages = 0;
    const SizeRejections* largest = nullptr;
    for (const SizeRejections& of : rejections) {
        for (const RejectionLevel& level : of.table.levels()) rows.push_back({of.size, level});
        rows.push_back({of.size, of.table.total(), true});
        stages = of.table.total().rejected.size();
        if (largest == nullptr || pixels_of(of.size) > pixels_of(largest->size)) largest = &of;
    }
    BenchRecord record{"Windows rejected",
                       "The fate of the windows visited.",
                       {list_of({"rejections", "Fate of the windows visited", {}},
                                rejection_fields(std::min(stages, max_stages), stages > max_stages), rows)}};
    if (largest != nullptr) record.plots = {rejections_plot(*largest)};
    return record;
}

BenchRecord optimisations_record(const EngineStudy& study, const std::string& machine) {
    BenchRecord record{
        "Optimisations",
        "Measured on " + machine + ".",
        {list_of({"optimisations", "Gain of each optimisation", {}}, gain_fields(), study.gains)}};
    record.notes = study.differences;
    record.interrupted = study.interrupted;
    if (study.gains.empty()) return record;
    const auto largest = std::max_element(study.gains.begin(), study.gains.end(),
                                          [](const OptimisationGain& a, const OptimisationGain& b) {
                                              return pixels_of(a.size) < pixels_of(b.size);
                                          });
    record.plots = {optimisations_plot(study, largest->size)};
    return record;
}

}  // namespace fovea::report
