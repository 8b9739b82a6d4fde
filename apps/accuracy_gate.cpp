#include "apps/accuracy_gate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "apps/console.hpp"
#include "lib/pipeline/nearest_name.hpp"

namespace fovea {
namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Every number of the report by its full name. Names may themselves hold dots ("auc_0.08"), so a key cannot
// be taken apart at its dots.
void collect_numbers(const Json& json, const std::string& path, std::map<std::string, double>& numbers) {
    if (json.is_number()) numbers[path] = json.get<double>();
    if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            collect_numbers(value, path.empty() ? key : path + "." + key, numbers);
        }
    }
    if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collect_numbers(json[i], path + "[" + std::to_string(i) + "]", numbers);
        }
    }
}

}  // namespace

AccuracyGate parse_gate(const std::string& text) {
    AccuracyGate gate;
    gate.text = text;
    const std::size_t at = text.find_first_of("<>=");
    const std::string key = trimmed(text.substr(0, at));
    std::string number;
    bool valid = at != std::string::npos && !key.empty();
    if (valid) {
        const bool with_equal = at + 1 < text.size() && text[at + 1] == '=';
        number = trimmed(text.substr(at + (with_equal ? 2 : 1)));
        using Relation = AccuracyGate::Relation;
        if (text[at] == '>') gate.relation = with_equal ? Relation::at_least : Relation::above;
        if (text[at] == '<') gate.relation = with_equal ? Relation::at_most : Relation::below;
        if (text[at] == '=') gate.relation = Relation::equal;
        valid = text[at] != '=' || with_equal;
    }
    char* end = nullptr;
    gate.value = std::strtod(number.c_str(), &end);
    if (!valid || number.empty() || *end != '\0' || !std::isfinite(gate.value)) {
        throw UsageError("--require '" + text + "' is not of the form KEY>=VALUE, " +
                         "e.g. 'detection.average_precision>=0.9' (also <=, >, <, ==)");
    }
    gate.key = key;
    return gate;
}

GateResult check_gate(const AccuracyGate& gate, const Json& report) {
    std::map<std::string, double> numbers;
    collect_numbers(report, "", numbers);
    const auto found = numbers.find(gate.key);
    if (found == numbers.end()) {
        std::vector<std::string> names;
        for (const auto& [name, value] : numbers) {
            // The points of curves are thousands of names that nobody mistypes.
            if (name.find("roc[") == std::string::npos) names.push_back(name);
        }
        throw UsageError("--require: the report has no number '" + gate.key + "'" +
                         did_you_mean(gate.key, names));
    }
    const double measured = found->second;
    bool passed = false;
    switch (gate.relation) {
        case AccuracyGate::Relation::at_least:
            passed = measured >= gate.value;
            break;
        case AccuracyGate::Relation::at_most:
            passed = measured <= gate.value;
            break;
        case AccuracyGate::Relation::above:
            passed = measured > gate.value;
            break;
        case AccuracyGate::Relation::below:
            passed = measured < gate.value;
            break;
        case AccuracyGate::Relation::equal:
            passed = measured == gate.value;
            break;
    }
    return {passed, measured};
}

Json check_gates(const std::vector<AccuracyGate>& gates, const Json& report, ExitCode& code) {
    Json outcome = Json::array();
    for (const AccuracyGate& gate : gates) {
        const GateResult result = check_gate(gate, report);
        outcome.push_back({{"require", gate.text}, {"measured", result.measured}, {"passed", result.passed}});
        if (result.passed) continue;
        code = ExitCode::gate_failed;
        print_error(fmt::format("the accuracy gate failed: {} was required, but it is {:.6g}", gate.text,
                                result.measured));
    }
    return outcome;
}

}  // namespace fovea
