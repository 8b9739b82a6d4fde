#include "lib/core/error.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/pipeline/compare.hpp"
#include "lib/pipeline/config.hpp"
#include "lib/pipeline/threshold_from.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {

void read_run_config_target(std::string_view input) {
    RunConfig config = load_run_config(write_input("config.json", input));
    run_config_to_json(config).dump();
    validate_run_config(config);
    expand_environment(config);
}

/// Two reports, compared with each other and each read for its threshold.
void read_report_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    const std::string first = write_input("first/report.json", parts[0]).string();
    const std::string second =
        write_input("second/report.json", parts[1].empty() ? parts[0] : parts[1]).string();
    try {
        threshold_from(first, "lbp", true);
    } catch (const Error&) {
        // Most reports have none.
    }
    try {
        read_report(second + ":mct", false);
    } catch (const Error&) {
        // Nor a detector of that name.
    }
    CompareRequest request;
    request.first = first;
    request.second = second;
    request.false_positive_points = {10};
    compare_reports(request);
}

void read_record_target(std::string_view input) {
    const EvaluationRecord record = read_evaluation_record(write_input("evaluated.jsonl", input));
    for (const Sample& sample : record.dataset.samples) ground_truth_text(sample);
}

}  // namespace fovea::fuzz
