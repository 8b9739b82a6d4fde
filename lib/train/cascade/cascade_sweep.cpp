#include "lib/train/cascade/cascade_sweep.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/train/cascade/cascade_config.hpp"

namespace fovea {
namespace {

constexpr const char* stages_field = "stages";
constexpr std::array fields{"max_false_alarm", "min_hit_rate", stages_field};
constexpr std::size_t max_decimals = 9;

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
    throw UsageError(fmt::format(
        "the sweep '{}' {}; write FIELD=FIRST:LAST:STEP, e.g. max_false_alarm=0.30:0.95:0.05, with the field "
        "max_false_alarm, min_hit_rate or stages",
        excerpt(text), reason));
}

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::size_t decimals_of(std::string_view text) {
    const std::size_t point = text.find('.');
    return point == std::string_view::npos ? 0 : text.size() - point - 1;
}

}  // namespace

CascadeSweep CascadeSweep::parse(const std::string& text) {
    CascadeSweep sweep;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse(text, "names no field");
    sweep.field_ = text.substr(0, equals);
    if (std::find(fields.begin(), fields.end(), sweep.field_) == fields.end())
        refuse(text, "is not of a field that can be swept");

    std::vector<double> numbers;
    std::size_t decimals = 0;
    for (std::string_view rest = std::string_view(text).substr(equals + 1); numbers.size() <= 3;) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::string_view part = rest.substr(0, colon);
        const std::optional<double> number = number_in(part);
        if (!number) refuse(text, fmt::format("has '{}' where a number should be", excerpt(part)));
        numbers.push_back(*number);
        decimals = std::max(decimals, decimals_of(part));
        if (colon == rest.size()) break;
        rest.remove_prefix(colon + 1);
    }
    if (numbers.size() != 3)
        refuse(text, fmt::format("has {} and not three", counted(numbers.size(), "number")));
    const double first = numbers[0], last = numbers[1], step = numbers[2];
    if (decimals > max_decimals) refuse(text, fmt::format("has more than {} decimals", max_decimals));
    if (sweep.field_ == stages_field && decimals > 0) refuse(text, "needs whole numbers");
    if (!(step > 0)) refuse(text, "needs a step above 0");
    if (last < first) refuse(text, "ends before it begins");
    // Sums of steps like 0.05 are a little off.
    const double steps = std::floor((last - first) / step + 1e-6);
    if (steps >= static_cast<double>(max_values))
        refuse(text, fmt::format("has more than {} values", max_values));
    for (int i = 0; i <= static_cast<int>(steps); ++i) {
        const std::string written = fmt::format("{:.{}f}", first + i * step, decimals);
        sweep.values_.push_back({*number_in(written), written});
    }
    return sweep;
}

bool CascadeSweep::is_of_stages() const {
    return field_ == stages_field;
}

CascadeTrainConfig CascadeSweep::configuration(const CascadeTrainConfig& config,
                                               const SweepValue& value) const {
    CascadeTrainConfig one = config;
    // All cascades have the same test.
    one.test.share = config.test_share();
    one.sweep.clear();
    if (field_ == fields[0]) one.stages.max_false_alarm = value.value;
    if (field_ == fields[1]) one.stages.min_hit_rate = value.value;
    if (is_of_stages()) {
        constexpr double far_out_of_range = 1e6;
        one.stages.stages = static_cast<int>(std::clamp(value.value, -far_out_of_range, far_out_of_range));
    }
    return one;
}

}  // namespace fovea
