#include "lib/report/detection/operating_tallies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/evaluate/detection/metrics.hpp"

namespace fovea::report {
namespace {

/// Points of a curve beyond these are more than a slider can choose from.
constexpr std::size_t max_operating_points = 300;

/// An image as a reader's threshold sees it.
struct SeenImage {
    int faces = 0;
    std::vector<double> found;
    const std::vector<double>& false_positives;
};

SeenImage seen(const DetectionEvaluation& evaluation, const DetectionAnalysis& analysis, std::size_t image) {
    const ImageScores& scores = analysis.scores[image];
    SeenImage of{0, {}, scores.false_positives};
    for (std::size_t f = 0; f < scores.found.size(); ++f) {
        if (is_ignored(evaluation.image_outcomes[image], f)) continue;
        ++of.faces;
        if (std::isfinite(scores.found[f])) of.found.push_back(scores.found[f]);
    }
    return of;
}

/// Images with faces, found by their first face; images without, found out by their first false positive.
OperatingTally whole_images(const DetectionEvaluation& evaluation, const DetectionAnalysis& analysis) {
    OperatingTally tally;
    for (std::size_t i = 0; i < analysis.scores.size(); ++i) {
        const SeenImage image = seen(evaluation, analysis, i);
        ++(image.faces > 0 ? tally.faces : tally.images);
        const std::vector<double>& all = image.faces > 0 ? image.found : image.false_positives;
        if (!all.empty())
            (image.faces > 0 ? tally.found : tally.false_positives)
                .push_back(*std::max_element(all.begin(), all.end()));
    }
    return tally;
}

std::vector<OperatingTally> tallies_of(const DetectionEvaluation& evaluation,
                                       const DetectionAnalysis& analysis) {
    std::vector<OperatingTally> tallies{whole_images(evaluation, analysis)};
    for (const SliceGroup& group : analysis.slices) {
        for (const Slice& slice : group.slices)
            tallies.push_back({slice.faces, group.of_images ? slice.images : 0, slice.found_scores,
                               slice.false_positive_scores});
    }
    for (std::size_t w = 0; w < std::min(analysis.worst_images.size(), max_worst_images); ++w) {
        const auto place =
            std::find_if(evaluation.image_outcomes.begin(), evaluation.image_outcomes.end(),
                         [&](const auto& o) { return o.sample == analysis.worst_images[w].sample; });
        const SeenImage image =
            seen(evaluation, analysis, static_cast<std::size_t>(place - evaluation.image_outcomes.begin()));
        tallies.push_back({image.faces, 1, image.found, image.false_positives});
    }
    return tallies;
}

/// Points of the curve, the detector's own among them.
std::vector<RocPoint> points_to_choose(const std::vector<RocPoint>& roc, double threshold) {
    std::vector<RocPoint> points = thin_roc(roc, max_operating_points);
    const auto is_kept = [&](const RocPoint& point) { return point.threshold >= threshold; };
    const auto own = std::partition_point(roc.begin(), roc.end(), is_kept);
    const auto next = std::partition_point(points.begin(), points.end(), is_kept);
    if (own != roc.begin() &&
        (next == points.begin() || std::prev(next)->threshold != std::prev(own)->threshold))
        points.insert(next, *std::prev(own));
    return points;
}

}  // namespace

std::size_t tally_of(const DetectionAnalysis& analysis, const Slice& slice) {
    std::size_t place = tally_of_images + 1;
    for (const SliceGroup& group : analysis.slices) {
        for (const Slice& one : group.slices) {
            if (&one == &slice) return place;
            ++place;
        }
    }
    return place;
}

std::size_t tally_of_worst(const DetectionAnalysis& analysis, std::size_t place) {
    for (const SliceGroup& group : analysis.slices) place += group.slices.size();
    return tally_of_images + 1 + place;
}

double threshold_of(const DetectionAnalysis& analysis) {
    return analysis.operating_point.threshold.value_or(std::numeric_limits<double>::infinity());
}

std::vector<OperatingCurve> operating_curves(const DetectorsCompared& of) {
    std::vector<OperatingCurve> curves;
    const std::vector<SeriesStyle> styles = series_styles(of.names);
    if (std::all_of(of.evaluations.begin(), of.evaluations.end(),
                    [](const auto& e) { return e.roc.empty(); }))
        return {};
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const DetectionEvaluation& e = of.evaluations[i];
        OperatingCurve curve{of.names[i], styles[i], e.faces, e.images,
                             of.analyses[i].operating_point.threshold};
        for (const RocPoint& point : points_to_choose(e.roc, threshold_of(of.analyses[i]))) {
            curve.thresholds.push_back(point.threshold);
            curve.true_positives.push_back(point.true_positives);
            curve.false_positives.push_back(point.false_positives);
        }
        curve.tallies = tallies_of(e, of.analyses[i]);
        curves.push_back(std::move(curve));
    }
    return curves;
}

Cell followed(Cell cell, std::size_t detector, std::size_t tally, TallyNumber number) {
    cell.follows = {detector, tally, number};
    return cell;
}

}  // namespace fovea::report
