#include "lib/train/landmarks/landmark_training_report.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/train/training_section.hpp"

namespace fovea::report {
namespace {

std::string source_title(const std::string& source) {
    return source == "tight" ? "tight boxes of the landmarks" : "boxes of " + source;
}

Plot error_plot(const LandmarkTrainingResult& outcome) {
    Plot plot{
        "training_error", "Error after each cascade",
        "Mean distance of the landmarks from where they are annotated, divided by the face's normaliser; 0 "
        "is the mean face in its box."};
    std::vector<std::string> names{"training faces"};
    if (outcome.validation_faces > 0) {
        for (const std::string& source : outcome.sources)
            names.push_back("validation, " + source_title(source));
    }
    std::vector<std::vector<PlotPoint>> points(names.size());
    for (std::size_t i = 0; i < outcome.levels.size(); ++i) {
        const LandmarkLevel& level = outcome.levels[i];
        for (std::size_t s = 0; s < names.size(); ++s) {
            points[s].push_back(
                {static_cast<double>(i), s == 0 ? level.training_nme : level.validation_nme[s - 1]});
        }
    }
    plot.x.label = "Cascades";
    plot.y = {.label = "NME", .min = 0};
    plot.series = curves_of(names, std::move(points), Mark::line_dots);
    return plot;
}

Table levels_table(const LandmarkTrainingResult& outcome) {
    Table table{.columns = {{"Cascades"}, {"Training faces"}}};
    for (const std::string& source : outcome.sources)
        table.columns.push_back({"Validation, " + source_title(source)});
    table.columns.push_back({"Clipped", "share of the leaves' values at the end of the range of int8"});
    for (std::size_t i = 0; i < outcome.levels.size(); ++i) {
        const LandmarkLevel& level = outcome.levels[i];
        std::vector<Cell> row{count_cell(static_cast<double>(i)), value_cell(level.training_nme, 4)};
        for (const double nme : level.validation_nme) row.push_back(value_cell(nme > 0 ? nme : no_value, 4));
        row.push_back(share_cell(level.clipped));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Report report_of(const LandmarkTrainingResult& outcome) {
    const LandmarkModel& model = outcome.landmarks.model;
    const Json& training = outcome.landmarks.training;
    Report report;
    report.title = "Training of " + outcome.landmarks.name;
    report.lead = {{Run::plain(
        fmt::format("A model of {} by {} in {} was trained on {} and validated on {}.",
                    counted(static_cast<std::size_t>(model.points), "landmark"),
                    counted(model.trees(), "tree"), counted(model.cascades.size(), "cascade"),
                    counted(outcome.faces, "face"), counted(outcome.validation_faces, "other face")))}};
    report.sections = {{"curves", "Curves", {error_plot(outcome)}},
                       {"levels", "Cascade by cascade", {levels_table(outcome)}},
                       training_section(training.at("data"), training.at("settings"))};
    report.footer = "All numbers are in training.json, the plot in an SVG file beside it.";
    return report;
}

}  // namespace

void write_landmark_training_report(const OutputFolder& folder, const LandmarkTrainingResult& outcome) {
    StagedFiles files(folder, "report");
    Json json = outcome.landmarks.training;
    json["seconds"] = {{"reading", outcome.load_seconds}, {"training", outcome.train_seconds}};
    files.add("training.json", indented_text(json) + "\n");
    publish_report(files, report_of(outcome), "training");
}

}  // namespace fovea::report
