#pragma once

#include <string>
#include <vector>

#include "lib/bench/report/bench_record.hpp"
#include "lib/bench/timed_run.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea::report {

/// The fields of the speed of rows that ran `fovea detect` in a process of its own; fields of the limit
/// follow them.
/// \param unit "image" or "frame".
template <class Row>
std::vector<BenchField<Row>> speed_fields(const std::string& unit) {
    return {{unit + "s_per_second",
             {unit + "s/s", "median of the runs, with quartiles"},
             [](const Row& row) {
                 return exact_value(row.runs.median(), rates_cell(row.runs.images_per_second));
             }},
            {"quartile_1", {}, [](const Row& row) { return quartile_value(row.runs.images_per_second, 1); }},
            {"quartile_3", {}, [](const Row& row) { return quartile_value(row.runs.images_per_second, 3); }},
            {"runs", {}, [](const Row& row) { return bulky_value(row.runs.images_per_second); }},
            {"megapixels_per_second", {}, [](const Row& row) {
                 return exact_value(row.runs.run.megapixels_per_second);
             }}};
}

/// The fields behind the limit of rows that ran `fovea detect`. \param unit "image" or "frame".
template <class Row>
std::vector<BenchField<Row>> run_fields(const std::string& unit) {
    return {{{},
             words("held up by", "the stage that was the limit"),
             [](const Row& row) {
                 return row.runs.run.limit.empty() ? BenchValue{} : text_value(row.runs.run.limit);
             }},
            {{}, {"J/" + unit}, [](const Row& row) { return text_value(energy_text(row.runs.run)); }},
            {unit + "s", {}, [](const Row& row) { return count_value(row.runs.run.images); }},
            {"detections_per_" + unit,
             {"boxes/" + unit},
             [](const Row& row) {
                 if (row.runs.run.images == 0) return BenchValue{};
                 const double boxes =
                     static_cast<double>(row.runs.run.detections) / static_cast<double>(row.runs.run.images);
                 return exact_value(boxes, fixed(boxes, 1));
             }},
            {"timings", {}, [](const Row& row) { return bulky_value(row.runs.run.timings); }},
            {"energy", {}, [](const Row& row) { return bulky_value(row.runs.run.energy); }},
            {"command", {}, [](const Row& row) { return bulky_value(row.command); }}};
}

}  // namespace fovea::report
