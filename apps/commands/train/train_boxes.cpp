#include "lib/train/boxes/train_boxes.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/commands/train/training_command.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr const char* train_boxes_footer = R"(Examples:
  fovea train boxes --dataset pts:helen --model mct --model haarcascade_frontalface_alt2 --out boxes.json
  fovea train boxes --dataset pts:portraits --model mine.json --out configs/models/landmarks/boxes.json

Fits the position of a face's landmarks in the boxes of each detector. A landmark model then gets boxes
of the kind that it was trained with, whatever the detector. Conventions in the file with other names
stay. The program looks up a convention by the name of the detector's model, in landmarks/boxes.json
beside the program's models (FOVEA_MODELS).)";

// Edges in the detector's box and their spread, one row a convention.
std::string conventions_table(const BoxTrainingResult& outcome) {
    std::vector<std::vector<std::string>> rows{
        {"boxes of", "faces", "share", "left", "top", "right", "bottom"}};
    for (const BoxConvention& convention : outcome.conventions) {
        const double share = static_cast<double>(convention.faces) / static_cast<double>(outcome.faces);
        rows.push_back(
            {convention.name, std::to_string(convention.faces), fmt::format("{:.1f} %", 100 * share)});
        const BoxTransform& edges = convention.landmarks;
        const double values[] = {edges.left, edges.top, edges.right, edges.bottom};
        for (std::size_t i = 0; i < 4; ++i) {
            rows.back().push_back(fmt::format("{:.3f} ± {:.3f}", values[i], convention.spread[i]));
        }
    }
    return format_table(rows);
}

TrainingSummary summarise(const BoxTrainJob&, const BoxTrainingResult& outcome) {
    warn_unreadable(outcome.unreadable, outcome.images);
    std::string text = "interrupted: no conventions were written\n";
    if (!outcome.interrupted) {
        text = fmt::format("{} in {}; edges of the mean face's tight box, ± their standard deviation\n",
                           counted(outcome.faces, "face"), counted(outcome.images, "image")) +
               conventions_table(outcome);
    }
    Json json{{"interrupted", outcome.interrupted},
              {"images", outcome.images},
              {"unreadable_images", unreadable_json(outcome.unreadable)},
              {"faces", outcome.faces}};
    json["conventions"] = conventions_to_json(outcome.conventions).at("conventions");
    return {std::move(text), std::move(json), outcome.unreadable.empty(), outcome.interrupted};
}

}  // namespace

Command add_train_boxes_command(CLI::App& train) {
    return add_training_command<BoxTrainJob, BoxTrainingResult>(
        train, {.name = "boxes",
                .description = "Fit where landmarks lie in detectors' boxes",
                .footer = train_boxes_footer,
                .output = {.example = "boxes.json",
                           .product = "conventions",
                           .file = "file of the conventions",
                           .help = "File of the conventions; those of other names stay",
                           .replaces = false},
                .validate = validate_box_train_config,
                .train = train_boxes,
                .summarise = summarise});
}

}  // namespace fovea
