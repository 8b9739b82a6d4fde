#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/core/error.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

/// The number of images that --max-unreadable allows to be unreadable or left out.
class UnreadableLimit {
  public:
    /// \param text "3", "2.5%" of the images, or "all". \throws UsageError for another text
    explicit UnreadableLimit(const std::string& text);

    bool allows(std::size_t unreadable, std::size_t images) const;
    const std::string& text() const { return text_; }

  private:
    std::string text_;
    std::optional<std::size_t> count_;
    std::optional<double> percent_;
};

/// \param group the flag's heading in the help.
void add_max_unreadable_flag(CLI::App& app, std::optional<UnreadableLimit>& limit, const char* group);

/// The limit for one part of a job (--shard), which is done when it is complete: the user's, else none,
/// because `fovea merge` judges the whole.
inline UnreadableLimit limit_of_part(const std::optional<UnreadableLimit>& limit) {
    return limit.value_or(UnreadableLimit("all"));
}

/// The inputs that a command could not use.
struct LostInputs {
    std::size_t unreadable = 0;  ///< images and pages that were unreadable, left out or without a result
    std::size_t images = 0;      ///< these, and those that were used
    std::size_t others = 0;      ///< inputs that were lost for other reasons, which the flag does not allow
};

/// The inputs that a job could not use. \param skipped inputs that were left out before it began
inline LostInputs lost_inputs(const ImageCounts& images, std::size_t skipped) {
    const std::size_t left_out = images.pages_left_out + skipped;
    return {images.unreadable.size() + left_out, images.images + left_out};
}

/// The exit code of a command that could not read some images: inputs_skipped becomes done if
/// --max-unreadable allows their number; a sentence on standard error says if it does not. Other codes stay.
ExitCode with_max_unreadable(ExitCode code, const LostInputs& lost,
                             const std::optional<UnreadableLimit>& limit);

/// The exit code of a job on images: interrupted, done or, if images or other inputs were lost,
/// with_max_unreadable() of inputs_skipped.
ExitCode exit_code_of_job(bool is_interrupted, const LostInputs& lost,
                          const std::optional<UnreadableLimit>& limit);

/// The number of failures whose image could not be read; in the others no face was found. \param failures
/// FaceFailure or FailedFace.
template <class Failure>
std::size_t unreadable_of(const std::vector<Failure>& failures) {
    return static_cast<std::size_t>(std::count_if(failures.begin(), failures.end(),
                                                  [](const Failure& failure) { return failure.unreadable; }));
}

}  // namespace fovea
