#include "apps/options/recogniser_flags.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/options/common_options.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {

void add_face_finder_flags(CLI::App& app, FaceFinderFlags& flags) {
    flags.add<FaceFinderConfig>(app);
}

void apply(const FaceFinderFlags& flags, FaceFinderConfig& config) {
    flags.apply(config, FlagPaths::as_they_are);
}

void add_recogniser_flags(CLI::App& app, RecogniserFlags& flags) {
    app.add_option(
           "--recogniser", flags.recognisers,
           "Recognises the faces itself, instead of reading scores: a name (lbp) or a file; several are "
           "compared")
        ->type_name("RECOGNISER")
        ->group("Evaluation");
    add_face_finder_flags(app, flags.finder);
    add_device_flag(app, flags.device);
    add_max_unreadable_flag(app, flags.max_unreadable, "Accuracy gate");
}

void check_recogniser_flags(const RecogniserFlags& flags) {
    if (!flags.recognisers.empty()) return;
    if (flags.finder.any() || flags.device || flags.max_unreadable) {
        throw UsageError(
            "--faces, --model, --landmarks, --box-convention, --fallback-eyes, --device and --max-unreadable "
            "are for a --recogniser; scores from files need none of them");
    }
}

void warn_failures(const DescribedImages& outcome) {
    constexpr std::size_t most = 10;
    if (outcome.fallbacks > 0) {
        spdlog::warn("in {} of {} no face was found: the fall-back eyes were taken", outcome.fallbacks,
                     counted(outcome.faces, "face"));
    }
    warn_pages_left_out(outcome.pages_left_out);
    if (outcome.failures.empty()) return;
    spdlog::warn("{} gave no face and could not be enrolled:", counted(outcome.failures.size(), "image"));
    for (std::size_t i = 0; i < outcome.failures.size() && i < most; ++i) {
        spdlog::warn("  {}: {}", outcome.failures[i].image, outcome.failures[i].reason);
    }
    if (outcome.failures.size() > most) {
        spdlog::warn("  and {} more; run.json and --json name them all", outcome.failures.size() - most);
    }
}

void add_recognition_json(Json& json, const DescribedImages& outcome) {
    json["images"] = outcome.images;
    json["faces"] = outcome.faces;
    json["faces_at_fallback_eyes"] = outcome.fallbacks;
    json["failures"] = failures_to_json(outcome.failures);
    json["interrupted"] = outcome.interrupted;
}

}  // namespace fovea
