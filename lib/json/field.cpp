#include "lib/json/field.hpp"

#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {
namespace {

std::string in_brackets(const std::string& meaning) {
    return meaning.empty() ? "" : " (" + meaning + ")";
}

void check_version(const JsonPlace& place, int newest) {
    const int written = place.whole();
    if (written < 1) place.fail(std::to_string(newest));
    if (written <= newest) return;
    place.fail_with("'version' must be " + std::to_string(newest) + ", but is " + std::to_string(written) +
                    ": the file was written by a newer release of the program, which is needed to read it");
}

class FieldCollector : public FieldVisitor {
  public:
    FieldCollector(std::string path, std::vector<DescribedField>& fields)
        : path_(std::move(path)), fields_(fields) {}

    void value(const Field& field, const FieldValue& value) override {
        fields_.push_back({member_path(path_, field.key), field, value});
    }

    void object(const std::string& key, const DescribeFields& describe, Presence) override {
        FieldCollector members(member_path(path_, key), fields_);
        describe(members);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        for (std::size_t i = 0; i < list.size(); ++i) {
            FieldCollector members(item_path(member_path(path_, key), i), fields_);
            list.describe(i, members);
        }
    }

  private:
    std::string path_;
    std::vector<DescribedField>& fields_;
};

}  // namespace

bool FieldRange::contains(double value) const {
    if (expected.empty()) return true;
    if (includes_zero && value == 0) return true;
    const bool above_min = excludes_min ? value > min : value >= min;
    const bool below_max = excludes_max ? value < max : value <= max;
    return above_min && below_max && std::isfinite(value);
}

FieldRange between(double min, double max, const std::string& meaning) {
    return {.min = min,
            .max = max,
            .expected = fmt::format("between {}{} and {}", min, in_brackets(meaning), max)};
}

FieldRange inside(double min, double max) {
    return {.min = min,
            .max = max,
            .excludes_min = true,
            .excludes_max = true,
            .expected = fmt::format("between {} and {}", min, max)};
}

FieldRange from_to(double min, double max, const std::string& unit) {
    return {.min = min,
            .max = max,
            .expected = fmt::format("{} to {}{}{}", min, max, unit.empty() ? "" : " ", unit)};
}

FieldRange above_at_most(double min, double max) {
    return {.min = min,
            .max = max,
            .excludes_min = true,
            .expected = fmt::format("above {} and at most {}", min, max)};
}

FieldRange at_least_below(double min, double max) {
    return {.min = min,
            .max = max,
            .excludes_max = true,
            .expected = fmt::format("at least {} and below {}", min, max)};
}

FieldRange at_least(double min) {
    return {.min = min, .expected = fmt::format("at least {}", min)};
}

FieldRange above(double min) {
    return {.min = min, .excludes_min = true, .expected = fmt::format("above {}", min)};
}

FieldRange zero_or(const std::string& meaning, const FieldRange& range) {
    FieldRange result = range;
    result.includes_zero = true;
    result.expected = fmt::format("0{}, or {}", in_brackets(meaning), range.expected);
    return result;
}

JsonValue number_list(std::vector<double*> numbers, const std::string& expected) {
    return {[numbers] {
                Json list = Json::array();
                for (const double* number : numbers) list.push_back(*number);
                return list;
            },
            [numbers, expected](const JsonPlace& place) {
                const std::vector<double> found = place.numbers(numbers.size(), expected);
                for (std::size_t i = 0; i < found.size(); ++i) *numbers[i] = found[i];
            }};
}

JsonValue kept_object(Json& json) {
    return {[&json] { return json; },
            [&json](const JsonPlace& place) {
                place.require_object();
                json = place.json();
            }};
}

JsonValue constant_text(const std::string& text) {
    return {[text] { return text; },
            [text](const JsonPlace& place) {
                if (place.json() != text) place.fail('"' + text + '"');
            }};
}

void describe_format(FieldVisitor& visitor, const std::string& format, int version) {
    visitor.value({.key = "format", .presence = Presence::always}, constant_text(format));
    visitor.value({.key = "version", .presence = Presence::always},
                  JsonValue{[version] { return version; },
                            [version](const JsonPlace& place) { check_version(place, version); }});
}

void require_format(const JsonPlace& place, const std::string& format, int version) {
    if (!place.has("format")) place.fail("an object with \"format\": \"" + format + "\"");
    constant_text(format).set(place["format"]);
    check_version(place["version"], version);
}

std::vector<DescribedField> all_fields(const DescribeFields& describe) {
    std::vector<DescribedField> fields;
    FieldCollector collector("", fields);
    describe(collector);
    return fields;
}

}  // namespace fovea
