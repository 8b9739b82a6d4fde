#include "lib/json/field_json.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "lib/core/error.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

std::string known_name(const JsonPlace& place, const std::vector<std::string>& names) {
    const std::string name = place.text();
    if (std::find(names.begin(), names.end(), name) == names.end()) place.fail(in_words(names));
    return name;
}

class FieldReader : public FieldVisitor {
  public:
    FieldReader(const JsonPlace& place, Absent absent) : place_(place), absent_(absent) {}

    void value(const Field& field, const FieldValue& value) override {
        const auto member = find(field.key, field.presence);
        if (member) std::visit([&](const auto& target) { read(*member, target); }, value);
    }

    void object(const std::string& key, const DescribeFields& describe, Presence presence) override {
        if (const auto member = find(key, presence)) read_fields(*member, describe, absent_);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        const auto member = find(key, Presence::as_others);
        if (!member) return;
        if (!member->json().is_array()) member->fail("a list of objects");
        list.clear();
        for (std::size_t i = 0; i < member->json().size(); ++i) {
            list.add();
            read_fields((*member)[i], [&](FieldVisitor& visitor) { list.describe(i, visitor); }, absent_);
        }
    }

    void demand(const std::string& key, const std::function<void()>& check) override {
        const JsonPlace place = key.empty() ? place_ : place_.find(key).value_or(place_);
        place.checked(check);
    }

    /// Call it last. \throws for the first member that no field has asked for.
    void finish() const { place_.require_known(known_); }

  private:
    std::optional<JsonPlace> find(const std::string& key, Presence presence) {
        known_.push_back(key);
        const bool is_required =
            presence == Presence::always || (presence == Presence::as_others && absent_ == Absent::is_error);
        return is_required ? place_[key] : place_.find(key);
    }

    static void read(const JsonPlace& place, bool* target) { *target = place.truth(); }
    static void read(const JsonPlace& place, int* target) { *target = place.whole(); }
    static void read(const JsonPlace& place, std::size_t* target) { *target = place.count(); }
    static void read(const JsonPlace& place, double* target) { *target = place.number(); }
    static void read(const JsonPlace& place, std::string* target) { *target = place.text(); }

    template <class T>
    static void read(const JsonPlace& place, std::optional<T>* target) {
        target->reset();
        if (!place.json().is_null()) read(place, &target->emplace());
    }

    template <class T>
    static void read_list(const JsonPlace& place, const char* expected, std::vector<T>& target) {
        if (!place.json().is_array()) place.fail(expected);
        target.assign(place.json().size(), {});
        for (std::size_t i = 0; i < target.size(); ++i) read(place[i], &target[i]);
    }
    static void read(const JsonPlace& place, std::vector<std::string>* target) {
        read_list(place, "a list of strings", *target);
    }
    static void read(const JsonPlace& place, std::vector<double>* target) {
        read_list(place, "a list of numbers", *target);
    }
    static void read(const JsonPlace& place, std::vector<int>* target) {
        read_list(place, "a list of integers", *target);
    }

    static void read(const JsonPlace& place, Size* target) {
        if (!place.json().is_array() || place.json().size() != 2) place.fail("a list [width, height]");
        *target = {place[0].whole(), place[1].whole()};
    }

    static void read(const JsonPlace& place, std::optional<Eyes>* target) {
        target->reset();
        if (place.json().is_null()) return;
        const std::vector<double> eyes = place.numbers(
            4,
            "null or the eyes [left x, left y, right x, right y] in units of the image's width and height");
        *target = Eyes{{eyes[0], eyes[1]}, {eyes[2], eyes[3]}};
    }

    static void read(const JsonPlace& place, const NamedValue& target) {
        target.set(known_name(place, target.names));
    }

    static void read(const JsonPlace& place, const NamedList& target) {
        if (!place.json().is_array()) place.fail("a list of strings");
        target.clear();
        for (std::size_t i = 0; i < place.json().size(); ++i) target.add(known_name(place[i], target.names));
    }

    static void read(const JsonPlace& place, const JsonValue& target) { target.set(place); }

    const JsonPlace& place_;
    const Absent absent_;
    std::vector<std::string> known_;
};

class FieldWriter : public FieldVisitor {
  public:
    explicit FieldWriter(const std::function<std::string(const std::string&)>& escape) : escape_(escape) {}

    void value(const Field& field, const FieldValue& value) override {
        Json json = std::visit([&](const auto& source) { return written(field, source); }, value);
        const bool is_empty = json == false || json == "" || json.empty();
        const bool is_left_out =
            field.presence == Presence::left_out || (field.presence == Presence::optional && is_empty);
        if (!is_left_out) json_[field.key] = std::move(json);
    }

    void object(const std::string& key, const DescribeFields& describe, Presence presence) override {
        if (presence != Presence::left_out) json_[key] = write_fields(describe, escape_);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        Json& items = json_[key] = Json::array();
        for (std::size_t i = 0; i < list.size(); ++i) {
            items.push_back(write_fields([&](FieldVisitor& visitor) { list.describe(i, visitor); }, escape_));
        }
    }

    Json take() { return std::move(json_); }

  private:
    template <class T>
    Json written(const Field&, const T* value) const {
        return *value;
    }

    template <class T>
    Json written(const Field&, const std::optional<T>* value) const {
        return *value ? Json(**value) : Json(nullptr);
    }

    Json written(const Field& field, const std::string* value) const {
        return field.is_path ? escape_(*value) : *value;
    }

    Json written(const Field& field, const std::vector<std::string>* values) const {
        Json list = Json::array();
        for (const std::string& value : *values) list.push_back(written(field, &value));
        return list;
    }

    Json written(const Field&, const Size* size) const { return Json::array({size->width, size->height}); }

    Json written(const Field&, const std::optional<Eyes>* value) const {
        if (!*value) return nullptr;
        const Eyes& eyes = **value;
        return Json::array({eyes.left.x, eyes.left.y, eyes.right.x, eyes.right.y});
    }

    Json written(const Field&, const NamedValue& value) const { return value.get(); }
    Json written(const Field&, const NamedList& value) const { return value.get(); }
    Json written(const Field&, const JsonValue& value) const { return value.get(); }

    const std::function<std::string(const std::string&)>& escape_;
    Json json_ = Json::object();
};

class FieldChecker : public FieldVisitor {
  public:
    using NameOf = std::function<std::string(const std::string& key)>;

    /// \param place of what was read, if the fields are as they were read.
    FieldChecker(std::string path, const NameOf& name_of, std::optional<JsonPlace> place)
        : path_(std::move(path)), name_of_(name_of), place_(std::move(place)) {}

    void value(const Field& field, const FieldValue& value) override {
        if (name_of_(member_path(path_, field.key)).empty()) return;
        std::visit([&](const auto& target) { check(field, target); }, value);
    }

    void object(const std::string& key, const DescribeFields& describe, Presence presence) override {
        const auto place = place_ ? place_->find(key) : std::nullopt;
        if (place || presence != Presence::left_out) check_members(member_path(path_, key), place, describe);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        const std::string path = member_path(path_, key);
        const auto items = place_ ? place_->find(key) : std::nullopt;
        for (std::size_t i = 0; i < list.size(); ++i) {
            check_members(item_path(path, i), items ? std::optional((*items)[i]) : std::nullopt,
                          [&](FieldVisitor& visitor) { list.describe(i, visitor); });
        }
    }

    void rule(const std::string& key, bool holds, const std::string& expected) override {
        if (!holds) fail(key, std::nullopt, expected);
    }

  private:
    void check_members(const std::string& path, const std::optional<JsonPlace>& place,
                       const DescribeFields& describe) const {
        FieldChecker members(path, name_of_, place);
        describe(members);
    }

    /// \param item of the field's list
    void fail(const std::string& key, std::optional<std::size_t> item, const std::string& expected) const {
        std::string name = name_of_(member_path(path_, key));
        if (name.empty()) return;
        if (const auto place = place_ ? place_->find(key) : std::nullopt)
            (item ? (*place)[*item] : *place).fail(expected);
        if (item) name = item_path(name, *item);
        const std::string sentence = "'" + name + "' must be " + expected;
        place_ ? place_->fail_with(sentence) : throw UsageError(sentence);
    }

    void check_number(const Field& field, double value) const {
        if (!field.range.contains(value)) fail(field.key, std::nullopt, field.range.expected);
    }

    template <class T>
    void check_numbers(const Field& field, const std::vector<T>& values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!field.range.contains(static_cast<double>(values[i])))
                fail(field.key, i, field.range.expected);
        }
    }

    void check(const Field& field, const int* value) const { check_number(field, *value); }
    void check(const Field& field, const std::size_t* value) const {
        check_number(field, static_cast<double>(*value));
    }
    void check(const Field& field, const double* value) const { check_number(field, *value); }
    template <class T>
    void check(const Field& field, const std::optional<T>* value) const {
        if constexpr (std::is_arithmetic_v<T>) {
            if (*value) check_number(field, static_cast<double>(**value));
        }
    }
    void check(const Field& field, const std::vector<int>* values) const { check_numbers(field, *values); }
    void check(const Field& field, const std::vector<double>* values) const { check_numbers(field, *values); }

    void check(const Field& field, const std::string* value) const {
        const std::string path = member_path(path_, field.key);
        try {
            if (field.check) field.check(*value);
        } catch (const UsageError& error) {
            const std::string sentence = "'" + name_of_(path) + "': " + error.what();
            place_ ? place_->fail_with(sentence) : throw UsageError(sentence);
        }
    }

    // Other values have no range: their types, or a rule, say all there is.
    void check(const Field&, const bool*) const {}
    void check(const Field&, const std::vector<std::string>*) const {}
    void check(const Field&, const Size*) const {}
    void check(const Field&, const NamedValue&) const {}
    void check(const Field&, const NamedList&) const {}
    void check(const Field&, const JsonValue&) const {}

    std::string path_;
    const NameOf& name_of_;
    std::optional<JsonPlace> place_;
};

}  // namespace

void read_fields(const JsonPlace& place, const DescribeFields& describe, Absent absent) {
    place.require_object();
    FieldReader reader(place, absent);
    describe(reader);
    reader.finish();
}

Json write_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string&)>& escape) {
    FieldWriter writer(escape);
    describe(writer);
    return writer.take();
}

void check_fields(const JsonPlace& place, const DescribeFields& describe) {
    const FieldChecker::NameOf name_of = [](const std::string& key) { return key; };
    FieldChecker checker(place.path(), name_of, place);
    describe(checker);
}

void check_fields(const std::string& path, const DescribeFields& describe) {
    const FieldChecker::NameOf name_of = [](const std::string& key) { return key; };
    FieldChecker checker(path, name_of, std::nullopt);
    describe(checker);
}

void check_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string& key)>& name_of) {
    FieldChecker checker("", name_of, std::nullopt);
    describe(checker);
}

JsonValue real_value(float& target) {
    return {[&target] { return Json(target); },
            [&target](const JsonPlace& place) { target = static_cast<float>(place.number()); }};
}

JsonValue reals_value(std::vector<float>& target) {
    return {[&target] { return Json(target); },
            [&target](const JsonPlace& place) {
                const std::vector<double> numbers = place.numbers(place.array_size(), "a list of numbers");
                target.assign(numbers.begin(), numbers.end());
            }};
}

void change_paths(const std::string& path, const DescribeFields& describe,
                  const std::function<void(std::string& value, const std::string& path)>& change) {
    for (const auto& [key, field, value] : all_fields(describe)) {
        if (!field.is_path) continue;
        const std::string full_key = member_path(path, key);
        if (const auto* text = std::get_if<std::string*>(&value)) change(**text, full_key);
        if (const auto* texts = std::get_if<std::vector<std::string>*>(&value)) {
            for (std::size_t i = 0; i < (*texts)->size(); ++i) change((**texts)[i], item_path(full_key, i));
        }
    }
}

}  // namespace fovea
