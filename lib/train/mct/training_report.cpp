#include "lib/train/mct/training_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <opencv2/imgproc.hpp>
#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/encode.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

// --- rates by look-ups -------------------------------------------------------------------------------

DrawnPlot rates_plot(const std::vector<TrainingStep>& steps) {
    std::vector<CurvePoint> faces;
    std::vector<CurvePoint> validation;
    std::vector<CurvePoint> windows;
    double passing = 1;
    for (const TrainingStep& step : steps) {
        if (step.windows_searched > 0) passing = step.pass_rate;
        const double at = step.lookups;
        faces.push_back({at, 1 - step.faces_kept});
        validation.push_back({at, 1 - step.validation_kept});
        windows.push_back({at, passing * step.negatives_kept});
    }
    PlotScript script =
        axis_labels("Look-ups", "Share of all") +
        plot_script("set logscale y\nset yrange [*:1.2]\nset format y '%.0e'\nset logscale x\n");
    std::vector<PlotScript> lines;
    const auto add = [&](const PlotScript& name, const std::vector<CurvePoint>& points, const char* title) {
        const std::size_t i = lines.size();
        script += curve_block(name, points);
        lines.push_back(plot_script("${} using 1:($2>0?$2:NaN) with lines lw 2 {} {} title {}", name, dash(i),
                                    line_colour(i), title));
    };
    add(plot_script("windows"), windows, "windows of the backgrounds that pass");
    add(plot_script("validation"), validation, "validation faces lost");
    add(plot_script("faces"), faces, "training faces lost");
    script += plot_command(lines);
    return draw_plot_with_key(
        "training_rates", "Faces lost and windows left",
        "After each look-up: the share of the faces' patches that it or one before has rejected, and the "
        "share of all windows of the backgrounds that still pass.",
        script, 3);
}

// --- validation --------------------------------------------------------------------------------------

DrawnPlot roc_plot(const ValidationCurve& curve) {
    std::vector<CurvePoint> points{{0, 0}};
    for (const ValidationPoint& point : curve.points) {
        points.push_back({std::log10(1.0 + point.false_positives),
                          100.0 * point.true_positives / std::max(curve.faces, 1)});
    }
    Tics tics;
    tics.add("0", plot_script("0"));
    for (double decade = 1; std::log10(1 + decade) <= points.back().x; decade *= 10) {
        tics.add(grouped(static_cast<long long>(decade)), plot_script("{:.6f}", std::log10(1 + decade)));
    }
    const PlotScript script =
        axis_labels("False positives in all backgrounds", "Detection rate") + percent_axis(plot_script("y")) +
        plot_script("set xtics {}\n", tics.script()) +
        curve_block(plot_script("roc"), thinned(points, 0.005, 0.1)) +
        plot_command({plot_script("$roc using 1:2 with steps lw 2 {} notitle", line_colour(0))});
    return draw_plot_with_key(
        "training_roc", "ROC on the validation set",
        "Faces of the portraits found, against detections in images without faces; none of them was trained "
        "on.",
        script, 0);
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
    cv::resize(mean, mean, {}, 8, 8, cv::INTER_CUBIC);
    const std::vector<unsigned char> bytes = encode_jpeg(mean, 95);
    return {bytes.begin(), bytes.end()};
}

// Neighbourhoods as squares over the face; where several look-ups lie, more of the colour.
std::string positions_svg(const MctCascade& cascade, MctPlane plane, const std::string& face,
                          std::size_t series) {
    std::map<std::pair<int, int>, int> counts;
    int most = 1;
    for (const MctLookup& lookup : cascade.lookups) {
        if (lookup.plane == plane) most = std::max(most, ++counts[{lookup.y, lookup.x}]);
    }
    std::string svg =
        "<svg viewBox=\"0 0 24 24\" class=\"positions\" role=\"img\">"
        "<image width=\"24\" height=\"24\" href=\"data:image/jpeg;base64," +
        face + "\"/>";
    const double middle = 1.5 * mct_block(plane);
    for (const auto& [place, count] : counts) {
        svg += fmt::format(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{:.2f}\" style=\"fill:var({})\" fill-opacity=\"0.75\"><title>"
            "({}, {}): {}</title></circle>",
            place.second + middle, place.first + middle, 0.25 + 0.45 * std::sqrt(double(count) / most),
            series_variable(series), place.second, place.first, number_of(count, "look-up"));
    }
    return svg + "</svg>";
}

std::string positions_section(const MctCascade& cascade, const std::vector<MctPatch>& faces) {
    const std::string face = base64(mean_face_jpeg(faces));
    std::string html = "<div class=\"columns charts\">\n";
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
        const auto count =
            std::count_if(cascade.lookups.begin(), cascade.lookups.end(),
                          [&](const MctLookup& lookup) { return lookup.plane == descriptions[i].plane; });
        if (count == 0) continue;
        html += "<figure class=\"chart\"><h3>" + escape_html(descriptions[i].name) + "</h3>" +
                positions_svg(cascade, descriptions[i].plane, face, i) + "<figcaption>" +
                escape_html(fmt::format("{}: {}", descriptions[i].meaning, number_of(count, "look-up"))) +
                "</figcaption></figure>\n";
    }
    return html + "</div>\n";
}

// --- tables ------------------------------------------------------------------------------------------

std::string share(double value) {
    return value >= 0.001 || value == 0 ? percent(value) : fmt::format("{:.2g}", value);
}

std::string steps_table(const MctTrainingResult& outcome) {
    std::vector<HtmlRow> rows;
    double passing = 1;
    for (std::size_t i = 0; i < outcome.steps.size(); ++i) {
        const TrainingStep& step = outcome.steps[i];
        if (step.windows_searched > 0) passing = step.pass_rate;
        // The last step before negatives were mined anew is the end of a stage.
        if (i + 1 < outcome.steps.size() && outcome.steps[i + 1].windows_searched == 0) continue;
        rows.push_back({{fmt::format("{}", step.lookups)},
                        {share(step.faces_kept)},
                        {share(step.validation_kept)},
                        {share(step.negatives_kept)},
                        {share(passing * step.negatives_kept)},
                        {fixed(step.loss, 3)}});
    }
    return table(
        {{"Look-ups"},
         {"Faces kept"},
         {"Validation faces kept"},
         {"Negatives kept", true, "of those mined for this stage"},
         {"Windows passing", true, "of all windows of the backgrounds"},
         {"Loss", true, "of the last table: sum over its codes of the root of both classes' weights"}},
        rows);
}

std::string rates_table(const ValidationCurve& curve) {
    std::vector<HtmlRow> rows;
    for (const int count : {0, 1, 2, 5, 10, 20, 50, 100, 200, 500}) {
        const double rate = curve.rate_at(count);
        const auto interval = wilson_interval(static_cast<int>(std::lround(rate * curve.faces)), curve.faces);
        rows.push_back(
            {{grouped(count)}, {percent(rate)}, {percent(interval[0]) + " – " + percent(interval[1])}});
    }
    return table({{"False positives"}, {"Detection rate"}, {"95 % interval", true, "Wilson's, over faces"}},
                 rows);
}

std::string page_of(const MctTrainingResult& outcome, const TrainingData& data,
                    const std::vector<DrawnPlot>& plots) {
    const std::string title = "Training of " + outcome.model.name;
    const MctCascade& cascade = outcome.model.cascade;
    const std::string lead = fmt::format(
        "A cascade of {} ({} of them once for 2×2 windows) was trained on {} of {} faces and on windows of "
        "{}. On {} "
        "that were kept from training, it finds {} at 10 false positives in {}.",
        number_of(static_cast<long long>(cascade.lookups.size()), "look-up"), cascade.coarse_lookups(),
        grouped(static_cast<long long>(data.faces.size())) + " patches",
        grouped(data.manifest.at("faces").get<long long>()),
        number_of(static_cast<long long>(data.backgrounds.size()), "image"),
        number_of(outcome.validation.faces, "face"), percent(outcome.validation.rate_at(10)),
        number_of(outcome.validation.backgrounds, "background"));
    Document document;
    document.title = title;
    document.lead = escape_html(lead);
    document.style = ".positions{width:100%;max-width:22rem;height:auto;display:block}";
    document.parts = {
        {"curves", "Curves", charts(plots)},
        {"validation", "Validation", rates_table(outcome.validation)},
        {"positions", "Positions on the mean face", positions_section(cascade, data.faces)},
        {"stages", "Stage by stage",
         "<p>A stage ends where negatives were mined anew, because two thirds of those before were "
         "rejected.</p>\n" +
             steps_table(outcome)},
        {"origin", "Data and settings",
         folded("Data", "<pre>" + escape_html(indented_text(outcome.data)) + "</pre>") +
             folded("Settings",
                    "<pre>" + escape_html(indented_text(outcome.model.training.at("settings"))) + "</pre>")}};
    document.footer =
        "Every step and the whole validation curve are in training.json, the plots in SVG files beside it.";
    return document_page(document);
}

Json report_json(const MctTrainingResult& outcome) {
    Json steps = Json::array();
    for (const TrainingStep& step : outcome.steps) steps.push_back(training_step_to_json(step));
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

void write_training_report(const std::filesystem::path& folder, const MctTrainingResult& outcome,
                           const TrainingData& data) {
    make_output_folder(folder, "report");
    StagedFiles files(folder);
    files.add("training.json", indented_text(report_json(outcome)) + "\n");
    const std::vector<DrawnPlot> plots{rates_plot(outcome.steps), roc_plot(outcome.validation)};
    add_plot_files(files, plots);
    files.add("training.html", page_of(outcome, data, plots));
    files.publish_report("training");
}

}  // namespace fovea::report
