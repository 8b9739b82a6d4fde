#include "lib/numbers/json/numbers_json.hpp"

#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* member = "quantities";

const char* word_of(Better better) {
    switch (better) {
        case Better::higher:
            return "higher";
        case Better::lower:
            return "lower";
        case Better::neither:
            break;
    }
    return "neither";
}

Better better_of(const std::string& word) {
    return word == "higher" ? Better::higher : word == "lower" ? Better::lower : Better::neither;
}

std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

void add_numbers(const Numbers& numbers, Json& object, Undefined undefined) {
    for (const Number& number : numbers) {
        if (!number.value && undefined == Undefined::left_out) continue;
        object[number.quantity.key] = number.value ? Json(*number.value) : Json(nullptr);
        if (number.ci95) object[number.quantity.key + "_ci95"] = *number.ci95;
    }
}

void state_quantity(const std::string& path, const Quantity& quantity, Json& evaluation) {
    Json& stated = evaluation[member][path];
    stated = {{"name", quantity.name}};
    if (!quantity.definition.empty()) stated["definition"] = quantity.definition;
    stated["unit"] = quantity.is_share() ? "share" : "number";
    stated["better"] = word_of(quantity.better);
    if (quantity.headline) stated["headline"] = true;
}

void state_quantities(const std::string& prefix, const Numbers& numbers, Json& evaluation) {
    for (const Number& number : numbers)
        state_quantity(prefix + number.quantity.key, number.quantity, evaluation);
}

std::optional<Quantity> stated_quantity(const Json& evaluation, const std::string& path) {
    if (!evaluation.is_object()) return std::nullopt;
    const auto all = evaluation.find(member);
    if (all == evaluation.end() || !all->is_object()) return std::nullopt;
    const auto stated = all->find(path);
    if (stated == all->end() || !stated->is_object()) return std::nullopt;
    Quantity quantity{path, text_of(*stated, "name"), text_of(*stated, "definition"),
                      better_of(text_of(*stated, "better")),
                      text_of(*stated, "unit") == "share" ? Unit::share : Unit::number};
    const auto headline = stated->find("headline");
    quantity.headline = headline != stated->end() && headline->is_boolean() && headline->get<bool>();
    return quantity;
}

}  // namespace fovea
