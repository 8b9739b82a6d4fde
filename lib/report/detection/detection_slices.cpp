#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/detection/operating_tallies.hpp"

namespace fovea::report {
namespace {

const SliceGroup* find_group(const DetectionAnalysis& analysis, const std::string& key) {
    const auto group = std::find_if(analysis.slices.begin(), analysis.slices.end(),
                                    [&](const SliceGroup& one) { return one.key == key; });
    return group == analysis.slices.end() ? nullptr : &*group;
}

const Slice* find_slice(const DetectionAnalysis& analysis, const std::string& key, const std::string& label) {
    const SliceGroup* group = find_group(analysis, key);
    if (group == nullptr) return nullptr;
    const auto slice = std::find_if(group->slices.begin(), group->slices.end(),
                                    [&](const Slice& one) { return one.label == label; });
    return slice == group->slices.end() ? nullptr : &*slice;
}

Cell recall_cell(const DetectorsCompared& of, std::size_t detector, const Slice* slice) {
    if (slice == nullptr) return "–";
    Cell cell = number_cell(
        {{"", "", "", Better::higher, Unit::share}, slice->detection_rate, slice->detection_rate_ci95});
    return followed(std::move(cell), detector, tally_of(of.analyses[detector], *slice), TallyNumber::recall);
}

Cell alarms_cell(const DetectorsCompared& of, const Slice& slice) {
    Cell cell = number_cell({{"", "", "", Better::lower, Unit::number},
                             slice.false_positives_per_image,
                             slice.false_positives_per_image_ci95},
                            {1, 2});
    return followed(std::move(cell), 0, tally_of(of.analyses[0], slice),
                    TallyNumber::false_positives_per_image);
}

/// The group's slices: of one detector with what was found, of several a column each.
Table slice_group_table(const DetectorsCompared& of, const SliceGroup& group) {
    Table table{.columns = {words(group.title), {"Images"}, {"Faces"}},
                .rivals = of.is_single() ? Rivals::none : Rivals::columns,
                .is_sortable = true,
                .note = group.what};
    if (of.is_single()) {
        table.columns.push_back({"Found"});
        table.columns.push_back({"Detection rate"});
        if (group.of_images) table.columns.push_back({"FP per image"});
    } else {
        for (const std::string& name : of.names) table.columns.push_back({name});
    }
    for (const Slice& slice : group.slices) {
        std::vector<Cell> row{slice.label, count_cell(slice.images), count_cell(slice.faces)};
        if (of.is_single()) {
            const std::size_t tally = tally_of(of.analyses[0], slice);
            row.push_back(followed(count_cell(slice.found), 0, tally, TallyNumber::found));
        }
        for (std::size_t i = 0; i < of.analyses.size(); ++i) {
            const Slice* own = find_slice(of.analyses[i], group.key, slice.label);
            Cell cell = recall_cell(of, i, own);
            if (of.is_single()) cell.bar = slice.detection_rate;
            if (!of.is_single() && own != nullptr && own->false_positives_per_image)
                cell.notes.push_back(fixed(*own->false_positives_per_image, 2) + " FP per image");
            row.push_back(std::move(cell));
        }
        if (of.is_single() && group.of_images) row.push_back(alarms_cell(of, slice));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The point of every detector, at which its slices are counted.
Table point_table(const DetectorsCompared& of) {
    Table table{.title = "Operating points of the slices",
                .columns = {words("Detector"), {"Score ≥"}, {"False positives"}, {"Detection rate"}}};
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const OperatingPoint& point = of.analyses[i].operating_point;
        const auto cell = [&](Cell own, TallyNumber number) {
            return followed(std::move(own), i, tally_of_all, number);
        };
        table.rows.push_back(
            {rival_cell(of.names, i),
             cell(point.threshold ? score_cell(*point.threshold) : Cell("–"), TallyNumber::threshold),
             cell(count_cell(point.detections.false_positives), TallyNumber::false_positives),
             cell(share_cell(point.detections.recall(), {}), TallyNumber::recall)});
    }
    return table;
}

/// Detection rate by slice with Wilson's intervals: bars side by side of a few detectors, marked lines
/// without intervals of more.
std::vector<Plot> rate_plot(const DetectorsCompared& of, const std::string& key, Plot plot) {
    const SliceGroup* group = find_group(of.analyses[0], key);
    if (group == nullptr) return {};
    const bool has_bars = are_few(of.analyses.size());
    plot.caption += has_bars
                        ? " The thin lines are 95\u00A0% intervals (Wilson); the second line counts faces."
                        : " The second line counts faces. Intervals are in the tables.";
    std::vector<const Slice*> shown;
    std::vector<AxisMark> marks;
    for (const Slice& slice : group->slices) {
        if (slice.faces == 0) continue;
        marks.push_back({static_cast<double>(shown.size()), slice.label, grouped(slice.faces)});
        shown.push_back(&slice);
    }
    plot.x = category_axis(group->title, std::move(marks));
    plot.y = share_axis("Detection rate");
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        Series series = rival_series(of.names, i, has_bars ? Mark::bars : Mark::line_dots);
        series.rival = i;
        for (std::size_t s = 0; s < shown.size(); ++s) {
            const Slice* own = find_slice(of.analyses[i], key, shown[s]->label);
            if (own == nullptr || !own->detection_rate) continue;
            PlotPoint point{static_cast<double>(s), *own->detection_rate};
            if (has_bars) {
                point.low = (*own->wilson_ci95)[0];
                point.high = (*own->wilson_ci95)[1];
            }
            series.points.push_back(std::move(point));
            series.tallies.push_back(tally_of(of.analyses[i], *own));
        }
        plot.series.push_back(std::move(series));
    }
    return {std::move(plot)};
}

}  // namespace

Section slices_section(const DetectorsCompared& of) {
    Section section{"slices", "Slices"};
    const std::vector<SliceGroup>& groups = of.analyses[0].slices;
    if (groups.empty()) return section;
    const std::string point = describe(of.analyses[0].operating_point.choice);
    section.add(Paragraph{
        "Faces are counted at " + point + (of.is_single() ? "" : " of each detector") +
            ", as in the confusion counts. The small numbers are 95 % intervals there (bootstrap over "
            "images; Wilson's where all resamples agree)." +
            " --operating-point chooses another point.",
        true});
    section.add(point_table(of));
    section.add(rate_plot(
        of, "faces_in_image",
        {"rate_by_faces_in_image", "Detection rate by faces in the image", "From portraits to crowds."}));
    section.add(
        rate_plot(of, "face_width",
                  {"rate_by_face_width", "Detection rate by face width", "Which sizes of face are found."}));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        Section part{"slices-" + std::to_string(i + 1), groups[i].title};
        part.is_beside = of.analyses.size() <= 2;
        part.add(slice_group_table(of, groups[i]));
        section.sections.push_back(std::move(part));
    }
    return section;
}

}  // namespace fovea::report
