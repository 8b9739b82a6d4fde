#pragma once

#include <string>

#include "apps/options/recogniser_flags.hpp"
#include "apps/options/recognition_options.hpp"
#include "apps/terminal/console.hpp"
#include "lib/run/recognition_run.hpp"

namespace fovea {

/// A row for every recogniser, and its rates at a threshold that was fixed before.
std::string verification_table(const VerificationEvaluations& evaluations);

/// A row for every recogniser; then open set and permutations where there are some.
std::string identification_table(const SearchResult& outcome);

/// All tables of a recognition, and where its reports are.
std::string recognition_tables(const RecognitionResult& outcome);

/// The numbers of a recognition as they stand in report.json, without curves: "verification" and
/// "identification", with "permutation", of the first recogniser, "recognisers" of all, "searches" where
/// there are several sets of probes.
Json recognition_numbers(const RecognitionResult& outcome);

/// An evaluation that recognises itself, from flags to exit code. \param config its datasets and
/// permutations.
ExitCode run_recognition_command(const std::string& command, RecognitionConfig config,
                                 const RecogniserFlags& recogniser, const RecognitionFlags& common,
                                 Console& console);

}  // namespace fovea
