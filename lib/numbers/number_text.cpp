#include "lib/numbers/number_text.hpp"

#include <cmath>

#include <spdlog/fmt/fmt.h>

namespace fovea {

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) return "–";
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    // "-0.00" would be read as a number below zero.
    return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string percent(double rate) {
    return percent(rate, 1);
}

std::string percent(double rate, int decimals) {
    return std::isfinite(rate) ? fixed(100 * rate, decimals) + "\u00A0%" : "–";
}

std::string percent_range(const Interval& bounds) {
    return percent_range(bounds, 1);
}

std::string percent_range(const Interval& bounds, int decimals) {
    return fixed(100 * bounds[0], decimals) + "–" + percent(bounds[1], decimals);
}

std::string compact(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "–";
}

std::string value_text(const Quantity& quantity, double value, const Decimals& decimals) {
    return quantity.is_share() ? percent(value, decimals.shares) : fixed(value, decimals.others);
}

std::string value_text(const Number& number, const Decimals& decimals) {
    return number.value ? value_text(number.quantity, *number.value, decimals) : "–";
}

std::string interval_text(const Number& number, const Decimals& decimals) {
    if (!number.ci95) return {};
    const Interval& bounds = *number.ci95;
    if (number.quantity.is_share()) return percent_range(bounds, decimals.shares);
    return fixed(bounds[0], decimals.others) + "–" + fixed(bounds[1], decimals.others);
}

}  // namespace fovea
