#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/bench/report/run_fields.hpp"
#include "lib/core/text.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using Archive = ArchiveRowResult;

bool has_limit(const Archive& result) {
    return result.limit && result.limit->images_per_second > 0 && !result.images_per_second.empty();
}

double share_of_limit(const Archive& result) {
    return result.median() / result.limit->images_per_second;
}

BenchValue limit_value(const Archive& result) {
    if (!has_limit(result)) return {};
    return exact_value(result.limit->images_per_second, rate_cell(result.limit->images_per_second));
}

const std::vector<BenchField<Archive>>& archive_fields() {
    static const std::vector<BenchField<Archive>> fields{
        {"row", {}, [](const Archive& r) { return text_value(r.row.key); }, true},
        {"work", words("work"), [](const Archive& r) { return text_value(r.row.work); }, true},
        {"images_per_second",
         {"images/s", "median of the runs, with quartiles"},
         [](const Archive& r) { return exact_value(r.median(), rates_cell(r.images_per_second)); }},
        {"quartile_1", {}, [](const Archive& r) { return quartile_value(r.images_per_second, 1); }},
        {"quartile_3", {}, [](const Archive& r) { return quartile_value(r.images_per_second, 3); }},
        {"runs", {}, [](const Archive& r) { return bulky_value(r.images_per_second); }},
        {"megapixels_per_second",
         {},
         [](const Archive& r) { return exact_value(r.run.megapixels_per_second); }},
        {"limit/of", {}, [](const Archive& r) { return r.limit ? text_value(r.limit->name) : BenchValue{}; }},
        {"limit/images_per_second", {"limit", "images/s of the fastest decoder alone"}, limit_value},
        {"limit/share",
         {"of it"},
         [](const Archive& r) {
             return has_limit(r) ? exact_value(share_of_limit(r), share_cell(share_of_limit(r)))
                                 : BenchValue{};
         }},
        {"limit/unavailable", {}, [](const Archive& r) {
             return r.limit && !has_limit(r) ? text_value(r.limit->unavailable) : BenchValue{};
         }}};
    return fields;
}

const std::vector<BenchField<Archive>>& work_fields() {
    static const std::vector<BenchField<Archive>> fields{
        {"peak_memory_bytes",
         {"memory", "most that was held"},
         [](const Archive& r) {
             return exact_value(r.peak_memory_bytes,
                                grouped(static_cast<long long>(r.peak_memory_bytes >> 20)) + " MiB");
         }},
        {"start_up_seconds", {"start-up"}, [](const Archive& r) {
             return exact_value(r.start_up_seconds, fixed(r.start_up_seconds, 2) + " s");
         }}};
    return fields;
}

// The share of its limit that each row reached, as bars; none where no row has a limit.
std::vector<Plot> archive_plots(const ArchiveBenchmark& benchmark) {
    Series bars{.mark = Mark::rects};
    std::vector<AxisMark> rows;
    for (const Archive& result : benchmark.rows) {
        if (!has_limit(result)) continue;
        const auto row = static_cast<double>(rows.size());
        bars.rects.push_back(row_bar(0, share_of_limit(result), row));
        rows.push_back({row, shortened(result.row.work, 28), rate_cell(result.median()).text + "/s"});
    }
    if (rows.empty()) return {};
    Plot plot{"archive", "Photo archives",
              "Images per second from JPEG files to results, as a share of the fastest decoder of the "
              "machine alone."};
    plot.x = share_axis("Images/s, share of decoding alone");
    plot.y = row_axis("", std::move(rows));
    plot.series = {std::move(bars)};
    return {plot};
}

}  // namespace

BenchRecord archive_record(const ArchiveBenchmark& benchmark, const std::string& machine) {
    std::vector<BenchField<Archive>> fields = archive_fields();
    append(fields, run_fields<Archive>("image"));
    append(fields, work_fields());
    BenchRecord record{"Photo archives",
                       "Measured on " + machine + ".",
                       {list_of<Archive>({"rows", "Speed", {}}, fields, benchmark.rows)}};
    for (const Archive& result : benchmark.rows) {
        if (!result.not_run.empty()) record.notes.push_back(result.row.work + ": not run: " + result.not_run);
    }
    for (const Archive& result : benchmark.rows) {
        if (!result.limit) continue;
        record.notes.push_back(
            fmt::format("limit of {}: {}", result.row.work,
                        has_limit(result) ? result.limit->name : result.limit->unavailable));
    }
    record.plots = archive_plots(benchmark);
    record.interrupted = benchmark.interrupted;
    return record;
}

}  // namespace fovea::report
