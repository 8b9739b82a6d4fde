#include "apps/options/recognition_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/options/common_options.hpp"
#include "apps/options/results_flags.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/run/detection/evaluate_results.hpp"

namespace fovea {

void add_recognition_flags(CLI::App& app, RecognitionFlags& flags) {
    app.add_option("--name", flags.names, "Names of the recognisers, for legends (default: from the files)")
        ->type_name("NAME")
        ->group("Evaluation");
    add_resample_flags(app, flags.resamples, flags.seed);
    app.add_option("--require", flags.requirements, "Exit code 4 if this does not hold; may be repeated")
        ->type_name("KEY>=VALUE")
        ->group("Accuracy gate");
    add_baseline_flags(app, flags.gate);
    add_run_flag(app, "dataset.root", flags.root);
    add_threads_flag(app, flags.threads);
    app.add_option("--title", flags.title, "Title of the report")->type_name("TEXT")->group("Advanced");
    app.add_option("--out,-o", flags.out, "Folder for the report (default: no report, numbers only)")
        ->type_name("DIR")
        ->group("Output");
    add_overwrite_flag(app, flags.overwrite, "a report of other work");
}

void add_distance_flag(CLI::App& app, RecognitionFlags& flags) {
    app.add_flag("--distance", flags.distance, "Scores are distances: smaller is more alike")
        ->group("Evaluation");
}

std::vector<AccuracyGate> gates_of(const RecognitionFlags& flags) {
    check_baseline_flags(flags.gate);
    std::vector<AccuracyGate> gates;
    for (const std::string& requirement : flags.requirements) gates.push_back(parse_gate(requirement));
    return gates;
}

InputFiles inputs_of(const RecognitionFlags& flags, const std::vector<std::string>& files) {
    InputFiles inputs;
    for (const std::string& file : files) inputs.add(file);
    if (flags.gate.baseline) add_inputs_of_report(*flags.gate.baseline, inputs);
    return inputs;
}

std::vector<std::string> recogniser_names(const std::vector<std::string>& files,
                                          const std::vector<std::string>& given, const char* what) {
    std::vector<std::string> names;
    for (const NamedResults& named : named_results(files, given, what)) names.push_back(named.name);
    return names;
}

Json without_curves(Json evaluation) {
    for (const char* key : {"roc", "roc_ci95", "score_histogram"}) evaluation.erase(key);
    if (evaluation.contains("open_set")) {
        for (const char* key : {"curve", "curve_ci95"}) evaluation["open_set"].erase(key);
    }
    return evaluation;
}

}  // namespace fovea
