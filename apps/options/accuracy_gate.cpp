#include "apps/options/accuracy_gate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_place.hpp"
#include "lib/report/stored/report_numbers.hpp"

namespace fovea {
namespace {

// Every number of the report by its full name. Names may themselves hold dots ("auc_0.08"), so a key cannot
// be taken apart at its dots.
void collect_numbers(const Json& json, const std::string& path, std::map<std::string, double>& numbers) {
    if (json.is_number()) numbers[path] = json.get<double>();
    if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            collect_numbers(value, member_path(path, key), numbers);
        }
    }
    if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collect_numbers(json[i], item_path(path, i), numbers);
        }
    }
}

/// The N of "detectors[N].KEY", "recognisers[N].KEY" and the like, the list's name and KEY.
struct NumberOfMember {
    std::string list;
    std::size_t member = 0;
    std::string key;
};

std::optional<NumberOfMember> number_of_member(const std::string& key) {
    const std::size_t open = key.find('['), close = key.find("].");
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    NumberOfMember found{key.substr(0, open), 0, key.substr(close + 2)};
    const char* const end = key.data() + close;
    const auto [stop, error] = std::from_chars(key.data() + open + 1, end, found.member);
    if (error != std::errc() || stop != end) return std::nullopt;
    return found;
}

// A path in the report, else a metric's name.
// \param within the beginning of the key that led to `report`, as "detectors[1]"
ReportNumber find_number(const std::string& key, const Json& report, const std::string& within = "") {
    std::map<std::string, double> numbers;
    collect_numbers(report, "", numbers);
    if (const auto found = numbers.find(key); found != numbers.end()) {
        ReportNumber number{key, found->second, std::nullopt};
        const auto low = numbers.find(key + "_ci95[0]");
        const auto high = numbers.find(key + "_ci95[1]");
        if (low != numbers.end() && high != numbers.end()) number.ci95 = Interval{low->second, high->second};
        return number;
    }
    if (const std::optional<NumberOfMember> of = number_of_member(key)) {
        const auto list = report.find(of->list);
        if (list != report.end() && list->is_array()) {
            const std::string member = item_path(of->list, of->member);
            if (of->member >= list->size()) {
                throw UsageError("--require: the report has no " + member + ", but " +
                                 counted(list->size(), "member") + " of that list, counted from 0");
            }
            return find_number(of->key, (*list)[of->member], member);
        }
    }
    const std::vector<std::string> rivals = rivals_of(report);
    if (const RivalMetric of = split_metric(key, rivals); !of.rival.empty())
        return find_number(of.metric, report_of_rival(report, of.rival), "'" + of.rival + "'");
    const std::vector<ReportNumber> metrics = report_numbers(report);
    std::vector<std::string> keys, headlines;
    for (const ReportNumber& metric : metrics) {
        keys.push_back(metric.key);
        if (metric.quantity && metric.quantity->headline) headlines.push_back(metric.key);
    }
    const std::string resolved = resolve_metric(
        key, keys,
        within.empty() ? "--require: the report has" : "--require: within " + within + ", the report has",
        headlines, rivals);
    return metrics[static_cast<std::size_t>(std::find(keys.begin(), keys.end(), resolved) - keys.begin())];
}

}  // namespace

AccuracyGate parse_gate(const std::string& text) {
    AccuracyGate gate;
    gate.text = text;
    // "tar@far=0.001>=0.9" holds a '=' that is no relation: relations with '=' have another sign before it.
    // A detector's name in quotes may hold anything.
    const std::string start(trim(text).substr(0, 1));
    const bool is_quoted = start == "\"" || start == "'";
    const std::size_t name_end = is_quoted ? text.find(start + ".", text.find(start) + 1) : 0;
    const std::size_t begin = name_end == std::string::npos ? 0 : name_end;
    std::size_t at = text.find_first_of("<>", begin);
    if (at == std::string::npos) at = text.find("==", begin);
    gate.key = trim(std::string_view(text).substr(0, at));
    std::string number;
    bool valid = at != std::string::npos && !gate.key.empty() && gate.key.back() != '=';  // "ap=>0.9"
    if (valid) {
        const bool with_equal = at + 1 < text.size() && text[at + 1] == '=';
        number = trim(std::string_view(text).substr(at + (with_equal ? 2 : 1)));
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
                         "e.g. 'ap>=0.9' or 'recall@16fp>=0.9' (also <=, >, <, ==)");
    }
    return gate;
}

std::string failure_sentence(const AccuracyGate& gate, const GateResult& result) {
    std::string text = fmt::format("{} was required, but it is {:.6g}", gate.text, result.measured);
    if (result.ci95) text += fmt::format(" (95 % CI {:.3g}-{:.3g})", (*result.ci95)[0], (*result.ci95)[1]);
    return text;
}

GateResult check_gate(const AccuracyGate& gate, const Json& report) {
    const ReportNumber number = find_number(gate.key, report);
    warn_of_every_detection("--require", number.key);
    const double measured = number.value;
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
    return {passed, measured, number.ci95};
}

Json check_gates(const std::vector<AccuracyGate>& gates, const Json& report, ExitCode& code) {
    Json outcome = Json::array();
    for (const AccuracyGate& gate : gates) {
        const GateResult result = check_gate(gate, report);
        outcome.push_back({{"require", gate.text}, {"measured", result.measured}, {"passed", result.passed}});
        if (!result.passed) code = ExitCode::gate_failed;
        print_verdict(result.passed, result.passed ? fmt::format("{} ({:.6g})", gate.text, result.measured)
                                                   : failure_sentence(gate, result));
    }
    return outcome;
}

}  // namespace fovea
