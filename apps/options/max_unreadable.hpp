#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"

namespace fovea {

/// \param group the flag's heading in the help.
void add_max_unreadable_flag(CLI::App& app, std::optional<std::size_t>& most, const char* group);

/// The exit code of a command that could not read some images: inputs_skipped becomes done if
/// --max-unreadable allows their number; a sentence on standard error says if it does not. Other codes stay.
/// \param unreadable  the number of images that were unreadable, left out or without a result
/// \param others      the number of inputs that were lost for other reasons, which the flag does not allow
ExitCode with_max_unreadable(ExitCode code, std::size_t unreadable, std::size_t others,
                             const std::optional<std::size_t>& most);

/// The exit code of a job on images: interrupted, done or, if images or other inputs were lost,
/// with_max_unreadable() of inputs_skipped.
ExitCode exit_code_of_job(bool is_interrupted, std::size_t unreadable, std::size_t others,
                          const std::optional<std::size_t>& most);

/// The number of failures whose image could not be read; in the others no face was found. \param failures
/// FaceFailure or FailedFace.
template <class Failure>
std::size_t unreadable_of(const std::vector<Failure>& failures) {
    return static_cast<std::size_t>(std::count_if(failures.begin(), failures.end(),
                                                  [](const Failure& failure) { return failure.unreadable; }));
}

}  // namespace fovea
