#pragma once

#include <string>

#include "lib/numbers/number.hpp"

namespace fovea {

// Numbers as people read them. Independent of the locale.

/// "0.52"; "–" if not finite.
std::string fixed(double value, int decimals);
/// A share in percent, with one decimal unless more are asked for: 0.8617 -> "86.2 %"; "–" if not finite.
std::string percent(double rate);
std::string percent(double rate, int decimals);
/// An interval of shares in percent, with one decimal unless more are asked for: "85.0–87.3 %".
std::string percent_range(const Interval& bounds);
std::string percent_range(const Interval& bounds, int decimals);
/// A score or threshold with at most 6 significant digits.
std::string compact(double value);

/// The number of decimals of shares, in percent, and of other numbers.
struct Decimals {
    int shares = 1;
    int others = 3;
};

/// "86.2 %" or "0.862": the value of a quantity, in percent if it is a share.
std::string value_text(const Quantity& quantity, double value, const Decimals& decimals);
/// The value of a number, written so; "–" if it is undefined.
std::string value_text(const Number& number, const Decimals& decimals);
/// "85.0–87.3 %" or "0.850–0.873"; empty without an interval.
std::string interval_text(const Number& number, const Decimals& decimals);

}  // namespace fovea
