#include "lib/train/cascade/window_test.hpp"

#include <algorithm>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "lib/core/splitmix.hpp"
#include "lib/json/json.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"

namespace fovea {
namespace {

/// Other windows than those that any stage is trained on.
constexpr std::uint64_t test_salt = 0x7E57;

double ratio(std::size_t part, std::size_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                     : std::numeric_limits<double>::quiet_NaN();
}

std::size_t count_passing(const Cascade& cascade, std::span<const std::uint8_t> windows) {
    const std::vector<bool> passes = windows_that_pass(cascade, windows);
    return static_cast<std::size_t>(std::count(passes.begin(), passes.end(), true));
}

}  // namespace

double WindowTestResult::accuracy() const {
    return ratio(true_positives + true_negatives,
                 true_positives + false_positives + true_negatives + false_negatives);
}

double WindowTestResult::precision() const {
    return ratio(true_positives, true_positives + false_positives);
}

double WindowTestResult::recall() const {
    return ratio(true_positives, true_positives + false_negatives);
}

double WindowTestResult::f1() const {
    return ratio(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

std::string window_test_sentence(const WindowTestResult& result) {
    return fmt::format(
        "{} of {} positives and {} of {} other windows pass: precision {:.3f}, recall {:.3f}, F1 {:.3f}",
        result.true_positives, result.true_positives + result.false_negatives, result.false_positives,
        result.false_positives + result.true_negatives, result.precision(), result.recall(), result.f1());
}

Json window_test_to_json(const WindowTestResult& result) {
    return {{"true_positives", result.true_positives},
            {"false_positives", result.false_positives},
            {"true_negatives", result.true_negatives},
            {"false_negatives", result.false_negatives},
            {"accuracy", result.accuracy()},
            {"precision", result.precision()},
            {"recall", result.recall()},
            {"f1", result.f1()}};
}

WindowTestResult test_cascade(const Cascade& cascade, std::span<const std::uint8_t> positives,
                              std::span<const std::uint8_t> negatives) {
    const std::size_t bytes = pixels_of(cascade.window);
    WindowTestResult result;
    result.true_positives = count_passing(cascade, positives);
    result.false_negatives = positives.size() / bytes - result.true_positives;
    result.false_positives = count_passing(cascade, negatives);
    result.true_negatives = negatives.size() / bytes - result.false_positives;
    return result;
}

std::vector<std::uint8_t> test_negatives(const CascadeTrainConfig& config,
                                         const std::vector<BackgroundImage>& backgrounds,
                                         std::size_t positives) {
    WindowMiningSettings mining;
    mining.count = config.test.negatives > 0 ? config.test.negatives : positives;
    mining.scale_factor = config.scale_factor;
    mining.max_object_iou = config.max_object_iou;
    mining.seed = mixed(config.seed ^ mixed(test_salt));
    return mine_windows(nullptr, config.window(), false, backgrounds, mining).pixels;
}

}  // namespace fovea
