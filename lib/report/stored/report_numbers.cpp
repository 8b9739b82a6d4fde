#include "lib/report/stored/report_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/json/json_member.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {
namespace {

constexpr std::array not_compared{"configuration", "manifest", "evaluated", "skipped",
                                  "protocol",      "version",  "quantities"};

std::optional<Interval> interval_of(const Json& object, const std::string& key) {
    const Json& ci95 = member_of(object, (key + "_ci95").c_str());
    if (!ci95.is_array() || ci95.size() != 2 || !ci95[0].is_number() || !ci95[1].is_number()) return {};
    return Interval{ci95[0].get<double>(), ci95[1].get<double>()};
}

std::string rate_name(int false_positives) {
    return "rate_at_" + std::to_string(false_positives) + "_fp";
}

bool is_rate_item(const Json& item) {
    return member_of(item, "false_positives").is_number_integer() &&
           member_of(item, "detection_rate").is_number();
}

void collect(const Json& object, const std::string& prefix, std::vector<ReportNumber>& numbers) {
    for (const auto& [key, value] : object.items()) {
        const bool skipped = std::find(not_compared.begin(), not_compared.end(), key) != not_compared.end();
        if (skipped) continue;
        if (value.is_number())
            numbers.push_back({prefix + key, value.get<double>(), interval_of(object, key)});
        if (value.is_object()) collect(value, prefix + key + ".", numbers);
        if (key != "rate_at_false_positives" || !value.is_array()) continue;
        for (const Json& item : value) {
            if (!is_rate_item(item)) continue;
            numbers.push_back({prefix + rate_name(item["false_positives"].get<int>()),
                               item["detection_rate"].get<double>(), interval_of(item, "detection_rate")});
        }
    }
}

// The best detection rate on the curve with at most so many false positives, unless it is among the rates.
void add_rate_at(const Json& detection, Json& rates, int point) {
    const bool is_there = std::any_of(rates.begin(), rates.end(), [&](const Json& item) {
        return is_rate_item(item) && item["false_positives"] == point;
    });
    if (is_there) return;
    const Json& roc = member_of(detection, "roc");
    if (detection.value("roc_thresholds", roc.size()) != roc.size()) {
        throw UsageError("the report holds only " + counted(roc.size(), "point") +
                         " of its curve, which do not tell the detection rate at " +
                         counted(static_cast<std::size_t>(point), "false positive") +
                         "; make it again with --fp-points " + std::to_string(point));
    }
    double best = 0;
    for (const Json& entry : roc) {
        if (entry["false_positives"].get<double>() <= point) {
            best = std::max(best, entry["detection_rate"].get<double>());
        }
    }
    rates.push_back({{"false_positives", point}, {"detection_rate", best}});
}

std::string squeezed(const std::string& text) {
    std::string result = lower_case(text);
    std::erase_if(result, [](char c) { return c == ' ' || c == '\t'; });
    return result;
}

bool ends_with_name(const std::string& key, const std::string& name) {
    return key == name || (key.size() > name.size() + 1 && key.ends_with("." + name));
}

// Tables print "AP50" and "AP small" for ap_50 and ap_small.
std::string as_printed(const std::string& name) {
    std::string result = squeezed(name);
    std::erase_if(result, [](char c) { return c == '_' || c == '-'; });
    return result;
}

// The sentence's end for a name that no key has: the nearest one, and the names that people ask for most.
std::string names_instead(const std::string& metric, const std::vector<std::string>& keys,
                          const std::vector<std::string>& headlines, const std::vector<std::string>& rivals) {
    const auto end_of = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
    std::vector<std::string> known{"ap", "rate"};
    for (const std::string& key : keys) {
        known.push_back(key);
        known.push_back(end_of(key));
    }
    for (std::size_t dot = metric.find('.'); dot != std::string::npos; dot = metric.find('.', dot + 1)) {
        for (const std::string& rival : rivals) known.push_back(rival + metric.substr(dot));
    }
    return did_you_mean(metric, known) +
           (headlines.empty()
                ? ""
                : fmt::format("; it has {}, and all others in report.json", fmt::join(headlines, ", ")));
}

struct ShortMetric {
    std::string_view name;
    std::string_view key;  ///< empty: a key ends with the name, or it holds a number
};

constexpr std::array metric_names{
    ShortMetric{"ap", "detection.average_precision"},
    ShortMetric{"best_f1", ""},
    ShortMetric{"f1", ""},
    ShortMetric{"precision", ""},
    ShortMetric{"recall", ""},
    ShortMetric{"rate", "detection.detection_rate"},
    ShortMetric{"recall@16fp", ""},
    ShortMetric{"nme", "landmarks.nme.outer_eye_corners.mean"},
    ShortMetric{"hota", ""},
    ShortMetric{"mota", ""},
    ShortMetric{"idf1", ""},
    ShortMetric{"eer", ""},
    ShortMetric{"tar@far=0.001", ""},
    ShortMetric{"rank1", ""},
};

// The end of the key that a short name stands for.
std::string written_out(std::string name) {
    if (const std::optional<int> n = false_positives_of(name)) return "detection." + rate_name(*n);
    for (const ShortMetric& metric : metric_names)
        if (metric.name == name && !metric.key.empty()) return std::string(metric.key);
    if (name.starts_with("tar@far=")) return "tar_at_far_" + name.substr(8);
    if (name.starts_with("rank-")) return "rank" + name.substr(5);
    return name;
}

// The average precisions of the protocol with numbers of its own.
std::vector<std::string> protocol_average_precisions(const std::vector<std::string>& keys) {
    std::vector<std::string> found;
    for (const std::string& key : keys) {
        if (is_protocol_number(key) && (key.ends_with(".ap") || key.ends_with("_ap"))) found.push_back(key);
    }
    return found;
}

bool one_of(const std::string& key, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return ends_with_name(key, name); });
}

}  // namespace

std::vector<ReportNumber> report_numbers(const Json& report) {
    std::vector<ReportNumber> numbers;
    if (report.is_object()) collect(report, "", numbers);
    for (ReportNumber& number : numbers) {
        const std::size_t dot = number.key.find('.');
        if (dot == std::string::npos) continue;
        number.quantity =
            stated_quantity(member_of(report, number.key.substr(0, dot).c_str()), number.key.substr(dot + 1));
    }
    return numbers;
}

std::vector<std::string> rivals_of(const Json& report) {
    std::vector<std::string> names;
    const auto add = [&](const Json& name) {
        const std::string text = name.is_string() ? name.get<std::string>() : std::string();
        if (!text.empty() && std::find(names.begin(), names.end(), text) == names.end())
            names.push_back(text);
    };
    for (const ReportSection& section : report_sections) {
        for (const Json& entry : member_of(report, section.rivals)) add(member_of(entry, "name"));
        add(member_of(member_of(report, section.name), "name"));
    }
    return names;
}

Json report_of_rival(const Json& report, const std::string& name) {
    Json found = Json::object();
    for (const ReportSection& section : report_sections) {
        for (const Json& entry : member_of(report, section.rivals)) {
            const bool is_own = member_of(entry, "name") == name && entry.contains(section.name);
            if (is_own && !found.contains(section.name)) found[section.name] = entry[section.name];
        }
        const Json& first = member_of(report, section.name);
        if (member_of(first, "name") == name && !found.contains(section.name)) found[section.name] = first;
    }
    return found;
}

RivalMetric split_metric(const std::string& text, const std::vector<std::string>& names) {
    RivalMetric found{"", text};
    for (const std::string& name : names) {
        if (name.size() < found.rival.size()) continue;
        for (const char* quote : {"", "\"", "'"}) {
            const std::string begin = quote + name + quote + ".";
            if (text.size() > begin.size() && text.starts_with(begin))
                found = {name, text.substr(begin.size())};
        }
    }
    return found;
}

std::optional<int> false_positives_named(const std::string& metric) {
    return false_positives_of(metric.substr(metric.rfind('.') + 1));
}

std::optional<int> false_positives_of(const std::string& metric) {
    std::string name = squeezed(metric);
    if (name.starts_with("detection.")) name = name.substr(10);
    for (const auto& [begin, end] : {std::pair<std::string, std::string>{"recall@", "fp"},
                                     {"rate@", "fp"},
                                     {"detection_rate@", "fp"},
                                     {"rate_at_", "_fp"}}) {
        if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end))
            continue;
        const char* const first = name.data() + begin.size();
        const char* const last = name.data() + name.size() - end.size();
        int count = 0;
        const auto [stop, error] = std::from_chars(first, last, count);
        if (error == std::errc{} && stop == last && count >= 0) return count;
    }
    return std::nullopt;
}

void add_rates_at(Json& report, std::span<const int> points) {
    const auto detection = report.find("detection");
    if (detection == report.end() || !detection->is_object()) return;
    Json& rates = (*detection)["rate_at_false_positives"];
    if (!rates.is_array()) rates = Json::array();
    for (const int point : points) add_rate_at(*detection, rates, point);
}

std::string resolve_metric(const std::string& metric, const std::vector<std::string>& keys,
                           const std::string& what, const std::vector<std::string>& headlines,
                           const std::vector<std::string>& rivals) {
    if (std::find(keys.begin(), keys.end(), metric) != keys.end()) return metric;
    const std::string name = written_out(squeezed(metric));
    std::vector<std::string> candidates;
    // "average_precision" means the protocol's own if it has one; the general one needs its whole key.
    if (as_printed(metric) == "ap" || as_printed(metric) == "averageprecision")
        candidates = protocol_average_precisions(keys);
    const bool is_of_protocol = !candidates.empty();
    for (const std::string& key : keys) {
        if (!is_of_protocol && ends_with_name(key, name)) candidates.push_back(key);
    }
    if (candidates.empty()) {
        std::copy_if(keys.begin(), keys.end(), std::back_inserter(candidates), [&](const std::string& key) {
            return ends_with_name(as_printed(key), as_printed(name));
        });
    }
    for (const ReportSection& section : report_sections) {
        const std::string direct = std::string(section.name) + "." + name;
        if (std::find(candidates.begin(), candidates.end(), direct) != candidates.end()) return direct;
    }
    if (candidates.size() == 1) return candidates.front();
    if (candidates.empty()) {
        throw UsageError(what + " no number '" + metric + "'" +
                         names_instead(metric, keys, headlines, rivals));
    }
    throw UsageError(fmt::format("{} several numbers '{}': {}; write one of them", what, metric,
                                 fmt::join(candidates, ", ")));
}

std::vector<std::string> short_metrics() {
    std::vector<std::string> names;
    for (const ShortMetric& metric : metric_names) names.emplace_back(metric.name);
    return names;
}

void warn_of_every_detection(const std::string& flag, const std::string& key) {
    if (!one_of(key, {"detection.f1", "detection.precision", "detection.recall", "detection.detection_rate"}))
        return;
    spdlog::warn(
        "{}: {} counts every detection kept, however low its score; best_f1 is that of the best threshold, "
        "and "
        "recall@16fp the recall at 16 false positives",
        flag, key);
}

bool is_protocol_number(const std::string& key) {
    const auto& protocols = detection_protocols();
    return std::any_of(protocols.begin(), protocols.end(), [&](const ProtocolRecord& protocol) {
        return protocol.has_numbers() && key.starts_with("detection." + protocol.name + ".");
    });
}

}  // namespace fovea
