#include "tests/support/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace fovea::test {
namespace {

Components embedding(std::size_t length, std::mt19937& generator) {
    std::normal_distribution<double> normal;
    std::vector<double> values(length);
    double squares = 0;
    for (double& value : values) {
        value = normal(generator);
        squares += value * value;
    }
    Components components;
    for (const double value : values) {
        components.push_back(static_cast<std::int16_t>(std::lround(32767 * value / std::sqrt(squares))));
    }
    return components;
}

}  // namespace

Components random_vectors(std::size_t length, std::size_t count, VectorKind kind, unsigned seed) {
    std::mt19937 generator(seed);
    const auto between = [&](int low, int high) {
        return static_cast<std::int16_t>(std::uniform_int_distribution<int>(low, high)(generator));
    };
    Components all;
    for (std::size_t i = 0; i < count; ++i) {
        Components vector(length);
        switch (kind) {
            case VectorKind::any:
                for (auto& component : vector) component = between(-32767, 32767);
                break;
            case VectorKind::embeddings:
                vector = embedding(length, generator);
                break;
            case VectorKind::few: {
                std::mt19937 again(static_cast<unsigned>(between(0, 6)));
                if (again() % 3 != 0) vector = embedding(length, again);
                break;
            }
            case VectorKind::extreme:
                for (auto& component : vector) {
                    component = static_cast<std::int16_t>(between(0, 1) == 0 ? 32767 : -32767);
                }
                break;
            case VectorKind::small:
                for (auto& component : vector) component = between(-1, 1);
                break;
        }
        all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
}

std::vector<double> plain_distances(VectorDistance distance, std::size_t length, const Components& vectors,
                                    const Components& queries) {
    std::vector<double> distances;
    for (std::size_t q = 0; q < queries.size(); q += length) {
        for (std::size_t v = 0; v < vectors.size(); v += length) {
            double differences = 0, dot = 0, first = 0, second = 0;
            for (std::size_t i = 0; i < length; ++i) {
                const double a = queries[q + i], b = vectors[v + i];
                differences += (a - b) * (a - b);
                dot += a * b;
                first += a * a;
                second += b * b;
            }
            if (distance == VectorDistance::euclidean) {
                distances.push_back(std::sqrt(differences) / 32767);
            } else if (first == 0 || second == 0) {
                distances.push_back(1);
            } else {
                distances.push_back(std::max(0.0, 1 - dot / (std::sqrt(first) * std::sqrt(second))));
            }
        }
    }
    return distances;
}

std::vector<Neighbour> plain_nearest(const std::vector<double>& distances, std::size_t queries, std::size_t k,
                                     bool leave_out_own) {
    const std::size_t size = queries == 0 ? 0 : distances.size() / queries;
    std::vector<Neighbour> result;
    for (std::size_t q = 0; q < queries; ++q) {
        std::vector<std::pair<double, std::uint32_t>> all;
        for (std::size_t i = 0; i < size; ++i) {
            if (leave_out_own && i == q) continue;
            all.emplace_back(distances[q * size + i], static_cast<std::uint32_t>(i));
        }
        const std::size_t wanted = std::min(k, all.size());
        std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end());
        for (std::size_t i = 0; i < wanted; ++i) result.push_back({all[i].first, all[i].second});
    }
    return result;
}

}  // namespace fovea::test
