#include "lib/train/face_net/face_net_report.hpp"

#include <cmath>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "lib/train/samples/contact_sheet.hpp"

namespace fovea::report {
namespace {

/// Groups of more slices are left out: angles in degrees are no parts of a set.
constexpr std::size_t max_slices = 12;
constexpr int sheet_columns = 8;

std::string paragraph(const std::string& text) {
    return element("p", "", escape_html(text)) + "\n";
}

std::string title_of(const FaceNetJudgement& judgement) {
    return judgement.evaluation.name;
}

DrawnPlot loss_plot(const std::vector<FaceNetProgress>& losses) {
    const auto curve = [&](double FaceNetProgress::*loss) {
        std::vector<CurvePoint> points;
        for (const FaceNetProgress& step : losses)
            points.push_back({static_cast<double>(step.step), step.*loss});
        return points;
    };
    PlotScript script = axis_labels("Steps", "Loss") + plot_script("set yrange [0:*]\n") +
                        curve_block(plot_script("odds"), curve(&FaceNetProgress::odds_loss)) +
                        curve_block(plot_script("boxes"), curve(&FaceNetProgress::box_loss));
    const std::vector<PlotScript> lines{
        plot_script("$odds using 1:2 with lines lw 1.5 {} {} title {}", dash(0), line_colour(0),
                    "odds of a face"),
        plot_script("$boxes using 1:2 with lines lw 1.5 {} {} title {}", dash(1), line_colour(1), "boxes")};
    script += plot_command(lines);
    return draw_plot_with_key(
        "training_loss", "Loss by step",
        "Means over the steps since the last point. Odds: cross entropy with the IoU of "
        "the box, by face. Boxes: 1 − generalised IoU, by face.",
        script, lines.size());
}

DrawnPlot precision_plot(const std::vector<FaceNetJudgement>& judgements) {
    PlotScript script = axis_labels("Share of the faces found", "Precision") +
                        percent_axis(plot_script("x")) + percent_axis(plot_script("y"));
    std::vector<PlotScript> lines;
    for (std::size_t i = 0; i < judgements.size(); ++i) {
        const PlotScript name = plot_script("kept{}", i);
        std::vector<CurvePoint> points;
        for (const RocPoint& point : judgements[i].evaluation.roc)
            points.push_back({100 * point.detection_rate, 100 * point.precision});
        script += curve_block(name, thinned(points, 0.1, 0.1));
        lines.push_back(plot_script("${} using 1:2 with lines lw 2 {} {} title {}", name, dash(i),
                                    line_colour(i), key_name(title_of(judgements[i]))));
    }
    script += plot_command(lines);
    return draw_plot_with_key("precision_recall", "Precision by faces found",
                              "On photographs that were kept from the training; a hit has an IoU of 0.5.",
                              script, lines.size());
}

std::vector<DrawnPlot> reliability_plots(const std::vector<FaceNetJudgement>& judgements) {
    std::vector<DrawnPlot> plots;
    for (const FaceNetJudgement& judgement : judgements) {
        for (DrawnPlot& plot : std::vector<DrawnPlot>{}) {
            if (plot.stem != "reliability") continue;
            plot.title += ": " + title_of(judgement);
            plot.stem += "_" + std::to_string(plots.size() + 1);
            plots.push_back(std::move(plot));
        }
    }
    return plots;
}

std::string kept_table(const std::vector<FaceNetJudgement>& judgements) {
    std::vector<HtmlRow> rows;
    for (const FaceNetJudgement& judgement : judgements) {
        const DetectionEvaluation& evaluation = judgement.evaluation;
        const ConfusionCounts& counts = judgement.analysis.operating_point.detections;
        const auto& ci = evaluation.average_precision_ci95;
        rows.push_back({{breakable(title_of(judgement))},
                        {std::to_string(evaluation.images)},
                        {std::to_string(evaluation.faces)},
                        {three_decimals(evaluation.average_precision)},
                        {ci ? fixed((*ci)[0], 3) + "–" + fixed((*ci)[1], 3) : "–"},
                        {percent(evaluation.detection_rate)},
                        {percent(counts.recall().value_or(0))},
                        {percent(counts.precision().value_or(0))}});
    }
    return table({{"Photographs", false},
                  {"Number"},
                  {"Faces"},
                  {"AP", true, "average precision, a hit has an IoU of 0.5"},
                  {"95 % interval", true, "bootstrap over photographs"},
                  {"Found", true, "share of the faces, with every detection kept"},
                  {"Found at score 0.5"},
                  {"Precision at score 0.5"}},
                 rows);
}

std::string slices_of(const FaceNetJudgement& judgement) {
    std::string html;
    for (const SliceGroup& group : judgement.analysis.slices) {
        if (group.of_images || group.slices.size() > max_slices) continue;
        std::vector<HtmlRow> rows;
        for (const Slice& slice : group.slices) {
            rows.push_back({{escape_html(slice.label)},
                            {std::to_string(slice.faces)},
                            {slice.detection_rate ? percent(*slice.detection_rate) : "–"},
                            {slice.wilson_ci95 ? percent_range(*slice.wilson_ci95) : "–"}});
        }
        html += table({{group.title, false}, {"Faces"}, {"Found"}, {"95 % interval", true, "Wilson"}}, rows);
    }
    return html.empty() ? "" : folded("Faces of " + title_of(judgement) + " by kind", html);
}

std::string kept_section(const std::vector<FaceNetJudgement>& judgements, const FaceNetScore& score) {
    if (judgements.empty()) {
        return paragraph(
            "No photographs were kept out ('kept' in the configuration). The score is the IoU that the "
            "network "
            "expects of its box, and no probability.");
    }
    std::string html = kept_table(judgements);
    for (const FaceNetJudgement& judgement : judgements) html += slices_of(judgement);
    return html + paragraph(fmt::format(
                      "The score is 1 / (1 + exp(−({} · logit {} {}))). The two numbers were fitted "
                      "to the detections in these photographs.",
                      compact(score.slope), score.offset < 0 ? "−" : "+", compact(std::abs(score.offset))));
}

std::string page_of(const FaceNetTrainResult& result, const std::vector<DrawnPlot>& plots) {
    const Json& training = result.model.training;
    std::size_t weights = 0;
    visit_face_net_layers(result.model.net, [&](const FaceNetLayerPlace&, const FaceNetLayer& layer) {
        weights += layer.weights.size();
    });
    Document document;
    document.title = "Training of " + result.model.name;
    document.lead = escape_html(fmt::format(
        "A network of {} weights of 8 bits was trained on {} in {}, {:.0f} s.",
        grouped(static_cast<long long>(weights)), counted(result.images, "photograph"),
        counted(result.losses.empty() ? 0 : result.losses.back().step, "step"), result.train_seconds));
    document.parts = {
        {"kept", "Photographs kept out", kept_section(result.judgements, result.model.score)},
        {"curves", "Curves", charts(plots)},
        {"origin", "Data and settings",
         folded("Data", "<pre>" + escape_html(indented_text(training.at("data"))) + "</pre>") +
             folded("Settings", "<pre>" + escape_html(indented_text(training.at("settings"))) + "</pre>")}};
    document.footer = "crops.png shows crops as the training sees them; training.json has all numbers.";
    return document_page(document);
}

}  // namespace

void write_face_net_report(const std::filesystem::path& folder, const FaceNetTrainResult& result) {
    make_output_folder(folder, "report");
    StagedFiles files(folder);
    Json json = result.model.training;
    json["score"] = {{"slope", result.model.score.slope}, {"offset", result.model.score.offset}};
    json["seconds"] = {{"reading", result.load_seconds}, {"training", result.train_seconds}};
    files.add("training.json", indented_text(json) + "\n");
    std::vector<DrawnPlot> plots;
    if (!result.judgements.empty()) plots.push_back(precision_plot(result.judgements));
    for (DrawnPlot& plot : reliability_plots(result.judgements)) plots.push_back(std::move(plot));
    if (!result.losses.empty()) plots.push_back(loss_plot(result.losses));
    add_plot_files(files, plots);
    files.add("training.html", page_of(result, plots));
    if (result.crops.count() > 0)
        files.add("crops.png", png_of(contact_sheet(result.crops, {.columns = sheet_columns})));
    files.publish_report("training");
}

}  // namespace fovea::report
