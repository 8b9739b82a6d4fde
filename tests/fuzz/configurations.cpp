#include <vector>

#include "lib/config/config.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/stored/regression_gate.hpp"
#include "lib/report/stored/report_numbers.hpp"
#include "lib/report/stored/report_threshold.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/shapes.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {

void read_run_config_target(std::string_view input) {
    RunConfig config = load_run_config(write_input("config.json", input));
    run_config_to_json(config).dump();
    validate_run_config(config);
    expand_environment(config);
}

/// Two reports, each read for its thresholds, compared with each other and judged by a gate; what was
/// compared is written.
void read_report_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    const std::string first = write_input("first/report.json", parts[0]).string();
    const std::string second =
        write_input("second/report.json", parts[1].empty() ? parts[0] : parts[1]).string();
    for (const char* key : {"", ":threshold_at_far_0.01"}) {
        for (const bool distance : {false, true}) {
            if_readable([&] { return threshold_from(first + key, "lbp", distance); });
        }
    }
    for (const char* point : {"", ":16fp"}) {
        if_readable([&] { return threshold_for(parse_threshold_source(first + point), "mct"); });
    }
    if_readable([&] { return read_report(second + ":mct", false); });
    if_readable([&] {
        StoredReport baseline = read_report(first, false);
        const StoredReport measured = read_report(second, false);
        incomparable(baseline.json, measured.json);
        add_rates_at(baseline.json, std::vector{16});
        return judge(compare_numbers(baseline.json, measured.json), {0.01, {"ap"}, false});
    });
    CompareRequest request;
    request.first = first;
    request.second = second;
    request.false_positive_points = {10};
    const Comparison comparison = compare_reports(request);
    if_readable([&] { return judge(comparison.numbers, {}); });
    must([&] { return write_comparison_report(work_folder() / "comparison", comparison, {}); });
    for (const char* name : {"compare.html", "compare.md", "compare.json"}) {
        shape_of(name, read_file(work_folder() / "comparison" / name));
    }
}

void read_record_target(std::string_view input) {
    const EvaluationRecord record = read_evaluation_record(write_input("evaluated.jsonl", input));
    for (const Sample& sample : record.dataset.samples) ground_truth_text(sample);
}

void read_units_target(std::string_view input) {
    const UnitRecord record = read_unit_record(write_input("units.jsonl", input));
    // A record that was read can be resampled.
    must([&] { return paired_units(record, 0, record, 0, 2, 1); });
}

}  // namespace fovea::fuzz
