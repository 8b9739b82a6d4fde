#include "lib/train/mct/validation.hpp"

#include <algorithm>
#include <map>

#include "lib/evaluate/detection/match.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

struct Hits {
    int hits = 0;
    int false_positives = 0;
};

}  // namespace

double ValidationCurve::rate_at(int false_positives) const {
    int found = 0;
    for (const ValidationPoint& point : points) {
        if (point.false_positives <= false_positives) found = std::max(found, point.true_positives);
    }
    return faces > 0 ? static_cast<double>(found) / faces : 0;
}

ValidationCurve validate_model(const MctDetector& detector, const std::vector<ValidationImage>& images,
                               const CountProgress& progress) {
    DetectorOptions options;
    options.scale_factor = 1.1;
    options.score = ScoreKind::stage_sum;
    DetectionEvaluationOptions rule;
    rule.protocol = DetectionProtocol::mit_cmu;
    ValidationCurve curve;
    std::map<double, Hits, std::greater<>> by_score;
    constexpr std::size_t batch = 32;
    for (std::size_t first = 0; first < images.size(); first += batch) {
        const std::size_t end = std::min(first + batch, images.size());
        std::vector<ImageView<const std::uint8_t>> views;
        for (std::size_t i = first; i < end; ++i) views.push_back(images[i].image.view());
        const auto found = detector.detect(views, options);
        for (std::size_t i = first; i < end; ++i) {
            const auto& faces = images[i].faces;
            ++(faces.empty() ? curve.backgrounds : curve.images);
            curve.faces += static_cast<int>(faces.size());
            std::vector<char> taken(faces.size(), 0);
            for (const Detection& detection : found[i - first]) {
                if (faces.empty()) {
                    ++by_score[detection.score].false_positives;
                    continue;
                }
                for (std::size_t f = 0; f < faces.size(); ++f) {
                    if (taken[f] != 0 || !is_hit(faces[f], detection.box, rule)) continue;
                    taken[f] = 1;
                    ++by_score[detection.score].hits;
                    break;
                }
            }
        }
        if (progress) progress(end, images.size());
    }
    int hits = 0;
    int false_positives = 0;
    for (const auto& [score, here] : by_score) {
        hits += here.hits;
        false_positives += here.false_positives;
        curve.points.push_back({score, hits, false_positives});
    }
    return curve;
}

std::vector<ConfidenceKnot> calibrate(const ValidationCurve& curve) {
    struct Range {
        double margin = 0;  // sum of scores, while it is filled
        double hits = 0;
        double misses = 0;
        double odds() const { return (hits + 0.5) / (misses + 0.5); }
        double count() const { return hits + misses; }
        double mean() const { return margin / count(); }
    };
    if (curve.points.empty()) return {{1, 1}};
    const double all = curve.points.back().true_positives + curve.points.back().false_positives;
    const double size = std::max(all / 12, 1.0);
    std::vector<Range> ranges;
    int hits = curve.points.back().true_positives;
    int misses = curve.points.back().false_positives;
    for (std::size_t i = curve.points.size(); i-- > 0;) {
        const int hits_above = i > 0 ? curve.points[i - 1].true_positives : 0;
        const int misses_above = i > 0 ? curve.points[i - 1].false_positives : 0;
        if (ranges.empty() || ranges.back().count() >= size) ranges.emplace_back();
        Range& range = ranges.back();
        range.hits += hits - hits_above;
        range.misses += misses - misses_above;
        range.margin += curve.points[i].threshold * (hits - hits_above + misses - misses_above);
        hits = hits_above;
        misses = misses_above;
        while (ranges.size() > 1 && ranges.back().count() >= size &&
               ranges.back().odds() <= ranges[ranges.size() - 2].odds()) {
            Range& below = ranges[ranges.size() - 2];
            below.hits += ranges.back().hits;
            below.misses += ranges.back().misses;
            below.margin += ranges.back().margin;
            ranges.pop_back();
        }
    }
    std::vector<ConfidenceKnot> knots;
    for (const Range& range : ranges) {
        if (range.mean() <= 0) continue;
        if (!knots.empty() && (range.mean() <= knots.back().margin || range.odds() <= knots.back().odds))
            continue;
        knots.push_back({range.mean(), range.odds()});
    }
    if (knots.empty()) knots.push_back({1, 1});
    return knots;
}

Json validation_to_json(const ValidationCurve& curve) {
    Json json{{"faces", curve.faces}, {"portraits", curve.images}, {"backgrounds", curve.backgrounds}};
    Json rates = Json::array();
    for (const int count : {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
        rates.push_back({{"false_positives", count}, {"detection_rate", curve.rate_at(count)}});
    }
    json["rates"] = rates;
    return json;
}

}  // namespace fovea
