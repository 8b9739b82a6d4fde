#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "apps/options/gate_keeper.hpp"
#include "apps/options/recogniser_flags.hpp"
#include "apps/options/recognition_options.hpp"
#include "apps/terminal/console.hpp"
#include "lib/files/input_files.hpp"
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

/// Reads a dataset that a flag names. \param inputs gets its files.
Dataset read_images(const std::string& specification, const RecognitionFlags& flags, InputFiles& inputs);

/// The outcome of a command that evaluated files of recognisers, as it is told.
struct RecognitionSummary {
    std::string command;  ///< "evaluate identification"
    std::string tables;
    Json report;   ///< as in report.json, for gates
    Json numbers;  ///< for standard output: see add_recogniser_numbers()
};

/// Ends such a command: writes the report with --out, lets the gates judge, and prints tables and numbers.
/// \param write_report writes the report and returns its page. \return gate_failed if a demand fails.
/// \throws as GateKeeper::finish(); after printing, what writing the report threw.
ExitCode finish_recognition(const RecognitionFlags& flags, GateKeeper& gates,
                            const GateKeeper::RecordText& units, RecognitionSummary outcome,
                            const std::function<std::filesystem::path()>& write_report,
                            const Console& console);

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
