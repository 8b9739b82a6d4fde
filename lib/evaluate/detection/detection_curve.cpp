#include "lib/evaluate/detection/detection_curve.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

std::vector<Quantity> make_quantities(const std::vector<int>& false_positive_points,
                                      const std::vector<int>& band_points) {
    std::vector<Quantity> list = shared_quantities();
    for (const int point : false_positive_points) list.push_back(rate_quantity(point));
    for (const int point : band_points) {
        list.push_back({"roc_band_" + std::to_string(point), "ROC band", "", Better::higher, Unit::share});
    }
    for (const int point : band_points) {
        list.push_back(
            {"continuous_band_" + std::to_string(point), "Continuous band", "", Better::higher, Unit::share});
    }
    for (int i = 1; i <= DetectionCurve::recall_points; ++i) {
        list.push_back(
            {"precision_band_" + std::to_string(i), "Precision band", "", Better::higher, Unit::share});
    }
    return list;
}

}  // namespace

const std::vector<Quantity>& shared_quantities() {
    static const std::vector<Quantity> list{
        {"detection_rate", "Detection rate", "Faces found / faces, with every detection kept.",
         Better::higher, Unit::share, 0, true},
        {"precision", "Precision", "True positives / (true + false positives), with every detection kept.",
         Better::higher, Unit::share},
        {"f1", "F1", "Harmonic mean of precision and recall, with every detection kept.", Better::higher,
         Unit::number, 0, true},
        {"false_positives_per_image", "FP per image", "False positives / images, with every detection kept.",
         Better::lower, Unit::number},
        {"mean_iou", "Mean IoU", "Mean IoU of the faces found with their detections.", Better::higher,
         Unit::number},
        {"continuous_rate", "Summed IoU / faces",
         "Sum of the IoU of faces and the detections paired with them / faces.", Better::higher, Unit::share},
        {"best_f1", "Best F1", "Largest F1 over all thresholds.", Better::higher, Unit::number},
        {"average_precision", "Average precision", "Area under the monotone precision envelope over recall.",
         Better::higher, Unit::number, 0, true}};
    return list;
}

Quantity rate_quantity(int false_positives) {
    const std::string n = std::to_string(false_positives);
    return {"rate_at_" + n + "_fp",
            "Rate at " + n + " FP",
            "Largest detection rate at any threshold with at most " + n + " false positives in all images.",
            Better::higher,
            Unit::share,
            0,
            true};
}

void CurveSteps::add(const Gain& gain, bool ends_score) {
    if (gain.true_positives == 0 && gain.false_positives == 1 && gain.iou == 0) {
        false_positives_.push_back(gain.image);
    } else if (gain.true_positives != 0 || gain.false_positives != 0 || gain.iou != 0) {
        gains_.push_back(gain);
    }
    const std::size_t settled = places_.empty() ? 0 : places_.back().gains_end;
    if (ends_score && gains_.size() > settled) places_.push_back({false_positives_.size(), gains_.size()});
}

DetectionCurve::DetectionCurve(CurveSteps steps, std::vector<CurveImage> images,
                               std::vector<int> false_positive_points, std::vector<int> band_points)
    : steps_(std::move(steps)),
      images_(std::move(images)),
      false_positive_points_(std::move(false_positive_points)),
      band_points_(std::move(band_points)),
      quantities_(make_quantities(false_positive_points_, band_points_)) {
    double faces = 0;
    double judged = 0;
    for (const CurveImage& image : images_) {
        faces += image.faces;
        judged += static_cast<double>(image.true_positives) + image.false_positives;
    }
    quantities_[0].trials = faces;
    quantities_[1].trials = judged;
    for (std::size_t i = first_point(); i < first_continuous(); ++i) quantities_[i].trials = faces;
    count_crowds();
}

void DetectionCurve::count_crowds() {
    // An image's count is added some eight times as fast as a detection, and takes half as much memory.
    const std::size_t many = std::max<std::size_t>(64, images_.size() / 2);
    std::vector<std::size_t> firsts, ends;  // of the crowds: in false_positives_, and one behind the other
    std::size_t first = 0;
    for (std::size_t place = 0; place < steps_.places_.size(); ++place) {
        const std::size_t end = steps_.places_[place].false_positives_end;
        if (end - first >= many) {
            crowded_.push_back(place);
            firsts.push_back(first);
            ends.push_back((ends.empty() ? 0 : ends.back()) + end - first);
        }
        first = end;
    }
    std::size_t crowd = 0;
    const auto image_of = [&](std::size_t element) {
        while (element >= ends[crowd]) ++crowd;
        return steps_.false_positives_[firsts[crowd] + element - (crowd == 0 ? 0 : ends[crowd - 1])];
    };
    crowds_ = SegmentCounts::make(image_of, ends, images_.size());
}

template <class Found>
void DetectionCurve::rates_at(const std::vector<Point>& curve, const std::vector<int>& allowed, double faces,
                              Found Point::*found, std::span<double> rates) {
    if (allowed.empty()) return;
    // The most faces found by any threshold with at most that many false positives. The points are sorted
    // into the smallest number that allows them; what a smaller one finds, a larger one finds, too.
    std::vector<std::pair<int, std::size_t>> order;
    for (std::size_t i = 0; i < allowed.size(); ++i) order.emplace_back(allowed[i], i);
    std::sort(order.begin(), order.end());
    std::vector<Found> most(allowed.size(), 0);
    std::size_t place = 0;
    for (const Point& point : curve) {
        while (place > 0 && point.false_positives <= order[place - 1].first) --place;
        while (place < order.size() && point.false_positives > order[place].first) ++place;
        if (place < order.size()) most[place] = std::max(most[place], point.*found);
    }
    Found best = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        best = std::max(best, most[i]);
        rates[order[i].second] = defined_rate(best, faces);
    }
}

void DetectionCurve::evaluate(Weights weights, std::span<double> values) const {
    double image_count = 0;
    double faces = 0;
    double iou_sum = 0;
    double continuous_sum = 0;
    std::int64_t found = 0;
    std::int64_t false_alarms = 0;
    for (std::size_t i = 0; i < images_.size(); ++i) {
        image_count += weights[i];
        faces += weights[i] * images_[i].faces;
        iou_sum += weights[i] * images_[i].iou_sum;
        continuous_sum += weights[i] * images_[i].continuous_sum;
        found += weights[i] * images_[i].true_positives;
        false_alarms += weights[i] * images_[i].false_positives;
    }
    thread_local std::vector<Point> curve;
    curve.clear();
    thread_local std::vector<std::int64_t> crowds;
    crowds.assign(crowded_.size(), 0);
    auto crowded = crowded_.begin();
    if (!crowds_ || !crowds_->add_up(weights, crowds)) crowded = crowded_.end();
    Point point;
    std::size_t alarm = 0;
    std::size_t next = 0;
    for (std::size_t p = 0; p < steps_.places_.size(); ++p) {
        const CurveSteps::Place& place = steps_.places_[p];
        std::int32_t alarms = 0;
        if (crowded != crowded_.end() && *crowded == p) {
            alarms = static_cast<std::int32_t>(crowds[static_cast<std::size_t>(crowded - crowded_.begin())]);
            alarm = place.false_positives_end;
            ++crowded;
        }
        for (; alarm < place.false_positives_end; ++alarm) alarms += weights[steps_.false_positives_[alarm]];
        point.false_positives += alarms;
        for (; next < place.gains_end; ++next) {
            const CurveSteps::Gain& gain = steps_.gains_[next];
            const std::int32_t weight = weights[gain.image];
            point.true_positives += weight * gain.true_positives;
            point.false_positives += weight * gain.false_positives;
            point.iou += weight * gain.iou;
        }
        curve.push_back(point);
    }

    double best_f1 = 0;
    for (const Point& at : curve) {
        const double f1 = 2.0 * at.true_positives / (at.true_positives + at.false_positives + faces);
        best_f1 = std::max(best_f1, f1);
    }
    // From the lowest threshold up, where the precision's envelope is a running maximum.
    const std::span<double> precisions = values.subspan(first_recall(), recall_points);
    std::fill(precisions.begin(), precisions.end(), 0.0);
    double envelope = 0;
    double area = 0;
    int recall_left = recall_points;
    for (std::size_t i = curve.size(); i-- > 0;) {
        const double judged = static_cast<double>(curve[i].true_positives) + curve[i].false_positives;
        const std::int32_t before = i > 0 ? curve[i - 1].true_positives : 0;
        if (judged > 0) envelope = std::max(envelope, curve[i].true_positives / judged);
        area += envelope * (curve[i].true_positives - before);
        // Recalls beyond what this threshold reaches are those of lower thresholds, which are behind us.
        while (recall_left > 0 &&
               recall_left * faces > static_cast<double>(curve[i].true_positives) * recall_points) {
            --recall_left;
        }
        for (int k = recall_left; k > 0 && k * faces > static_cast<double>(before) * recall_points; --k) {
            precisions[static_cast<std::size_t>(k - 1)] = envelope;
        }
    }

    const double judged = static_cast<double>(found + false_alarms);
    const auto tp = static_cast<double>(found);
    values[0] = defined_rate(tp, faces);
    values[1] = defined_rate(tp, judged);
    values[2] = defined_rate(2 * tp, judged + faces);
    values[3] = defined_rate(static_cast<double>(false_alarms), image_count);
    values[4] = defined_rate(iou_sum, tp);
    values[5] = defined_rate(continuous_sum, faces);
    values[6] = faces > 0 ? best_f1 : undefined;
    values[7] = defined_rate(area, faces);
    rates_at(curve, false_positive_points_, faces, &Point::true_positives, values.subspan(first_point()));
    rates_at(curve, band_points_, faces, &Point::true_positives, values.subspan(first_band()));
    rates_at(curve, band_points_, faces, &Point::iou, values.subspan(first_continuous()));
    if (faces <= 0) std::fill(precisions.begin(), precisions.end(), undefined);
}

std::vector<int> band_points(int most) {
    constexpr int linear = 20;  // 0 ... 20, then 40 in equal ratios
    std::vector<int> points;
    for (int i = 0; i <= std::min(most, linear); ++i) points.push_back(i);
    for (int i = 1; most > linear && i < 40; ++i) {
        const int point =
            static_cast<int>(std::lround(linear * std::pow(static_cast<double>(most) / linear, i / 39.0)));
        if (point > points.back()) points.push_back(point);
    }
    return points;
}

}  // namespace fovea
