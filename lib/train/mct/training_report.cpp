#include "lib/train/mct/training_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/image/encode.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/model/shown_columns.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/train/training_section.hpp"

namespace fovea::report {
namespace {

/// A step, and the share of all windows of the backgrounds that were left before its negatives were rejected.
struct StepRates {
    TrainingStep step;
    double passing = 1;

    double windows_left() const { return passing * step.negatives_kept; }
};

std::vector<StepRates> rates_of(const std::vector<TrainingStep>& steps) {
    std::vector<StepRates> rates;
    double passing = 1;
    for (const TrainingStep& step : steps) {
        if (step.windows_searched > 0) passing = step.pass_rate;
        rates.push_back({step, passing});
    }
    return rates;
}

Plot rates_plot(const std::vector<StepRates>& steps) {
    struct Curve {
        const char* name;
        double (*share)(const StepRates& rates);
    };
    constexpr Curve curves[] = {
        {"windows of the backgrounds that pass", [](const StepRates& r) { return r.windows_left(); }},
        {"validation faces lost", [](const StepRates& r) { return 1 - r.step.validation_kept; }},
        {"training faces lost", [](const StepRates& r) { return 1 - r.step.faces_kept; }}};
    Plot plot{
        "training_rates", "Faces lost and windows left",
        "After each look-up: the share of the faces' patches that it or one before has rejected, and the "
        "share of all windows of the backgrounds that still pass."};
    plot.x = {.label = "Look-ups", .scale = Scale::log};
    plot.y = {.label = "Share of all", .scale = Scale::log, .max = 1.2};
    std::vector<std::string> names;
    std::vector<std::vector<PlotPoint>> points;
    for (const Curve& curve : curves) {
        names.emplace_back(curve.name);
        points.emplace_back();
        for (const StepRates& rates : steps) {
            const double share = curve.share(rates);
            points.back().push_back({static_cast<double>(rates.step.lookups), share > 0 ? share : no_value});
        }
    }
    plot.series = curves_of(names, std::move(points), Mark::line);
    return plot;
}

Plot roc_plot(const ValidationCurve& curve) {
    Series roc{.mark = Mark::steps, .points = {{0, 0}}};
    for (const ValidationPoint& point : curve.points) {
        roc.points.push_back({static_cast<double>(point.false_positives),
                              static_cast<double>(point.true_positives) / std::max(curve.faces, 1)});
    }
    Plot plot{
        "training_roc", "ROC on the validation set",
        "Faces of the portraits found, against detections in images without faces; none of them was trained "
        "on."};
    plot.x = {.label = "False positives in all backgrounds", .scale = Scale::log1p};
    plot.y = share_axis("Detection rate");
    roc.points = thinned(roc.points, plot.x, plot.y);
    plot.series = {std::move(roc)};
    return plot;
}

// --- positions ---------------------------------------------------------------------------------------

struct PlaneDescription {
    MctPlane plane;
    const char* name;
    const char* meaning;
};
constexpr std::array descriptions{
    PlaneDescription{MctPlane::pixel, "pixel", "census of 3×3 pixels"},
    PlaneDescription{MctPlane::block2, "block2", "census of 3×3 blocks of 2×2 pixels"},
    PlaneDescription{MctPlane::coarse2, "coarse2", "the same, once for 2×2 windows"},
    PlaneDescription{MctPlane::coarse4, "coarse4",
                     "census of 3×3 blocks of 4×4 pixels, once for 2×2 windows"},
    PlaneDescription{MctPlane::contrast4, "contrast4", "contrast of the same blocks"},
};

/// Pixels of a picture for one of the mean face.
constexpr int face_scale = 8;

std::string mean_face_jpeg(const std::vector<MctPatch>& faces) {
    constexpr int edge = MctCascade::window;
    cv::Mat sum(edge, edge, CV_64F, cv::Scalar(0));
    for (const MctPatch& patch : faces) {
        for (int y = 0; y < edge; ++y) {
            for (int x = 0; x < edge; ++x) sum.at<double>(y, x) += patch.view()(patch.dx + x, patch.dy + y);
        }
    }
    cv::Mat mean;
    cv::normalize(sum, mean, 0, 255, cv::NORM_MINMAX, CV_8U);
    cv::resize(mean, mean, {}, face_scale, face_scale, cv::INTER_CUBIC);
    const std::vector<unsigned char> bytes = encode_jpeg(mean, 95);
    return {bytes.begin(), bytes.end()};
}

// Middles of neighbourhoods as squares over the mean face; where several look-ups lie, a larger one.
Picture positions_picture(const MctCascade& cascade, const PlaneDescription& described,
                          const std::string& face) {
    std::map<std::pair<int, int>, int> counts;
    int most = 1, all = 0;
    for (const MctLookup& lookup : cascade.lookups) {
        if (lookup.plane != described.plane) continue;
        ++all;
        most = std::max(most, ++counts[{lookup.y, lookup.x}]);
    }
    Picture picture{.name = described.name,
                    .facts = {fmt::format("{}: {}", described.meaning, number_of(all, "look-up"))},
                    .jpeg = face,
                    .width = face_scale * MctCascade::window,
                    .height = face_scale * MctCascade::window};
    const double middle = 1.5 * mct_block(described.plane);
    for (const auto& [place, count] : counts) {
        const double half = 0.25 + 0.45 * std::sqrt(static_cast<double>(count) / most);
        picture.boxes.push_back(
            {.box = {face_scale * (place.second + middle - half), face_scale * (place.first + middle - half),
                     face_scale * 2 * half, face_scale * 2 * half},
             .note = fmt::format("({}, {}): {}", place.second, place.first, number_of(count, "look-up"))});
    }
    return picture;
}

Gallery positions_gallery(const MctCascade& cascade, const std::vector<MctPatch>& faces) {
    Gallery gallery{
        "planes", "Plane",
        "A square for each place of look-ups, in the middle of what they see; the larger, the more."};
    const std::string face = mean_face_jpeg(faces);
    for (const PlaneDescription& described : descriptions) {
        Picture picture = positions_picture(cascade, described, face);
        if (!picture.boxes.empty()) gallery.pictures.push_back(std::move(picture));
    }
    return gallery;
}

// --- tables ------------------------------------------------------------------------------------------

Table stages_table(const std::vector<StepRates>& steps) {
    static const ShownColumns<StepRates> columns{
        {{"Look-ups"}, [](const StepRates& r) { return value_cell(r.step.lookups, 0); }},
        {{"Faces kept"}, [](const StepRates& r) { return small_share_cell(r.step.faces_kept); }},
        {{"Validation faces kept"},
         [](const StepRates& r) { return small_share_cell(r.step.validation_kept); }},
        {{"Negatives kept", "of those mined for this stage"},
         [](const StepRates& r) { return small_share_cell(r.step.negatives_kept); }},
        {{"Windows passing", "of all windows of the backgrounds"},
         [](const StepRates& r) { return small_share_cell(r.windows_left()); }},
        {{"Loss", "of the last table: sum over its codes of the root of both classes' weights"},
         [](const StepRates& r) { return value_cell(r.step.loss, 3); }}};
    std::vector<StepRates> ends;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        // The last step before negatives were mined anew is the end of a stage.
        if (i + 1 == steps.size() || steps[i + 1].step.windows_searched > 0) ends.push_back(steps[i]);
    }
    return table_of(columns, ends);
}

Table rates_table(const ValidationCurve& curve) {
    Table table{
        .columns = {{"False positives"}, {"Detection rate", "with Wilson's 95 % interval, over faces"}}};
    for (const int count : {0, 1, 2, 5, 10, 20, 50, 100, 200, 500}) {
        const double rate = curve.rate_at(count);
        const int hits = static_cast<int>(std::lround(rate * curve.faces));
        table.rows.push_back({count_cell(count), share_cell(rate, wilson_interval(hits, curve.faces))});
    }
    return table;
}

Report report_of(const MctTrainingResult& outcome, const TrainingData& data) {
    const MctCascade& cascade = outcome.model.cascade;
    const std::vector<StepRates> steps = rates_of(outcome.steps);
    Report report;
    report.title = "Training of " + outcome.model.name;
    report.lead = {{Run::plain(fmt::format(
        "A cascade of {} ({} of them once for 2×2 windows) was trained on {} of {} faces and on windows of "
        "{}. On {} that were kept from training, it finds {} at 10 false positives in {}.",
        number_of(static_cast<long long>(cascade.lookups.size()), "look-up"), cascade.coarse_lookups(),
        grouped(static_cast<long long>(data.faces.size())) + " patches",
        grouped(data.manifest.at("faces").get<long long>()),
        number_of(static_cast<long long>(data.backgrounds.size()), "image"),
        number_of(outcome.validation.faces, "face"), percent(outcome.validation.rate_at(10)),
        number_of(outcome.validation.backgrounds, "background")))}};
    report.sections = {
        {"curves", "Curves", {rates_plot(steps), roc_plot(outcome.validation)}},
        {"validation", "Validation", {rates_table(outcome.validation)}},
        {"positions", "Positions on the mean face", {positions_gallery(cascade, data.faces)}},
        {"stages",
         "Stage by stage",
         {Paragraph{"A stage ends where negatives were mined anew, because two thirds of those before were "
                    "rejected."},
          stages_table(steps)}},
        training_section(outcome.data, outcome.model.training.at("settings"))};
    report.footer =
        "Every step and the whole validation curve are in training.json, the plots in SVG files beside it.";
    return report;
}

Json report_json(const MctTrainingResult& outcome) {
    Json steps = Json::array();
    for (const TrainingStep& step : outcome.steps) steps.push_back(json_of(step));
    Json curve = Json::array();
    for (const ValidationPoint& point : outcome.validation.points) {
        curve.push_back({point.threshold, point.true_positives, point.false_positives});
    }
    Json json = outcome.model.training;
    json["steps"] = steps;
    json["validation"]["curve"] = curve;
    json["seconds"] = {{"reading", outcome.load_seconds},
                       {"training", outcome.train_seconds},
                       {"validating", outcome.validate_seconds}};
    return json;
}

}  // namespace

void write_training_report(const OutputFolder& folder, const MctTrainingResult& outcome,
                           const TrainingData& data) {
    StagedFiles files(folder, "report");
    files.add("training.json", indented_text(report_json(outcome)) + "\n");
    publish_report(files, report_of(outcome, data), "training");
}

}  // namespace fovea::report
