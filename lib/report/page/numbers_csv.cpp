#include "lib/report/page/numbers_csv.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/core/csv.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea::report {
namespace {

constexpr std::string_view interval_suffix = "_ci95";
/// The way of an evaluation, not its outcome.
constexpr std::array left_out{"quantities",     "protocol",      "ci95",
                              "roc_thresholds", "iou_histogram", "score_histogram"};
/// The members that name an element of a list; elements without are points and bins.
constexpr std::array names_of_elements{"name", "label", "key", "followed"};

std::optional<std::string> text_of(const Json& element, const char* member) {
    const auto found = element.find(member);
    if (found == element.end()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_number()) return shortest_number(found->get<double>());
    return std::nullopt;
}

// "jaw"; "face width.20-40" of a slice.
std::optional<std::string> name_of(const Json& element) {
    if (!element.is_object()) return std::nullopt;
    for (const char* member : names_of_elements) {
        const std::optional<std::string> name = text_of(element, member);
        if (!name) continue;
        const std::optional<std::string> by = text_of(element, "by");
        return by ? *by + "." + *name : *name;
    }
    return std::nullopt;
}

class NumberRows {
  public:
    NumberRows(std::string name, const Json& evaluation, CsvRows& rows)
        : name_(std::move(name)), evaluation_(evaluation), rows_(rows) {}

    void go() { add_members(evaluation_, "", ""); }

  private:
    /// \param kind  the path with '*' for the names of elements, as quantities are stated
    void add_members(const Json& object, const std::string& path, const std::string& kind) {
        for (const auto& [key, value] : object.items()) {
            if (std::find(left_out.begin(), left_out.end(), key) != left_out.end()) continue;
            if (value.is_number()) {
                add_row(path + key, kind + key, value, object.find(key + std::string(interval_suffix)),
                        object);
            } else if (value.is_object()) {
                add_members(value, path + key + ".", kind + key + ".");
            } else if (key == "rate_at_false_positives") {
                add_rates(value);
            } else if (value.is_array()) {
                for (const Json& element : value) {
                    if (const std::optional<std::string> name = name_of(element))
                        add_members(element, path + key + "." + *name + ".", kind + key + ".*.");
                }
            }
        }
    }

    // Gates use the same name: "rate_at_16_fp".
    void add_rates(const Json& rates) {
        for (const Json& rate : rates) {
            const std::string key =
                "rate_at_" + shortest_number(rate["false_positives"].get<double>()) + "_fp";
            add_row(key, key, rate["detection_rate"], rate.find("detection_rate_ci95"), rate);
        }
    }

    void add_row(const std::string& path, const std::string& kind, const Json& value,
                 Json::const_iterator interval, const Json& object) {
        rows_.text(name_).text(path).number(value.get<double>());
        if (interval != object.end() && interval->is_array() && interval->size() == 2) {
            rows_.number((*interval)[0].get<double>()).number((*interval)[1].get<double>());
        } else {
            rows_.empty().empty();
        }
        const std::optional<Quantity> quantity = stated_quantity(evaluation_, kind);
        rows_.text(quantity ? quantity->definition : "").end_row();
    }

    const std::string name_;
    const Json& evaluation_;
    CsvRows& rows_;
};

}  // namespace

std::string numbers_csv(const Json& report, const std::string& kind, const std::string& section,
                        const std::string& name) {
    CsvRows rows({kind, "metric", "value", "ci95_low", "ci95_high", "definition"});
    const auto list = report.find(kind + "s");
    if (list == report.end()) {
        NumberRows(name, report.at(section), rows).go();
    } else {
        for (const Json& entry : *list)
            NumberRows(entry["name"].get<std::string>(), entry.at(section), rows).go();
    }
    return rows.bytes();
}

}  // namespace fovea::report
