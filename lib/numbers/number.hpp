#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The unit of a value.
enum class Unit {
    number,  ///< without a unit: an average precision, an error relative to a distance, a score
    share,   ///< of faces, pairs or frames; people read it in percent
};

/// Which of two values of a quantity is the better one.
enum class Better { higher, lower, neither };

/// A kind of number that evaluations give: its name and its meaning.
struct Quantity {
    std::string key;         ///< its name in report.json, within its evaluation: "average_precision"
    std::string name;        ///< as people read it: "Average precision"
    std::string definition;  ///< one sentence: what is divided by what, and its range
    Better better = Better::higher;
    Unit unit = Unit::number;
    /// The number of faces, pairs or probes that the value is a share of; 0 if it is no such share.
    double trials = 0;
    bool headline = false;  ///< evaluations are judged by it unless the user names numbers

    bool is_share() const { return unit == Unit::share; }
};

/// True if `value` is better than `other`; always false for Better::neither.
bool is_better(const Quantity& quantity, double value, double other);

/// True if higher values are better, false if lower ones are; absent for Better::neither.
std::optional<bool> is_higher_better(const Quantity& quantity);

/// A quantity that was measured, and its confidence interval.
struct Number {
    Quantity quantity;
    std::optional<double> value;   ///< absent where it is undefined
    std::optional<Interval> ci95;  ///< absent without resamples, with fewer than 2 units, or if undefined
};

using Numbers = std::vector<Number>;

/// The number of the quantity with this key. \throws std::out_of_range without it.
const Number& number_of_key(const Numbers& numbers, std::string_view key);

}  // namespace fovea
