#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"

namespace fovea {

/// \param group of the flag in the help.
void add_max_unreadable_flag(CLI::App& app, std::optional<std::size_t>& most, const char* group);

/// The exit code of a command some of whose images could not be read: inputs_skipped becomes done if
/// --max-unreadable allows as many; a sentence on standard error says if it does not. Other codes stay.
/// \param unreadable images that were unreadable, left out or without a result. \param others inputs that
/// were lost for other reasons, which the flag does not allow.
ExitCode with_max_unreadable(ExitCode code, std::size_t unreadable, std::size_t others,
                             const std::optional<std::size_t>& most);

/// The exit code of a job on images: interrupted, done, or as with_max_unreadable() where images or other
/// inputs were lost.
ExitCode exit_code_of_job(bool is_interrupted, std::size_t unreadable, std::size_t others,
                          const std::optional<std::size_t>& most);

/// The images that could not be read; in the others no face was found. \param failures FaceFailure or
/// FailedFace.
template <class Failure>
std::size_t unreadable_of(const std::vector<Failure>& failures) {
    return static_cast<std::size_t>(std::count_if(failures.begin(), failures.end(),
                                                  [](const Failure& failure) { return failure.unreadable; }));
}

}  // namespace fovea
