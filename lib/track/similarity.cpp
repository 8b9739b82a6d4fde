#include "lib/track/similarity.hpp"

#include <algorithm>
#include <cmath>

#include "lib/track/median.hpp"

namespace fovea {
namespace {

Point mean_of(std::span<const Point> points) {
    Point sum;
    for (const Point& point : points) {
        sum.x += point.x;
        sum.y += point.y;
    }
    const auto count = static_cast<double>(points.size());
    return {sum.x / count, sum.y / count};
}

}  // namespace

double Similarity::scale() const {
    return std::sqrt(cosine * cosine + sine * sine);
}

Point Similarity::operator()(const Point& point) const {
    const double x = point.x - from.x;
    const double y = point.y - from.y;
    return {to.x + (cosine * x - sine * y), to.y + (sine * x + cosine * y)};
}

std::optional<Similarity> fit_similarity(std::span<const Point> first, std::span<const Point> second) {
    if (first.empty()) return std::nullopt;
    Similarity similarity{mean_of(first), mean_of(second)};
    double along = 0, across = 0, spread = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const Point a{first[i].x - similarity.from.x, first[i].y - similarity.from.y};
        const Point b{second[i].x - similarity.to.x, second[i].y - similarity.to.y};
        along += a.x * b.x + a.y * b.y;
        across += a.x * b.y - a.y * b.x;
        spread += a.x * a.x + a.y * a.y;
    }
    if (!(spread > 0)) return std::nullopt;
    similarity.cosine = along / spread;
    similarity.sine = across / spread;
    return similarity;
}

std::optional<VotedSimilarity> fit_voted_similarity(std::span<const Point> first,
                                                    std::span<const Point> second, double max_ratio,
                                                    double min_distance) {
    const std::optional<Similarity> all = fit_similarity(first, second);
    if (!all) return std::nullopt;
    std::vector<double> distances(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        const Point expected = (*all)(first[i]);
        const double x = second[i].x - expected.x;
        const double y = second[i].y - expected.y;
        distances[i] = std::sqrt(x * x + y * y);
    }
    const double max_distance = std::max(max_ratio * upper_median(distances), min_distance);
    std::vector<Point> voters, images;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (distances[i] > max_distance) continue;
        voters.push_back(first[i]);
        images.push_back(second[i]);
    }
    const std::optional<Similarity> voted = fit_similarity(voters, images);
    if (!voted) return std::nullopt;
    return VotedSimilarity{*voted, voters.size()};
}

Box moved_box(const Box& box, const Similarity& similarity) {
    const double scale = similarity.scale();
    const Point centre = box.centre();
    const Point moved{similarity.to.x + scale * (centre.x - similarity.from.x),
                      similarity.to.y + scale * (centre.y - similarity.from.y)};
    const double width = scale * box.w;
    const double height = scale * box.h;
    return {moved.x - width / 2, moved.y - height / 2, width, height};
}

}  // namespace fovea
