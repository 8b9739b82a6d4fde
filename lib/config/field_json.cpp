#include "lib/config/field_json.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_fields.hpp"

namespace fovea {
namespace {

// Puts the key's path before the message of what does not know it.
template <class Action>
void with_path(const std::string& path, const Action& action) {
    try {
        action();
    } catch (const UsageError& error) {
        throw UsageError("'" + path + "': " + error.what());
    }
}

class FieldReader : public FieldVisitor {
  public:
    explicit FieldReader(JsonFields& fields) : fields_(fields) {}

    void value(const Field& field, const FieldValue& value) override {
        std::visit([&](const auto& target) { read(field.key, target); }, value);
    }

    void object(const std::string& key, const DescribeFields& describe) override {
        if (const Json* member = fields_.find(key)) read_fields(*member, fields_.path_of(key), describe);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        const Json* member = fields_.find(key);
        if (member == nullptr) return;
        require_list(*member, key, list.expected);
        list.clear();
        for (std::size_t i = 0; i < member->size(); ++i) {
            list.add();
            read_fields((*member)[i], item_path(fields_.path_of(key), i),
                        [&](FieldVisitor& visitor) { list.describe(i, visitor); });
        }
    }

  private:
    template <class T>
    void read(const std::string& key, T* target) {
        fields_.read(key, *target);
    }

    void read(const std::string& key, Size* target) {
        const Json* member = fields_.find(key);
        if (member == nullptr) return;
        const std::string path = fields_.path_of(key);
        if (!member->is_array() || member->size() != 2) {
            throw UsageError("'" + path + "' must be a list [width, height], but is " +
                             (member->is_array() ? "a list of " + std::to_string(member->size())
                                                 : describe_json(*member)));
        }
        *target = {json_to_int((*member)[0], item_path(path, 0)),
                   json_to_int((*member)[1], item_path(path, 1))};
    }

    void read(const std::string& key, std::optional<Eyes>* target) {
        const Json* member = fields_.find(key);
        if (member == nullptr) return;
        target->reset();
        if (member->is_null()) return;
        bool four = member->is_array() && member->size() == 4;
        for (std::size_t i = 0; four && i < 4; ++i) four = (*member)[i].is_number();
        require_field(
            four, fields_.path_of(key),
            "null or the eyes [left x, left y, right x, right y] in units of the image's width and height");
        const auto number = [&](std::size_t i) { return (*member)[i].get<double>(); };
        *target = Eyes{{number(0), number(1)}, {number(2), number(3)}};
    }

    void read(const std::string& key, const NamedValue& target) {
        std::string name = target.get();
        fields_.read(key, name);
        const bool is_known = std::find(target.names.begin(), target.names.end(), name) != target.names.end();
        if (!is_known && !target.expected.empty()) {
            throw UsageError("'" + fields_.path_of(key) + "' must be " + target.expected + ", but is \"" +
                             excerpt(name) + "\"");
        }
        with_path(fields_.path_of(key), [&] { target.set(name); });
    }

    void read(const std::string& key, const NamedList& target) {
        std::vector<std::string> names = target.get();
        fields_.read(key, names);
        target.clear();
        for (std::size_t i = 0; i < names.size(); ++i) {
            with_path(item_path(fields_.path_of(key), i), [&] { target.add(names[i]); });
        }
    }

    void read(const std::string& key, const JsonValue& target) {
        if (const Json* member = fields_.find(key)) target.set(*member, fields_.path_of(key));
    }

    void require_list(const Json& value, const std::string& key, const std::string& expected) const {
        if (value.is_array()) return;
        throw UsageError("'" + fields_.path_of(key) + "' must be " + expected + ", but is " +
                         describe_json(value));
    }

    JsonFields& fields_;
};

class FieldWriter : public FieldVisitor {
  public:
    explicit FieldWriter(const std::function<std::string(const std::string&)>& escape) : escape_(escape) {}

    void value(const Field& field, const FieldValue& value) override {
        json_[field.key] = std::visit([&](const auto& source) { return written(field, source); }, value);
    }

    void object(const std::string& key, const DescribeFields& describe) override {
        json_[key] = write_fields(describe, escape_);
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

    FieldChecker(std::string path, const NameOf& name_of) : path_(std::move(path)), name_of_(name_of) {}

    void value(const Field& field, const FieldValue& value) override {
        const std::string name = name_of_(member_path(path_, field.key));
        if (!name.empty()) std::visit([&](const auto& target) { check(field, name, target); }, value);
    }

    void object(const std::string& key, const DescribeFields& describe) override {
        check_members(member_path(path_, key), describe);
    }

    void objects(const std::string& key, const ObjectList& list) override {
        const std::string path = member_path(path_, key);
        for (std::size_t i = 0; i < list.size(); ++i) {
            check_members(list.is_numbered ? item_path(path, i) : path + "[]",
                          [&](FieldVisitor& visitor) { list.describe(i, visitor); });
        }
    }

    void rule(const std::string& key, bool holds, const std::string& expected) override {
        const std::string name = name_of_(member_path(path_, key));
        if (!name.empty()) require_field(holds, name, expected);
    }

  private:
    void check_members(const std::string& path, const DescribeFields& describe) const {
        FieldChecker members(path, name_of_);
        describe(members);
    }

    static void check_number(const Field& field, const std::string& name, double value) {
        require_field(field.range.contains(value), name, field.range.expected);
    }

    template <class T>
    static void check_numbers(const Field& field, const std::string& name, const std::vector<T>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool rises = !field.rises || i == 0 || values[i] > values[i - 1];
            require_field(field.range.contains(static_cast<double>(values[i])) && rises, item_path(name, i),
                          field.range.expected + (field.rises ? ", and larger than the one before" : ""));
        }
    }

    static void check(const Field& field, const std::string& name, int* value) {
        check_number(field, name, *value);
    }
    static void check(const Field& field, const std::string& name, std::size_t* value) {
        check_number(field, name, static_cast<double>(*value));
    }
    static void check(const Field& field, const std::string& name, double* value) {
        check_number(field, name, *value);
    }
    static void check(const Field& field, const std::string& name, std::vector<int>* values) {
        check_numbers(field, name, *values);
    }
    static void check(const Field& field, const std::string& name, std::vector<double>* values) {
        check_numbers(field, name, *values);
    }

    static void check(const Field& field, const std::string& name, std::string* value) {
        if (field.check) with_path(name, [&] { field.check(*value); });
    }

    // Other values have no range: their types, or a rule, say all there is.
    template <class T>
    static void check(const Field&, const std::string&, const T&) {}

    std::string path_;
    const NameOf& name_of_;
};

}  // namespace

void read_fields(const Json& json, const std::string& path, const DescribeFields& describe) {
    JsonFields fields(json, path);
    FieldReader reader(fields);
    describe(reader);
    fields.finish();
}

Json write_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string&)>& escape) {
    FieldWriter writer(escape);
    describe(writer);
    return writer.take();
}

void check_fields(const std::string& path, const DescribeFields& describe) {
    const FieldChecker::NameOf name_of = [](const std::string& key) { return key; };
    FieldChecker checker(path, name_of);
    describe(checker);
}

void check_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string& key)>& name_of) {
    FieldChecker checker("", name_of);
    describe(checker);
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
