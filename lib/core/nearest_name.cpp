#include "lib/core/nearest_name.hpp"

#include <algorithm>
#include <vector>

#include "lib/core/spelling.hpp"

namespace fovea {
namespace {

std::string folded(std::string_view name) {
    std::string text = lower_case(name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

// Optimal string alignment: as Levenshtein's distance, and a swap of neighbouring letters counts as one edit.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({replace, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view mistyped, std::span<const std::string> known) {
    const std::string text = folded(mistyped);
    std::optional<std::string> nearest;
    std::size_t least = std::max<std::size_t>(1, text.size() / 3) + 1;
    for (const std::string& name : known) {
        const std::size_t distance = edit_distance(text, folded(name));
        if (distance < least) {
            least = distance;
            nearest = name;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view mistyped, std::span<const std::string> known) {
    const std::optional<std::string> nearest = nearest_name(mistyped, known);
    return nearest ? " (did you mean '" + *nearest + "'?)" : std::string{};
}

}  // namespace fovea
