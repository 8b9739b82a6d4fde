#include "lib/run/regression_gate.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/run/report_numbers.hpp"

namespace fovea {
namespace {

constexpr double rounding = 1e-12;  // 0.91 - 0.9 is more than 0.01 in binary

std::vector<const ComparedNumber*> judged_numbers(const std::vector<ComparedNumber>& numbers,
                                                  const RegressionGate& gate) {
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
            resolve_metric(metric, keys, "--metric: the reports have in common", headlines);
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

std::vector<GatedNumber> judge(const std::vector<ComparedNumber>& numbers, const RegressionGate& gate) {
    std::vector<GatedNumber> outcome;
    for (const ComparedNumber* number : judged_numbers(numbers, gate)) {
        const bool too_much = *number->worse_by() > gate.tolerance + rounding;
        if (gate.significant_only && !number->ci95 && *number->difference != 0) {
            throw UsageError("--significant: the difference of " + number->key +
                             " has no interval; both reports need records or intervals");
        }
        outcome.push_back({*number, !too_much || (gate.significant_only && !number->significant())});
    }
    return outcome;
}

std::string regression_sentence(const ComparedNumber& number, const RegressionGate& gate,
                                const std::string& a, const std::string& b) {
    std::string text =
        fmt::format("{} is {:.6g} in {} and {:.6g} in {}, worse by {:.4g}, and {:.6g} was allowed",
                    number.key, *number.second, b, *number.first, a, *number.worse_by(), gate.tolerance);
    if (number.ci95) {
        text += fmt::format(" (95 % CI of the difference {:.3g} to {:.3g})", (*number.ci95)[0],
                            (*number.ci95)[1]);
    }
    return text;
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
    return text;
}

}  // namespace fovea
