#include "tests/lab/tracks/study_record.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

using Curve = std::vector<PlotPoint>;

/// A share or ratio for programs, to a millionth.
BenchValue measured(double value, Cell cell) {
    return number_value(value, 6, std::move(cell));
}

const std::vector<BenchField<StudyRow>>& study_fields() {
    static const std::vector<BenchField<StudyRow>> fields{
        {"part", words("part"), [](const StudyRow& r) { return text_value(r.part); }},
        {"setting", words("setting"), [](const StudyRow& r) { return text_value(r.setting); }},
        {"redetect",
         {"K", "a detector runs in every Kth frame"},
         [](const StudyRow& r) { return exact_value(r.redetect, value_cell(r.redetect, 0)); }},
        {"results", words("results", "live: at once; late: faces are also followed back"),
         [](const StudyRow& r) { return text_value(r.redetect == 1 || r.is_live ? "live" : "late"); }},
        {"faces", {}, [](const StudyRow& r) { return count_value(r.accuracy.faces); }},
        {"found",
         {"found", "share of the faces that are found with an IoU of at least 0.5"},
         [](const StudyRow& r) { return measured(r.accuracy.found, share_cell(r.accuracy.found)); }},
        {"iou",
         {"IoU"},
         [](const StudyRow& r) { return measured(r.accuracy.iou, value_cell(r.accuracy.iou, 3)); }},
        {"nme",
         {"NME"},
         [](const StudyRow& r) { return measured(r.accuracy.nme, share_cell(r.accuracy.nme, 2)); }},
        {"median_nme",
         {"median NME"},
         [](const StudyRow& r) {
             return measured(r.accuracy.median_nme, share_cell(r.accuracy.median_nme, 2));
         }},
        {"nme_ratio",
         {"NME ratio", "to detection in every frame, over the faces that both find"},
         [](const StudyRow& r) {
             const auto& ratio = r.accuracy.nme_ratio;
             return ratio ? measured(*ratio, value_cell(*ratio, 3)) : exact_value(nullptr);
         }},
        {"false_boxes_per_frame",
         {"false/frame"},
         [](const StudyRow& r) {
             return measured(r.accuracy.false_boxes, value_cell(r.accuracy.false_boxes, 3));
         }},
        {"tracks_per_face",
         {"tracks/face"},
         [](const StudyRow& r) {
             return measured(r.accuracy.tracks_per_face, value_cell(r.accuracy.tracks_per_face, 2));
         }},
        {"switches", {"switches"}, [](const StudyRow& r) { return count_value(r.accuracy.switches); }}};
    return fields;
}

/// A point of a curve.
struct DriftRow {
    int redetect = 0;
    DriftPoint point;
};

const std::vector<BenchField<DriftRow>>& drift_fields() {
    static const std::vector<BenchField<DriftRow>> fields{
        {"redetect",
         {"K"},
         [](const DriftRow& r) { return exact_value(r.redetect, value_cell(r.redetect, 0)); }},
        {"followed",
         {"frames since detection"},
         [](const DriftRow& r) { return exact_value(r.point.followed, value_cell(r.point.followed, 0)); }},
        {"faces", {"faces"}, [](const DriftRow& r) { return count_value(r.point.faces); }},
        {"iou", {"IoU"}, [](const DriftRow& r) { return measured(r.point.iou, value_cell(r.point.iou, 3)); }},
        {"nme", {"NME"}, [](const DriftRow& r) { return measured(r.point.nme, share_cell(r.point.nme, 2)); }},
        {"nme_of_every_frame",
         {"every frame", "NME of detection in every frame on the same faces"},
         [](const DriftRow& r) {
             return measured(r.point.nme_of_every_frame, share_cell(r.point.nme_of_every_frame, 2));
         }},
        {{}, {"ratio"}, [](const DriftRow& r) {
             return BenchValue{{}, value_cell(r.point.nme / r.point.nme_of_every_frame, 3)};
         }}};
    return fields;
}

/// Adds a plot, if there is anything to see in it.
void add_curves(std::vector<Plot>& plots, Plot plot, const std::vector<std::string>& names,
                std::vector<Curve> curves, Mark mark) {
    plot.series = curves_of(names, std::move(curves), mark);
    if (!plot.series.empty()) plots.push_back(std::move(plot));
}

/// Adds the errors by the settings of a part.
void add_error_plot(std::vector<Plot>& plots, const TrackStudy& study, const std::string& part,
                    const std::string& x_label, const std::string& stem, const std::string& title) {
    Plot plot{
        stem, title,
        "Mean distance of the landmarks from the truth, as a share of the distance between the outer eye "
        "corners."};
    std::vector<AxisMark> settings;
    std::vector<Curve> curves(3);
    for (const StudyRow& row : study.rows) {
        if (row.part != part) continue;
        const auto known = std::find_if(settings.begin(), settings.end(),
                                        [&](const AxisMark& mark) { return mark.label == row.setting; });
        const auto x = static_cast<double>(known - settings.begin());
        if (known == settings.end()) settings.push_back({x, row.setting});
        curves[row.redetect == 1 ? 0 : row.is_live ? 1 : 2].push_back({x, row.accuracy.nme});
    }
    plot.x = category_axis(x_label, std::move(settings));
    plot.y = {.label = "NME", .is_share = true, .min = 0};
    add_curves(plots, std::move(plot), {"detection in every frame", "followed, live", "followed, late"},
               std::move(curves), Mark::line_dots);
}

void add_drift_plots(std::vector<Plot>& plots, const TrackStudy& study) {
    std::vector<std::string> names;
    std::vector<Curve> errors, overlaps;
    for (const DriftCurve& curve : study.drift) {
        names.push_back(fmt::format("K = {}", curve.redetect));
        Curve &error = errors.emplace_back(), &overlap = overlaps.emplace_back();
        for (const DriftPoint& point : curve.points) {
            if (!(point.nme_of_every_frame > 0)) continue;
            const auto followed = static_cast<double>(point.followed);
            error.push_back({followed, point.nme / point.nme_of_every_frame});
            overlap.push_back({followed, point.iou});
        }
    }
    Plot of_errors{
        "track_drift_nme", "Drift of the landmarks",
        "Landmark error by the frames since the last detection, over that of detection in every frame "
        "on the same faces."};
    of_errors.y = {.label = "NME ratio", .min = 0.5};
    Plot of_overlaps{"track_drift_iou", "Drift of the boxes",
                     "Overlap with the true box by the frames since the last detection."};
    of_overlaps.y = {.label = "IoU", .min = 0, .max = 1};
    of_errors.x.label = of_overlaps.x.label = "Frames since the detection";
    add_curves(plots, std::move(of_errors), names, std::move(errors), Mark::line);
    add_curves(plots, std::move(of_overlaps), names, std::move(overlaps), Mark::line);
}

std::vector<DriftRow> drift_rows(const TrackStudy& study) {
    std::vector<DriftRow> rows;
    for (const DriftCurve& curve : study.drift) {
        for (const DriftPoint& point : curve.points) rows.push_back({curve.redetect, point});
    }
    return rows;
}

Json clip_json(const ClipPlan& clip) {
    return {{"width", clip.size.width}, {"height", clip.size.height},    {"frames", clip.frames},
            {"faces", clip.faces},      {"face_width", clip.face_width}, {"speed", clip.speed},
            {"zoom", clip.zoom},        {"turn_degrees", clip.turn},     {"crossing", clip.crossing},
            {"bar", clip.bar},          {"exposure", clip.exposure},     {"blur", clip.blur},
            {"noise", clip.noise}};
}

}  // namespace

BenchRecord study_record(const StudyPlan& plan, const TrackStudy& study, const std::string& machine) {
    const std::string note = fmt::format(
        "{} of {} and {} each, {}x{}. Found: of faces half of which are visible. NME: by the distance of the "
        "outer eye corners.",
        counted(static_cast<std::size_t>(plan.clips), "clip"),
        counted(static_cast<std::size_t>(plan.clip.frames), "frame"),
        counted(static_cast<std::size_t>(plan.clip.faces), "face"), plan.clip.size.width,
        plan.clip.size.height);
    BenchRecord record{"Faces followed through drawn clips",
                       "Measured on " + machine + ".",
                       {list_of({"study", "Accuracy", note}, study_fields(), study.rows),
                        list_of({"drift", "Drift, live", {}}, drift_fields(), drift_rows(study))}};
    for (std::size_t i = 0; i < record.lists[1].rows.size(); ++i) {
        const DriftRow row = drift_rows(study)[i];
        const bool is_longest = row.redetect == study.drift.back().redetect;
        record.lists[1].rows[i].is_detail =
            !is_longest || (row.point.followed > 5 && row.point.followed % 5 != 0);
    }
    for (const bool is_live : {true, false}) {
        const StudyRow* row = study.find("redetect", std::to_string(plan.redetect), is_live, plan.redetect);
        if (row == nullptr || !row->accuracy.nme_ratio) continue;
        record.notes.push_back(fmt::format(
            "landmark error, detection in 1 of {} frames, {}: {} times that of detection in every frame",
            plan.redetect, is_live ? "live" : "late", fixed(*row->accuracy.nme_ratio, 3)));
    }
    add_error_plot(record.plots, study, "redetect", "A detector runs in every Kth frame", "track_redetect",
                   "Landmark error against K");
    add_drift_plots(record.plots, study);
    add_error_plot(record.plots, study, "speed", "Face widths a frame", "track_speed",
                   "Landmark error against speed");
    add_error_plot(record.plots, study, "condition", "Clip", "track_conditions", "Landmark error by clip");
    record.interrupted = study.interrupted;
    return record;
}

Json study_head(const StudyPlan& plan, const TrackStudy& study) {
    Json conditions = Json::object();
    for (const ClipPlan& clip : plan.conditions) conditions[clip.name] = clip_json(clip);
    const BoxOffsets& boxes = study.calibration;
    return {{"clips",
             {{"of_each_kind", plan.clips},
              {"usual", clip_json(plan.clip)},
              {"conditions", std::move(conditions)}}},
            {"calibration",
             {{"left", rounded(boxes.left, 6)},
              {"right", rounded(boxes.right, 6)},
              {"top", rounded(boxes.top, 6)},
              {"bottom", rounded(boxes.bottom, 6)}}}};
}

}  // namespace fovea::report
