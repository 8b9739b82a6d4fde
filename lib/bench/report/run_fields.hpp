#pragma once

#include <string>
#include <vector>

#include "lib/bench/report/bench_record.hpp"
#include "lib/bench/timed_run.hpp"

namespace fovea::report {

/// Fields of rows that ran `fovea detect` in a process of its own, of their `run` and `command`.
/// \param unit "image" or "frame"
template <class Row>
std::vector<BenchField<Row>> run_fields(const std::string& unit) {
    return {{{},
             words("held up by", "the stage that was the limit"),
             [](const Row& row) { return row.run.limit.empty() ? BenchValue{} : text_value(row.run.limit); }},
            {{}, {"J/" + unit}, [](const Row& row) { return text_value(energy_text(row.run)); }},
            {unit + "s", {}, [](const Row& row) { return count_value(row.run.images); }},
            {"detections_per_" + unit,
             {},
             [](const Row& row) {
                 return exact_value(static_cast<double>(row.run.detections) /
                                    static_cast<double>(row.run.images));
             }},
            {"timings", {}, [](const Row& row) { return bulky_value(row.run.timings); }},
            {"energy", {}, [](const Row& row) { return bulky_value(row.run.energy); }},
            {"command", {}, [](const Row& row) { return bulky_value(row.command); }}};
}

}  // namespace fovea::report
