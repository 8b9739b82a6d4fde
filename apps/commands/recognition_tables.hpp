#pragma once

#include <string>

#include "apps/options/recogniser_flags.hpp"
#include "apps/options/recognition_options.hpp"
#include "apps/terminal/console.hpp"
#include "lib/json/json.hpp"
#include "lib/run/recognition/recognition_run.hpp"

namespace fovea {

/// Adds the first recogniser's numbers under `key` and, if there are several, all of them under
/// "recognisers"; no curves.
template <class Evaluations, class ToJson>
void add_recogniser_numbers(Json& json, const char* key, const Evaluations& evaluations, ToJson&& to_json) {
    json[key] = without_curves(to_json(evaluations[0]));
    if (evaluations.size() == 1) return;
    json["recognisers"] = Json::array();
    for (const auto& evaluation : evaluations) {
        json["recognisers"].push_back(
            {{"name", evaluation.name}, {key, without_curves(to_json(evaluation))}});
    }
}

/// All tables of a recognition, and the paths of its reports.
std::string recognition_tables(const RecognitionResult& outcome);

/// The numbers of a recognition as in report.json, without curves: "verification" and "identification", with
/// "permutation", of the first recogniser; "recognisers" for all; "searches" if there are several sets
/// of probes.
Json recognition_numbers(const RecognitionResult& outcome);

/// Runs a command that evaluates recognisers and recognises itself, from flags to exit code. \param config
/// has its datasets and permutations.
ExitCode run_recognition_command(const std::string& command, RecognitionConfig config,
                                 const RecogniserFlags& recogniser, const RecognitionFlags& common,
                                 Console& console);

}  // namespace fovea
