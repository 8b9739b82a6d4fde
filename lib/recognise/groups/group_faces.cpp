#include "lib/recognise/groups/group_faces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "kernels/vector_search/vector_search.hpp"

namespace fovea {
namespace {

/// Pairs of lone faces beyond this multiple of the options' distance are never looked at.
constexpr double farthest = 1.4;

/// The share of the logarithm in the criterion.
constexpr double log_weight = 0.75;

/// Two groups that may be joined, as they were when they were compared.
struct GroupPair {
    /// Ward's distance less the largest one at which they are joined.
    double excess = 0;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    /// The faces of both together: it tells whether one of them has grown.
    std::uint32_t faces = 0;
};

/// The pair to be joined first is the last one. Equal pairs go by their numbers, so that the order is one.
struct GoesLater {
    bool operator()(const GroupPair& a, const GroupPair& b) const {
        if (a.excess != b.excess) return a.excess > b.excess;
        return a.first != b.first ? a.first > b.first : a.second > b.second;
    }
};

/// The groups while they are joined. A group's number is that of its first face.
class Groups {
  public:
    Groups(std::span<const std::int16_t> vectors, std::size_t length, VectorDistance distance, double join)
        : length_(length),
          join_(join * join / 2),
          parents_(vectors.size() / length),
          faces_(parents_.size(), 1),
          sums_(vectors.size()) {
        std::iota(parents_.begin(), parents_.end(), 0U);
        for (std::size_t face = 0; face < parents_.size(); ++face) {
            const std::int16_t* const from = vectors.data() + face * length;
            double scale = max_vector_component;
            if (distance == VectorDistance::cosine) {
                const std::int64_t squares = std::accumulate(
                    from, from + length, std::int64_t{0},
                    [](std::int64_t sum, std::int64_t component) { return sum + component * component; });
                scale = squares > 0 ? std::sqrt(static_cast<double>(squares)) : 1;
            }
            std::transform(from, from + length, sums_.begin() + static_cast<std::ptrdiff_t>(face * length),
                           [scale](double component) { return component / scale; });
        }
    }

    std::uint32_t group_of(std::uint32_t face) {
        while (parents_[face] != face) face = parents_[face] = parents_[parents_[face]];
        return face;
    }

    GroupPair compare(std::uint32_t first, std::uint32_t second) const {
        if (first > second) std::swap(first, second);
        const double n = faces_[first], m = faces_[second];
        const double* const a = sums_.data() + first * length_;
        const double* const b = sums_.data() + second * length_;
        double squares = 0;
        for (std::size_t i = 0; i < length_; ++i) {
            const double difference = a[i] / n - b[i] / m;
            squares += difference * difference;
        }
        const double h = n * m / (n + m);
        return {h * squares - join_ * (1 + log_weight * std::log(2 * h)), first, second,
                faces_[first] + faces_[second]};
    }

    /// \param first < second
    void join(std::uint32_t first, std::uint32_t second) {
        parents_[second] = first;
        faces_[first] += faces_[second];
        double* const sum = sums_.data() + first * length_;
        std::transform(sum, sum + length_, sums_.data() + second * length_, sum, std::plus<>());
    }

  private:
    std::size_t length_;
    double join_;
    std::vector<std::uint32_t> parents_;
    std::vector<std::uint32_t> faces_;
    std::vector<double> sums_;  // of the vectors of each group
};

/// The pairs of neighbours that may be joined, each once.
std::vector<GroupPair> neighbour_pairs(const Device& device, std::span<const std::int16_t> vectors,
                                       std::size_t length, VectorDistance distance,
                                       const GroupingOptions& options, const Groups& groups) {
    const std::size_t count = vectors.size() / length;
    VectorGallery gallery(device, length, distance);
    gallery.add(vectors.data(), count);
    const std::size_t k = std::min(options.neighbours, count - 1);
    if (k == 0) return {};
    const std::vector<Neighbour> neighbours = gallery.neighbours(k);
    const double limit = distance == VectorDistance::cosine ? farthest * farthest * options.distance
                                                            : farthest * options.distance;
    const auto nearest = [&](std::size_t face) { return std::span(neighbours).subspan(face * k, k); };
    std::vector<GroupPair> pairs;
    for (std::size_t face = 0; face < count; ++face) {
        for (const Neighbour& other : nearest(face)) {
            if (other.distance > limit) break;
            if (other.index < face) {
                const auto theirs = nearest(other.index);
                const bool is_there = std::any_of(theirs.begin(), theirs.end(), [&](const Neighbour& one) {
                    return one.index == face && one.distance <= limit;
                });
                if (is_there) continue;
            }
            pairs.push_back(groups.compare(static_cast<std::uint32_t>(face), other.index));
        }
    }
    return pairs;
}

}  // namespace

std::vector<std::uint32_t> group_faces(const Device& device, std::span<const std::int16_t> vectors,
                                       std::size_t length, VectorDistance distance,
                                       const GroupingOptions& options) {
    if (!(options.distance > 0) || !std::isfinite(options.distance))
        throw std::invalid_argument("the distance of faces that are joined must be above 0");
    if (options.neighbours == 0) throw std::invalid_argument("faces without neighbours form no groups");
    if (length == 0 || vectors.size() % length != 0)
        throw std::invalid_argument("the components are no whole number of vectors");
    if (vectors.empty()) return {};
    const double join =
        distance == VectorDistance::cosine ? std::sqrt(2 * options.distance) : options.distance;
    Groups groups(vectors, length, distance, join);
    std::priority_queue<GroupPair, std::vector<GroupPair>, GoesLater> waiting(
        GoesLater(), neighbour_pairs(device, vectors, length, distance, options, groups));
    while (!waiting.empty()) {
        const GroupPair pair = waiting.top();
        waiting.pop();
        const std::uint32_t first = groups.group_of(pair.first), second = groups.group_of(pair.second);
        if (first == second) continue;
        const GroupPair now = groups.compare(first, second);
        // A pair that is not joined now waits for none: others bring its groups together as they grow.
        if (now.excess > 0) continue;
        if (now.faces != pair.faces) {
            waiting.push(now);
        } else {
            groups.join(now.first, now.second);
        }
    }

    std::vector<std::uint32_t> numbers(vectors.size() / length);
    std::uint32_t next = 0;
    for (std::uint32_t face = 0; face < numbers.size(); ++face) {
        const std::uint32_t group = groups.group_of(face);
        numbers[face] = group == face ? next++ : numbers[group];
    }
    return numbers;
}

}  // namespace fovea
