#include "apps/options/recogniser_flags.hpp"

#include <charconv>
#include <cmath>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/options/common_options.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {

void add_face_finder_flags(CLI::App& app, FaceFinderFlags& flags) {
    constexpr const char* group = "Faces";
    app.add_option(
           "--faces", flags.faces,
           "Where the eyes come from: auto (annotation where it has them, else detection; default), truth, "
           "detector or image (the image as it is)")
        ->type_name("SOURCE")
        ->group(group);
    app.add_option("--model,-m", flags.detector, "Detector that finds the faces (default: mct)")
        ->type_name("MODEL")
        ->group(group);
    app.add_option("--landmarks", flags.landmarks, "Landmark model that finds their eyes (default: helen)")
        ->type_name("MODEL")
        ->group(group);
    app.add_option("--box-convention", flags.convention,
                   "How the detector's boxes become the landmark model's: auto, none or a name")
        ->type_name("NAME")
        ->group(group);
    app.add_option(
           "--fallback-eyes", flags.fallback_eyes,
           "Eyes where no face is found, in units of the image's width and height; for portraits that are "
           "centred alike. With --faces image: of every image")
        ->type_name("LX,LY,RX,RY")
        ->group(group);
}

void apply(const FaceFinderFlags& flags, FaceFinderConfig& config) {
    if (flags.faces) {
        try {
            config.source = face_source_from_string(*flags.faces);
        } catch (const UsageError& error) {
            throw UsageError(std::string("--faces: ") + error.what());
        }
    }
    if (flags.detector) config.detector = *flags.detector;
    if (flags.landmarks) config.landmarks = *flags.landmarks;
    if (flags.convention) config.convention = *flags.convention;
    if (flags.fallback_eyes) config.fallback_eyes = parse_eyes(*flags.fallback_eyes, "--fallback-eyes");
}

Eyes parse_eyes(const std::string& text, const std::string& flag) {
    double values[4] = {0, 0, 0, 0};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int i = 0; i < 4; ++i) {
        const auto [after, error] = std::from_chars(at, end, values[i]);
        const bool closes = i == 3 ? after == end : after != end && *after == ',';
        if (error != std::errc{} || !closes) {
            throw UsageError(flag + " '" + text +
                             "' is not the places of two eyes: use LX,LY,RX,RY, e.g. 0.37,0.4,0.63,0.4");
        }
        at = after + 1;
    }
    const Eyes eyes{{values[0], values[1]}, {values[2], values[3]}};
    constexpr double most = 100;
    for (const double value : values) {
        if (!(std::abs(value) <= most)) {
            throw UsageError(flag + " '" + text +
                             "' is no place in an image: units are its width and height");
        }
    }
    if (eyes.left == eyes.right) throw UsageError(flag + " '" + text + "' has both eyes at the same place");
    return eyes;
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
}

void check_recogniser_flags(const RecogniserFlags& flags) {
    if (!flags.recognisers.empty()) return;
    const FaceFinderFlags& finder = flags.finder;
    const bool any = finder.faces || finder.detector || finder.landmarks || finder.convention ||
                     finder.fallback_eyes || flags.device;
    if (any) {
        throw UsageError(
            "--faces, --model, --landmarks, --box-convention, --fallback-eyes and --device are for a "
            "--recogniser; "
            "scores from files need none of them");
    }
}

void warn_failures(const RecognitionResult& outcome) {
    constexpr std::size_t most = 10;
    if (outcome.fallbacks > 0) {
        spdlog::warn("in {} of {} no face was found: the fall-back eyes were taken", outcome.fallbacks,
                     counted(outcome.faces, "face"));
    }
    if (outcome.failures.empty()) return;
    spdlog::warn("{} gave no face and could not be enrolled:", counted(outcome.failures.size(), "image"));
    for (std::size_t i = 0; i < outcome.failures.size() && i < most; ++i) {
        spdlog::warn("  {}: {}", outcome.failures[i].image, outcome.failures[i].reason);
    }
    if (outcome.failures.size() > most) {
        spdlog::warn("  and {} more; run.json and --json name them all", outcome.failures.size() - most);
    }
}

void add_recognition_json(Json& json, const RecognitionResult& outcome) {
    json["images"] = outcome.images;
    json["faces"] = outcome.faces;
    json["faces_at_fallback_eyes"] = outcome.fallbacks;
    json["failures"] = failures_to_json(outcome.failures);
    json["interrupted"] = outcome.interrupted;
}

}  // namespace fovea
