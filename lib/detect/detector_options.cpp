#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {
namespace {

std::optional<OptionProblem> find_size_problem(const char* option, Size size) {
    if (size.width >= 0 && size.height >= 0) return std::nullopt;
    return OptionProblem{option, "a width and a height of at least 0 (0 = no limit), but is " +
                                     std::to_string(size.width) + "x" + std::to_string(size.height)};
}

}  // namespace

std::optional<OptionProblem> find_option_problem(const DetectorOptions& options) {
    // A factor this close to 1 would scan each pixel of size apart hundreds of times over. Not a number is
    // out of the range too.
    if (!(options.scale_factor >= 1.001 && options.scale_factor <= 1000)) {
        return OptionProblem{"scale_factor",
                             fmt::format("between 1.001 and 1000, but is {}", options.scale_factor)};
    }
    if (options.min_neighbors < 0) {
        return OptionProblem{"min_neighbors", "at least 0, but is " + std::to_string(options.min_neighbors)};
    }
    if (auto problem = find_size_problem("min_size", options.min_size)) return problem;
    return find_size_problem("max_size", options.max_size);
}

void check_options(const DetectorOptions& options) {
    if (const auto problem = find_option_problem(options)) {
        throw UsageError("the detector's option '" + problem->option + "' must be " + problem->expected);
    }
}

}  // namespace fovea
