#include "lib/evaluate/detection/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {

double f1_score(int true_positives, int false_positives, int faces) {
    return rate_of(2.0 * true_positives, static_cast<double>(true_positives) + false_positives + faces);
}

double average_precision(std::span<const RocPoint> roc, int faces) {
    double area = 0;  // in units of one face
    double envelope = 0;
    for (std::size_t i = roc.size(); i-- > 0;) {
        envelope = std::max(envelope, roc[i].precision);
        area += envelope * (roc[i].true_positives - (i > 0 ? roc[i - 1].true_positives : 0));
    }
    return rate_of(area, faces);
}

RateAtFalsePositives rate_at_false_positives(std::span<const RocPoint> roc, int false_positives) {
    RateAtFalsePositives best;
    best.false_positives = false_positives;
    int most = -1;
    for (const RocPoint& point : roc) {
        if (point.false_positives > false_positives || point.true_positives <= most) continue;
        most = point.true_positives;
        best.detection_rate = point.detection_rate;
        best.threshold = point.threshold;
    }
    return best;
}

std::vector<int> iou_histogram(std::span<const double> values) {
    std::vector<int> counts(20, 0);
    for (const double value : values) {
        // 20 * value is exact enough: it rounds k * 0.05 as written to k.
        const double bin = std::clamp(20 * value, 0.0, 19.0);
        ++counts[static_cast<std::size_t>(bin)];
    }
    return counts;
}

std::vector<double> face_count_edges(double largest) {
    std::vector<double> edges{1, 2};
    for (double step = 1; edges.back() <= largest; step *= 2) edges.push_back(edges.back() + step);
    return edges;
}

std::vector<double> face_width_edges(double largest) {
    std::vector<double> edges{0, 16};
    while (edges.back() <= largest) edges.push_back(2 * edges.back());
    return edges;
}

std::vector<RocPoint> thin_roc(std::span<const RocPoint> roc, std::size_t most) {
    if (roc.size() <= most) return {roc.begin(), roc.end()};
    std::vector<RocPoint> corners;
    for (std::size_t i = 0; i < roc.size(); ++i) {
        const bool rises = i == 0 || roc[i].true_positives > roc[i - 1].true_positives;
        const bool before_rise = i + 1 == roc.size() || roc[i + 1].true_positives > roc[i].true_positives;
        if (rises || before_rise) corners.push_back(roc[i]);
    }
    if (corners.size() <= most) return corners;
    std::vector<RocPoint> even;
    if (most == 1) return {corners.back()};
    for (std::size_t i = 0; i < most; ++i) even.push_back(corners[i * (corners.size() - 1) / (most - 1)]);
    return even;
}

}  // namespace fovea
