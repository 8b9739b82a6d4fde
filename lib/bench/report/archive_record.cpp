#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/records.hpp"
#include "lib/bench/report/run_fields.hpp"
#include "lib/core/text.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using Archive = ArchiveRowResult;

bool has_limit(const Archive& result) {
    return result.limit && result.limit->images_per_second > 0 && !result.runs.images_per_second.empty();
}

double share_of_limit(const Archive& result) {
    return result.runs.median() / result.limit->images_per_second;
}

BenchValue limit_value(const Archive& result) {
    if (!has_limit(result)) return {};
    return exact_value(result.limit->images_per_second, rate_cell(result.limit->images_per_second));
}

std::vector<BenchField<Archive>> archive_fields() {
    std::vector<BenchField<Archive>> fields{
        {"row", {}, [](const Archive& r) { return text_value(r.row.key); }, true},
        {"work", words("work"), [](const Archive& r) { return text_value(r.row.work); }, true}};
    append(fields, speed_fields<Archive>("image"));
    append<Archive>(
        fields, {{"limit/of",
                  {},
                  [](const Archive& r) { return r.limit ? text_value(r.limit->name) : BenchValue{}; }},
                 {"limit/images_per_second", {"limit", "images/s of the fastest decoder alone"}, limit_value},
                 {"limit/share",
                  {"of it"},
                  [](const Archive& r) {
                      return has_limit(r) ? exact_value(share_of_limit(r), share_cell(share_of_limit(r)))
                                          : BenchValue{};
                  }},
                 {"limit/unavailable", {}, [](const Archive& r) {
                      return r.limit && !has_limit(r) ? text_value(r.limit->unavailable) : BenchValue{};
                  }}});
    append(fields, run_fields<Archive>("image"));
    append<Archive>(fields, {{"peak_memory_bytes",
                              {"memory", "most that was held"},
                              [](const Archive& r) {
                                  const auto bytes = static_cast<long long>(r.runs.peak_memory_bytes);
                                  return exact_value(bytes, grouped(bytes >> 20) + " MiB");
                              }},
                             {"start_up_seconds", {"start-up"}, [](const Archive& r) {
                                  const double seconds = r.runs.start_up_seconds;
                                  return exact_value(seconds, fixed(seconds, 2) + " s");
                              }}});
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
        rows.push_back({row, shortened(result.row.work, 28), rate_cell(result.runs.median()).text + "/s"});
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
    BenchRecord record{"Photo archives",
                       "Measured on " + machine + ".",
                       {list_of({"rows", "Speed", {}}, archive_fields(), benchmark.rows)}};
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
