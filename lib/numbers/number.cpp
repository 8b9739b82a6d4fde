#include "lib/numbers/number.hpp"

#include <stdexcept>

namespace fovea {

bool is_better(const Quantity& quantity, double value, double other) {
    switch (quantity.better) {
        case Better::higher:
            return value > other;
        case Better::lower:
            return value < other;
        case Better::neither:
            break;
    }
    return false;
}

std::optional<bool> is_higher_better(const Quantity& quantity) {
    if (quantity.better == Better::neither) return std::nullopt;
    return quantity.better == Better::higher;
}

const Number& number_of_key(const Numbers& numbers, std::string_view key) {
    for (const Number& number : numbers) {
        if (number.quantity.key == key) return number;
    }
    throw std::out_of_range("there is no number '" + std::string(key) + "'");
}

}  // namespace fovea
