#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/accuracy_gate.hpp"
#include "apps/options/baseline_gate.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The flags that `evaluate verification`, `evaluate identification` and `evaluate clustering` share.
struct RecognitionFlags {
    std::vector<std::string> names;
    std::vector<std::string> requirements;
    BaselineFlags gate;
    bool distance = false;
    int resamples = 1000;
    std::uint64_t seed = 1;
    std::optional<std::string> root;
    std::string title;
    std::optional<std::string> out;
    std::optional<int> threads;
    bool overwrite = false;
};

void add_recognition_flags(CLI::App& app, RecognitionFlags& flags);
/// Adds --distance, for commands that read scores.
void add_distance_flag(CLI::App& app, RecognitionFlags& flags);

/// The gates of --require; the flags of --no-worse-than are checked, too. \throws UsageError as parse_gate()
/// and check_baseline_flags().
std::vector<AccuracyGate> gates_of(const RecognitionFlags& flags);

/// The files of scores or groups, and the report of --no-worse-than with its records.
InputFiles inputs_of(const RecognitionFlags& flags, const std::vector<std::string>& files);

/// A name for every file: the given ones, else the files' own names, made unique.
/// \param what the files are, for messages: "files of scores". \throws UsageError as named_results().
std::vector<std::string> recogniser_names(const std::vector<std::string>& files,
                                          const std::vector<std::string>& given,
                                          const char* what = "files of scores");

/// A report's object without the points of its curves, for standard output.
Json without_curves(Json evaluation);

}  // namespace fovea
