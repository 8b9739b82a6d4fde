#include "lib/evaluate/protocols/coco_numbers.hpp"

#include <cstddef>

#include "lib/evaluate/statistics/numpy_sum.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

constexpr std::array<std::size_t, 12> area_of_number{0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3};

// Places of the thresholds 0.5 and 0.75 among the ten.
constexpr std::size_t at_50 = 0;
constexpr std::size_t at_75 = 5;

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
            return precision.subspan(at_50 * coco_recalls, coco_recalls);
        case 2:
            return precision.subspan(at_75 * coco_recalls, coco_recalls);
        case 6:
            return curves.recall_of_1;
        case 7:
            return curves.recall_of_10;
        default:
            return number < 6 ? precision : std::span<const double>(curves.recall[area]);
    }
}

}  // namespace

std::vector<Quantity> coco_quantities() {
    const std::string precision = "Mean precision (envelope) at the recalls 0, 0.01 ... 1";
    const std::string all_thresholds = ", mean over the IoU thresholds 0.5, 0.55 ... 0.95";
    const std::string recall = "Faces found / faces" + all_thresholds;
    const std::string small = ", faces below 32² pixels";
    const std::string medium = ", faces from 32² to 96² pixels";
    const std::string large = ", faces from 96² pixels";
    const std::string at_most_100 = "; at most 100 detections per image.";
    return {
        {"ap", "AP", precision + all_thresholds + at_most_100, Better::higher, Unit::number},
        {"ap_50", "AP50", precision + " at IoU 0.5" + at_most_100, Better::higher, Unit::number},
        {"ap_75", "AP75", precision + " at IoU 0.75" + at_most_100, Better::higher, Unit::number},
        {"ap_small", "AP small", precision + all_thresholds + small + at_most_100, Better::higher,
         Unit::number},
        {"ap_medium", "AP medium", precision + all_thresholds + medium + at_most_100, Better::higher,
         Unit::number},
        {"ap_large", "AP large", precision + all_thresholds + large + at_most_100, Better::higher,
         Unit::number},
        {"ar_1", "AR1", recall + "; the best detection of every image.", Better::higher, Unit::number},
        {"ar_10", "AR10", recall + "; at most 10 detections per image.", Better::higher, Unit::number},
        {"ar_100", "AR100", recall + at_most_100, Better::higher, Unit::number},
        {"ar_small", "AR small", recall + small + at_most_100, Better::higher, Unit::number},
        {"ar_medium", "AR medium", recall + medium + at_most_100, Better::higher, Unit::number},
        {"ar_large", "AR large", recall + large + at_most_100, Better::higher, Unit::number},
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

std::vector<Quantity> oks_quantities() {
    const std::string precision = "Mean precision (envelope) at the recalls 0, 0.01 ... 1";
    const std::string all_thresholds = ", mean over the OKS thresholds 0.5, 0.55 ... 0.95";
    const std::string recall = "Faces found / faces";
    const std::string medium = ", faces from 32² to 96² pixels";
    const std::string large = ", faces from 96² pixels";
    const std::string at_most_20 = "; at most 20 detections per image.";
    return {
        {"ap", "AP (OKS)", precision + all_thresholds + at_most_20, Better::higher, Unit::number},
        {"ap_50", "AP50 (OKS)", precision + " at OKS 0.5" + at_most_20, Better::higher, Unit::number},
        {"ap_75", "AP75 (OKS)", precision + " at OKS 0.75" + at_most_20, Better::higher, Unit::number},
        {"ap_medium", "AP medium", precision + all_thresholds + medium + at_most_20, Better::higher,
         Unit::number},
        {"ap_large", "AP large", precision + all_thresholds + large + at_most_20, Better::higher,
         Unit::number},
        {"ar", "AR (OKS)", recall + all_thresholds + at_most_20, Better::higher, Unit::number},
        {"ar_50", "AR50 (OKS)", recall + " at OKS 0.5" + at_most_20, Better::higher, Unit::number},
        {"ar_75", "AR75 (OKS)", recall + " at OKS 0.75" + at_most_20, Better::higher, Unit::number},
        {"ar_medium", "AR medium", recall + all_thresholds + medium + at_most_20, Better::higher,
         Unit::number},
        {"ar_large", "AR large", recall + all_thresholds + large + at_most_20, Better::higher, Unit::number},
    };
}

std::array<double, 10> oks_numbers(const CocoCurves& curves) {
    constexpr std::size_t all = 0;
    constexpr std::size_t medium = 2;
    constexpr std::size_t large = 3;
    const auto mean = [&](std::size_t area, std::span<const double> values) {
        return curves.faces[area] > 0 ? numpy_mean(values) : undefined;
    };
    const std::span<const double> precision(curves.precision[all]);
    const std::span<const double> recall(curves.recall[all]);
    return {mean(all, precision),
            mean(all, precision.subspan(at_50 * coco_recalls, coco_recalls)),
            mean(all, precision.subspan(at_75 * coco_recalls, coco_recalls)),
            mean(medium, curves.precision[medium]),
            mean(large, curves.precision[large]),
            mean(all, recall),
            mean(all, recall.subspan(at_50, 1)),
            mean(all, recall.subspan(at_75, 1)),
            mean(medium, curves.recall[medium]),
            mean(large, curves.recall[large])};
}

}  // namespace fovea
