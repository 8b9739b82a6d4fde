#include "lib/train/face_net/face_net_report.hpp"

#include <cmath>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "lib/report/model/shown_columns.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/train/samples/contact_sheet.hpp"
#include "lib/train/training_section.hpp"

namespace fovea::report {
namespace {

/// Groups of more slices are left out: angles in degrees are no parts of a set.
constexpr std::size_t max_slices = 12;
constexpr int sheet_columns = 8;

std::vector<std::string> names_of(const std::vector<FaceNetJudgement>& judgements) {
    std::vector<std::string> names;
    for (const FaceNetJudgement& judgement : judgements) names.push_back(judgement.evaluation.name);
    return names;
}

Plot loss_plot(const std::vector<FaceNetProgress>& losses) {
    Plot plot{
        "training_loss", "Loss by step",
        "Means over the steps since the last point. Odds: cross entropy with the IoU of the box, by face. "
        "Boxes: 1 − generalised IoU, by face."};
    std::vector<std::vector<PlotPoint>> points(2);
    for (const FaceNetProgress& step : losses) {
        points[0].push_back({static_cast<double>(step.step), step.odds_loss});
        points[1].push_back({static_cast<double>(step.step), step.box_loss});
    }
    plot.x.label = "Steps";
    plot.y = {.label = "Loss", .min = 0};
    plot.series = curves_of({"odds of a face", "boxes"}, std::move(points), Mark::line);
    return plot;
}

Plot precision_plot(const std::vector<FaceNetJudgement>& judgements) {
    Plot plot{"precision_recall", "Precision by faces found",
              "On photographs that were kept from the training; a hit has an IoU of 0.5."};
    std::vector<std::vector<PlotPoint>> curves;
    for (const FaceNetJudgement& judgement : judgements) {
        std::vector<PlotPoint> points;
        for (const RocPoint& point : judgement.evaluation.roc)
            points.push_back({point.detection_rate, point.precision});
        curves.push_back(thinned(points, 1, 1));
    }
    plot.x = share_axis("Share of the faces found");
    plot.y = share_axis("Precision");
    plot.series = curves_of(names_of(judgements), std::move(curves), Mark::line);
    return plot;
}

/// "reliability_1", ... of each judgement.
std::vector<Plot> judged_reliability(const std::vector<FaceNetJudgement>& judgements) {
    std::vector<Plot> plots;
    for (const FaceNetJudgement& judgement : judgements) {
        for (Plot& plot : reliability_plots({judgement.analysis}, {judgement.evaluation.name}, 0)) {
            plot.title += ": " + judgement.evaluation.name;
            plot.stem += "_" + std::to_string(plots.size() + 1);
            plots.push_back(std::move(plot));
        }
    }
    return plots;
}

Table kept_table(const std::vector<FaceNetJudgement>& judgements) {
    using Judgement = FaceNetJudgement;
    const auto counts = [](const Judgement& j) { return j.analysis.operating_point.detections; };
    const ShownColumns<Judgement> columns{
        {words("Photographs"), [](const Judgement& j) { return Cell(j.evaluation.name); }},
        {{"Number"}, [](const Judgement& j) { return value_cell(j.evaluation.images, 0); }},
        {{"Faces"}, [](const Judgement& j) { return value_cell(j.evaluation.faces, 0); }},
        {{"AP", "average precision, a hit has an IoU of 0.5, with a bootstrap over photographs"},
         [](const Judgement& j) {
             const DetectionEvaluation& evaluation = j.evaluation;
             return number_cell(evaluation.estimate("average_precision"));
         }},
        {{"Found", "share of the faces, with every detection kept"},
         [](const Judgement& j) { return share_cell(j.evaluation.value("detection_rate")); }},
        {{"Found at score 0.5"},
         [&](const Judgement& j) { return share_cell(counts(j).recall().value_or(0)); }},
        {{"Precision at score 0.5"},
         [&](const Judgement& j) { return share_cell(counts(j).precision().value_or(0)); }}};
    return table_of(columns, judgements);
}

Section slices_section(const FaceNetJudgement& judgement, std::size_t number) {
    Section section{"slices-" + std::to_string(number), "Faces of " + judgement.evaluation.name + " by kind"};
    section.fold = Fold::closed;
    for (const SliceGroup& group : judgement.analysis.slices) {
        if (group.of_images || group.slices.size() > max_slices) continue;
        const ShownColumns<Slice> columns{
            {words(group.title), [](const Slice& slice) { return Cell(slice.label); }},
            {{"Faces"}, [](const Slice& slice) { return value_cell(slice.faces, 0); }},
            {{"Found at score 0.5", "with Wilson's 95 % interval"},
             [](const Slice& slice) { return share_cell(slice.detection_rate, slice.wilson_ci95); }}};
        section.add(table_of(columns, group.slices));
    }
    return section;
}

Section kept_section(const std::vector<FaceNetJudgement>& judgements, const FaceNetScore& score) {
    Section section{"kept", "Photographs kept out"};
    if (judgements.empty()) {
        section.add(Paragraph{
            "No photographs were kept out ('kept' in the configuration). The score is the IoU that the "
            "network expects of its box, and no probability."});
        return section;
    }
    section.add(kept_table(judgements));
    section.add(Paragraph{
        fmt::format("The score is 1 / (1 + exp(−({} · logit {} {}))). The two numbers were fitted "
                    "to the detections in these photographs.",
                    compact(score.slope), score.offset < 0 ? "−" : "+", compact(std::abs(score.offset)))});
    for (std::size_t i = 0; i < judgements.size(); ++i)
        section.sections.push_back(slices_section(judgements[i], i + 1));
    return section;
}

Report report_of(const FaceNetTrainResult& result) {
    const Json& training = result.model.training;
    std::size_t weights = 0;
    visit_face_net_layers(result.model.net, [&](const FaceNetLayerPlace&, const FaceNetLayer& layer) {
        weights += layer.weights.size();
    });
    Report report;
    report.title = "Training of " + result.model.name;
    report.lead = {{Run::plain(fmt::format(
        "A network of {} weights of 8 bits was trained on {} in {}, {:.0f} s.",
        grouped(static_cast<long long>(weights)), counted(result.images, "photograph"),
        counted(result.losses.empty() ? 0 : result.losses.back().step, "step"), result.train_seconds))}};
    Section curves{"curves", "Curves"};
    if (!result.judgements.empty()) curves.add(precision_plot(result.judgements));
    curves.add(judged_reliability(result.judgements));
    if (!result.losses.empty()) curves.add(loss_plot(result.losses));
    report.sections = {kept_section(result.judgements, result.model.score), std::move(curves),
                       training_section(training.at("data"), training.at("settings"))};
    report.footer = "crops.png shows crops as the training sees them; training.json has all numbers.";
    return report;
}

}  // namespace

void write_face_net_report(const OutputFolder& folder, const FaceNetTrainResult& result) {
    StagedFiles files(folder, "report");
    Json json = result.model.training;
    json["score"] = {{"slope", result.model.score.slope}, {"offset", result.model.score.offset}};
    json["seconds"] = {{"reading", result.load_seconds}, {"training", result.train_seconds}};
    files.add("training.json", indented_text(json) + "\n");
    if (result.crops.count() > 0)
        files.add("crops.png", png_of(contact_sheet(result.crops, {.columns = sheet_columns})));
    publish_report(files, report_of(result), "training");
}

}  // namespace fovea::report
