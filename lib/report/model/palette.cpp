#include "lib/report/model/palette.hpp"

#include <algorithm>
#include <array>

#include "lib/evaluate/detection/box_calibration.hpp"

namespace fovea::report {
namespace {

const std::array<std::string, colours_of_series> series{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#e69f00", "#56b4e9", "#6b7280", "#5606e2",
                                                        "#7d007d", "#5f5b0a", "#521b00", "#274540"};
const std::array<std::vector<int>, 5> dashes{{{}, {8, 3}, {3, 3}, {10, 3, 2, 3}, {14, 4}}};

}  // namespace

std::string series_colour(std::size_t i) {
    return series[i % series.size()];
}

const std::vector<int>& series_dashes(std::size_t i) {
    return dashes[i % dashes.size()];
}

std::vector<SeriesStyle> series_styles(const std::vector<std::string>& names) {
    const std::vector<int> calibrated_dashes{7, 4};
    std::vector<SeriesStyle> styles;
    std::size_t colours = 0;
    bool any_calibrated = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto end = names.begin() + static_cast<std::ptrdiff_t>(i);
        const auto raw = std::find_if(
            names.begin(), end, [&](const std::string& name) { return names[i] == calibrated_name(name); });
        if (raw == end) {
            styles.push_back({colours, series_dashes(colours), false});
            ++colours;
            continue;
        }
        any_calibrated = true;
        styles.push_back(
            {styles[static_cast<std::size_t>(raw - names.begin())].colour, calibrated_dashes, true});
    }
    for (SeriesStyle& style : styles) {
        if (any_calibrated && !style.is_calibrated) style.dashes.clear();
    }
    return styles;
}

}  // namespace fovea::report
