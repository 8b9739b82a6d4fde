#include "lib/report/stored/regression_gate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/report/stored/report_numbers.hpp"

namespace fovea {
namespace {

constexpr double rounding = 1e-12;  // 0.91 - 0.9 is more than 0.01 in binary

std::vector<const ComparedNumber*> judged_numbers(const std::vector<ComparedNumber>& numbers,
                                                  const RegressionGate& gate,
                                                  const std::vector<std::string>& rivals) {
    std::vector<const ComparedNumber*> judged;
    if (gate.metrics.empty()) {
        for (const ComparedNumber& number : numbers) {
            if (number.headline && number.worse_by()) judged.push_back(&number);
        }
        const bool is_stated = std::any_of(numbers.begin(), numbers.end(), [](const ComparedNumber& number) {
            return number.higher_is_better.has_value();
        });
        if (!is_stated && !numbers.empty()) {
            throw UsageError(
                "neither report says which way its numbers are better, as reports of earlier versions do "
                "not; "
                "make one of them again");
        }
        if (judged.empty()) {
            throw UsageError("the reports have no headline number in common; name one with --metric");
        }
        return judged;
    }
    std::vector<std::string> keys, headlines;
    for (const ComparedNumber& number : numbers) {
        keys.push_back(number.key);
        if (number.headline) headlines.push_back(number.key);
    }
    for (const std::string& metric : gate.metrics) {
        const std::string key =
            resolve_metric(metric, keys, "--metric: the reports have in common", headlines, rivals);
        warn_of_every_detection("--metric", key);
        for (const ComparedNumber& number : numbers) {
            if (number.key != key) continue;
            if (!number.higher_is_better) {
                throw UsageError("--metric: " + key + " is neither better when larger nor when smaller");
            }
            if (!number.worse_by())
                throw UsageError("--metric: " + key + " is undefined in one of the reports");
            judged.push_back(&number);
            break;
        }
    }
    return judged;
}

}  // namespace

std::vector<ComparedNumber> all_numbers(const Comparison& comparison, const Json& first, const Json& second) {
    std::vector<ComparedNumber> numbers = comparison.numbers;
    std::set<std::string> known;
    for (const ComparedNumber& number : numbers) known.insert(number.key);
    for (ComparedNumber& number : compare_numbers(first, second)) {
        if (known.contains(number.key)) continue;
        // An interval by another rule would not stand beside those of a paired comparison.
        if (comparison.paired) number.ci95.reset();
        numbers.push_back(std::move(number));
    }
    return numbers;
}

std::vector<GatedNumber> judge(const std::vector<ComparedNumber>& numbers, const RegressionGate& gate,
                               const std::vector<std::string>& rivals) {
    std::vector<GatedNumber> outcome;
    for (const ComparedNumber* number : judged_numbers(numbers, gate, rivals)) {
        const bool too_much = *number->worse_by() > gate.tolerance + rounding;
        if (gate.significant_only && !number->ci95 && *number->difference != 0) {
            throw UsageError("--significant: the difference of " + number->key +
                             " has no interval; both reports need records or intervals");
        }
        outcome.push_back({*number, !too_much || (gate.significant_only && !number->significant())});
    }
    return outcome;
}

JudgedReports judge_reports(const StoredReport& first, const StoredReport& second,
                            const CompareRequest& request, const RegressionGate& gate,
                            const Comparison* done) {
    const std::vector<std::string> rivals = rivals_of(second.json);
    std::map<std::string, std::vector<std::string>> metrics_of;
    if (gate.metrics.empty()) metrics_of[""];
    for (const std::string& metric : gate.metrics) {
        const RivalMetric of = split_metric(metric, rivals);
        metrics_of[of.rival].push_back(of.metric);
    }
    JudgedReports judged{{}, true, {}};
    for (const auto& [name, metrics] : metrics_of) {
        const StoredReport a = name.empty() ? first : rival_of(first, name);
        const StoredReport b = name.empty() ? second : rival_of(second, name);
        if (const std::string differ = incomparable(a.json, b.json); !differ.empty()) {
            throw UsageError("--no-worse-than: " + request.first + " is not of the same task: " + differ +
                             "; make the baseline again");
        }
        std::optional<Comparison> made;
        const Comparison& comparison =
            name.empty() && done != nullptr ? *done : made.emplace(compare_reports(a, b, request));
        RegressionGate own = gate;
        own.metrics = metrics;
        for (GatedNumber& entry :
             judge(all_numbers(comparison, a.json, b.json), own, name.empty() ? rivals : std::vector{name})) {
            if (!name.empty()) entry.number.key = name + "." + entry.number.key;
            judged.numbers.push_back(std::move(entry));
        }
        judged.paired = judged.paired && comparison.paired;
        judged.methods.push_back((name.empty() ? "" : name + ": ") + comparison.method);
    }
    return judged;
}

std::string interval_in_words(const ComparedNumber& number) {
    if (!number.ci95) return {};
    return fmt::format(" (95 % CI of the difference {:.3g} to {:.3g}, {})", (*number.ci95)[0],
                       (*number.ci95)[1], number.paired ? "paired" : "not paired");
}

std::string regression_sentence(const ComparedNumber& number, const RegressionGate& gate,
                                const std::string& a, const std::string& b) {
    std::string text =
        fmt::format("{} is {:.6g} in {} and {:.6g} in {}, worse by {:.4g}, and {:.6g} was allowed",
                    number.key, *number.second, b, *number.first, a, *number.worse_by(), gate.tolerance);
    return text + interval_in_words(number);
}

std::string failure_sentence(const std::vector<GatedNumber>& judged, const RegressionGate& gate,
                             const std::string& a, const std::string& b) {
    std::string text;
    std::string others;
    for (const GatedNumber& entry : judged) {
        if (entry.passed) continue;
        if (text.empty()) {
            text = regression_sentence(entry.number, gate, a, b);
        } else {
            others += (others.empty() ? "" : ", ") + entry.number.key;
        }
    }
    return others.empty() ? text : text + "; worse, too: " + others;
}

std::string success_sentence(const std::vector<GatedNumber>& judged, const RegressionGate& gate,
                             const std::string& a) {
    const std::string than = gate.significant_only ? "significantly worse than in " : "worse than in ";
    std::string text = judged.size() == 1 ? judged[0].number.key + " is not " + than + a
                                          : "none of " + counted(judged.size(), "number") + " is " + than + a;
    if (gate.tolerance > 0) text += fmt::format(" by more than {:.6g}", gate.tolerance);
    return judged.size() == 1 ? text + interval_in_words(judged[0].number) : text;
}

}  // namespace fovea
