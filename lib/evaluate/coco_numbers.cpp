#include "lib/evaluate/coco_numbers.hpp"

#include <cstddef>
#include <limits>
#include <numeric>

namespace fovea {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::size_t, 12> area_of_number{0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3};

// numpy's sum of contiguous doubles, which a mean is made of: eight running sums up to 128 numbers, halves of a
// multiple of eight beyond.
double numpy_sum(std::span<const double> values) {
    if (values.size() < 8) return std::accumulate(values.begin(), values.end(), 0.0);
    if (values.size() > 128) {
        const std::size_t half = values.size() / 2 / 8 * 8;
        return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
    }
    std::array<double, 8> sums{};
    const std::size_t whole = values.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; ++i) sums[i % 8] += values[i];
    const double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), sum);
}

double numpy_mean(std::span<const double> values) {
    return numpy_sum(values) / static_cast<double>(values.size());
}

/// The mean over places of all categories; those of one place stand side by side, as in pycocotools' arrays.
double mean_over(std::span<const std::span<const double>> categories) {
    if (categories.empty()) return undefined;
    if (categories.size() == 1) return numpy_mean(categories[0]);
    std::vector<double> values;
    values.reserve(categories.size() * categories[0].size());
    for (std::size_t place = 0; place < categories[0].size(); ++place) {
        for (const std::span<const double> category : categories) values.push_back(category[place]);
    }
    return numpy_mean(values);
}

/// The values of one category that a number is the mean of.
std::span<const double> values_of(const CocoCurves& curves, std::size_t number) {
    const std::size_t area = area_of_number[number];
    const std::span<const double> precision(curves.precision[area]);
    switch (number) {
        case 1:
            return precision.subspan(0, coco_recalls);
        case 2:
            return precision.subspan(5 * coco_recalls, coco_recalls);
        case 6:
            return curves.recall_of_1;
        case 7:
            return curves.recall_of_10;
        default:
            return number < 6 ? precision : std::span<const double>(curves.recall[area]);
    }
}

}  // namespace

std::vector<Statistic> coco_statistics() {
    const std::string precision = "Mean precision (envelope) at the recalls 0, 0.01 ... 1";
    const std::string all_thresholds = ", mean over the IoU thresholds 0.5, 0.55 ... 0.95";
    const std::string recall = "Faces found / faces" + all_thresholds;
    const std::string small = ", faces below 32² pixels";
    const std::string medium = ", faces from 32² to 96² pixels";
    const std::string large = ", faces from 96² pixels";
    const std::string at_most_100 = "; at most 100 detections an image.";
    return {
        {"ap", "AP", precision + all_thresholds + at_most_100, true, false},
        {"ap_50", "AP50", precision + " at IoU 0.5" + at_most_100, true, false},
        {"ap_75", "AP75", precision + " at IoU 0.75" + at_most_100, true, false},
        {"ap_small", "AP small", precision + all_thresholds + small + at_most_100, true, false},
        {"ap_medium", "AP medium", precision + all_thresholds + medium + at_most_100, true, false},
        {"ap_large", "AP large", precision + all_thresholds + large + at_most_100, true, false},
        {"ar_1", "AR1", recall + "; the best detection of every image.", true, false},
        {"ar_10", "AR10", recall + "; at most 10 detections an image.", true, false},
        {"ar_100", "AR100", recall + at_most_100, true, false},
        {"ar_small", "AR small", recall + small + at_most_100, true, false},
        {"ar_medium", "AR medium", recall + medium + at_most_100, true, false},
        {"ar_large", "AR large", recall + large + at_most_100, true, false},
    };
}

std::array<double, 12> coco_numbers(std::span<const CocoCurves* const> categories) {
    std::array<double, 12> numbers{};
    std::vector<std::span<const double>> defined;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        defined.clear();
        for (const CocoCurves* curves : categories) {
            if (curves->faces[area_of_number[i]] > 0) defined.push_back(values_of(*curves, i));
        }
        numbers[i] = mean_over(defined);
    }
    return numbers;
}

}  // namespace fovea
