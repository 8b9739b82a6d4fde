#include "lib/train/landmarks/landmark_training_report.hpp"

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

std::string source_title(const std::string& source) {
    return source == "tight" ? "tight boxes of the landmarks" : "boxes of " + source;
}

DrawnPlot error_plot(const LandmarkTrainingResult& outcome) {
    const auto curve = [&](const auto& error) {
        std::vector<CurvePoint> points;
        for (std::size_t i = 0; i < outcome.levels.size(); ++i) {
            points.push_back({static_cast<double>(i), error(outcome.levels[i])});
        }
        return points;
    };
    const auto line = [](const PlotScript& name, std::size_t series, const std::string& title) {
        return plot_script("${} using 1:2 with linespoints lw 2 pt 7 ps 0.4 {} {} title {}", name,
                           dash(series), line_colour(series), title);
    };
    const PlotScript training = plot_script("training");
    PlotScript script = axis_labels("Cascades", "NME") + plot_script("set yrange [0:*]\n");
    script += curve_block(training, curve([](const LandmarkLevel& level) { return level.training_nme; }));
    std::vector<PlotScript> lines{line(training, 0, "training faces")};
    for (std::size_t s = 0; s < outcome.sources.size() && outcome.validation_faces > 0; ++s) {
        const PlotScript name = plot_script("validation{}", s);
        script +=
            curve_block(name, curve([&](const LandmarkLevel& level) { return level.validation_nme[s]; }));
        lines.push_back(line(name, s + 1, key_name("validation, " + source_title(outcome.sources[s]))));
    }
    script += plot_command(lines);
    return draw_plot_with_key("training_error", "Error after each cascade",
                              "Mean distance of the landmarks from where they are annotated, divided by the "
                              "face's normaliser; 0 is the mean face in its box.",
                              script, lines.size());
}

std::string levels_table(const LandmarkTrainingResult& outcome) {
    std::vector<HtmlColumn> columns{{"Cascades"}, {"Training faces"}};
    for (const std::string& source : outcome.sources) {
        columns.push_back({"Validation, " + source_title(source)});
    }
    columns.push_back({"Clipped", true, "share of the leaves' values at the end of the range of int8"});
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < outcome.levels.size(); ++i) {
        const LandmarkLevel& level = outcome.levels[i];
        HtmlRow row{{fmt::format("{}", i)}, {fixed(level.training_nme, 4)}};
        for (const double nme : level.validation_nme) row.push_back({nme > 0 ? fixed(nme, 4) : "–"});
        row.push_back({percent(level.clipped)});
        rows.push_back(std::move(row));
    }
    return table(columns, rows);
}

std::string page_of(const LandmarkTrainingResult& outcome, const DrawnPlot& plot) {
    const LandmarkModel& model = outcome.landmarks.model;
    Document document;
    document.title = "Training of " + outcome.landmarks.name;
    document.lead = escape_html(
        fmt::format("A model of {} by {} in {} was trained on {} and validated on {}.",
                    counted(static_cast<std::size_t>(model.points), "landmark"),
                    counted(model.trees(), "tree"), counted(model.cascades.size(), "cascade"),
                    counted(outcome.faces, "face"), counted(outcome.validation_faces, "other face")));
    const Json& training = outcome.landmarks.training;
    document.parts = {
        {"curves", "Curves", charts({plot})},
        {"levels", "Cascade by cascade", levels_table(outcome)},
        {"origin", "Data and settings",
         folded("Data", "<pre>" + escape_html(indented_text(training.at("data"))) + "</pre>") +
             folded("Settings", "<pre>" + escape_html(indented_text(training.at("settings"))) + "</pre>")}};
    document.footer = "All numbers are in training.json, the plot in an SVG file beside it.";
    return document_page(document);
}

}  // namespace

void write_landmark_training_report(const std::filesystem::path& folder,
                                    const LandmarkTrainingResult& outcome) {
    make_output_folder(folder, "report");
    StagedFiles files(folder);
    Json json = outcome.landmarks.training;
    json["seconds"] = {{"reading", outcome.load_seconds}, {"training", outcome.train_seconds}};
    files.add("training.json", indented_text(json) + "\n");
    const DrawnPlot plot = error_plot(outcome);
    add_plot_files(files, {plot});
    files.add("training.html", page_of(outcome, plot));
    files.publish_report("training");
}

}  // namespace fovea::report
