#include "apps/options/field_flags.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

std::string first_name(const FieldFlag& flag) {
    const std::string names = flag.name;
    return names.substr(0, names.find(','));
}

// A default as a help text shows it.
template <class T>
std::string text_of(const T* value) {
    return fmt::format("{}", *value);
}

template <class T>
std::string text_of(const std::vector<T>* values) {
    return fmt::format("{}", fmt::join(*values, ","));
}

std::string text_of(const NamedValue& value) {
    return value.get();
}

// No help text shows the defaults of other types: they are "the detector's own", or none.
template <class T>
std::string text_of(const std::optional<T>*) {
    return {};
}
std::string text_of(const Size*) {
    return {};
}
std::string text_of(const NamedList& value) {
    return fmt::format("{}", fmt::join(value.get(), ","));
}
std::string text_of(const JsonValue&) {
    return {};
}

std::string help_of(const FieldFlag& flag, const FieldValue& value) {
    const std::string placeholder = "{default}";
    std::string help = flag.help;
    const std::size_t at = help.find(placeholder);
    if (at == std::string::npos) return help;
    return help.replace(at, placeholder.size(),
                        std::visit([](const auto& field_value) { return text_of(field_value); }, value));
}

// The names that the help shows and shells offer. The parser itself refuses others where the flag says so.
void check_names(CLI::Option& option, const Field& field, const std::vector<std::string>& names) {
    option.check(field.flag.is_checked ? CLI::Validator(CLI::IsMember(names))
                                       : CLI::Validator(fmt::format("{{{}}}", fmt::join(names, ","))));
}

void check_range(CLI::Option& option, const Field& field) {
    if (!field.flag.is_checked) return;
    const double max = std::min(field.range.max, field.flag.max);
    option.check(CLI::Range(static_cast<int>(field.range.min), static_cast<int>(max)));
}

// A field's own check as the parser's.
std::function<std::string(const std::string&)> text_check(const Field& field) {
    return [check = field.check](const std::string& text) -> std::string {
        try {
            check(text);
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    };
}

template <class Given>
CLI::Option& add_option(CLI::App& app, const Field& field, const std::string& help, Given& given) {
    CLI::Option& option = *app.add_option(field.flag.name, given, help)->group(field.flag.group);
    if (*field.flag.type != '\0') option.type_name(field.flag.type);
    return option;
}

// The flag may be given several times, with one value each.
void take_one_each(CLI::Option& option) {
    option.expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Adds the flags of fields, for each type of value one function.
struct Adder {
    CLI::App& app;
    const Field& field;
    const std::string help;
    FieldFlags::Given& given;

    template <class Given>
    CLI::Option& add() const {
        return add_option(app, field, help, given.emplace<Given>());
    }

    void operator()(const bool*) const {
        app.add_flag(field.flag.name, given.emplace<bool>(false), help)->group(field.flag.group);
    }
    template <class T>
    void operator()(const T*) const {
        check_range(add<std::optional<T>>(), field);
    }
    template <class T>
    void operator()(const std::optional<T>*) const {
        add<std::optional<T>>();
    }
    template <class T>
    void operator()(const std::vector<T>*) const {
        add<std::vector<T>>().delimiter(',');
    }
    void operator()(const std::vector<std::string>*) const {
        CLI::Option& option = add<std::vector<std::string>>();
        if (!std::string_view(field.flag.type).ends_with("...")) take_one_each(option);
    }
    void operator()(const std::string* value) const {
        CLI::Option& option = add<std::optional<std::string>>();
        if (field.flag.shows_default) option.default_str(*value);
    }
    void operator()(const Size*) const { add<std::optional<std::string>>(); }
    void operator()(const std::optional<Eyes>*) const { add<std::optional<std::string>>(); }
    void operator()(const NamedValue& value) const {
        check_names(add<std::optional<std::string>>(), field, value.names);
    }
    void operator()(const NamedList& value) const {
        CLI::Option& option = add<std::vector<std::string>>();
        check_names(option, field, value.names);
        take_one_each(*option.delimiter(','));
    }
    void operator()(const JsonValue&) const {}
};

// Puts what was given into a field, for each type of value one function.
struct Applier {
    const Field& field;
    const FieldFlags::Given& given;
    FlagPaths paths;

    std::string flag() const { return first_name(field.flag); }
    const std::string& text() const { return *std::get<std::optional<std::string>>(given); }
    std::string escaped(const std::string& value) const {
        return field.is_path && paths == FlagPaths::escaped ? escape_environment(value) : value;
    }

    void operator()(bool* target) const { *target = true; }
    template <class T>
    void operator()(T* target) const {
        *target = *std::get<std::optional<T>>(given);
    }
    template <class T>
    void operator()(std::optional<T>* target) const {
        *target = *std::get<std::optional<T>>(given);
    }
    template <class T>
    void operator()(std::vector<T>* target) const {
        *target = std::get<std::vector<T>>(given);
    }
    void operator()(std::vector<std::string>* target) const {
        target->clear();
        for (const std::string& value : std::get<std::vector<std::string>>(given)) {
            target->push_back(escaped(value));
        }
    }
    void operator()(std::string* target) const { *target = escaped(text()); }
    void operator()(Size* target) const { *target = parse_size(text(), flag()); }
    void operator()(std::optional<Eyes>* target) const { *target = parse_eyes(text(), flag()); }
    void operator()(const NamedValue& target) const {
        set_name([&] { target.set(text()); });
    }
    void operator()(const NamedList& target) const {
        target.clear();
        for (const std::string& name : std::get<std::vector<std::string>>(given)) {
            set_name([&] { target.add(name); });
        }
    }
    void operator()(const JsonValue&) const {}

    template <class Action>
    void set_name(const Action& action) const {
        try {
            action();
        } catch (const UsageError& error) {
            throw UsageError(flag() + ": " + error.what());
        }
    }
};

template <class T>
bool is_given(const T& value) {
    return value.has_value();
}
bool is_given(bool value) {
    return value;
}
template <class T>
bool is_given(const std::vector<T>& values) {
    return !values.empty();
}

bool was_given(const FieldFlags::Given& given) {
    return std::visit([](const auto& value) { return is_given(value); }, given);
}

template <class Given>
void add_one_run_flag(CLI::App& app, const std::string& key, Given& given) {
    RunConfig defaults;
    for (const DescribedField& described : all_fields(fields_of(defaults))) {
        if (described.key != key) continue;
        const Field& field = described.field;
        CLI::Option& option = add_option(app, field, help_of(field.flag, described.value), given);
        check_range(option, field);
        if (field.check) option.check(text_check(field));
        return;
    }
    throw std::logic_error("a run has no field " + key);
}

}  // namespace

void FieldFlags::add_fields(CLI::App& app, const DescribeFields& describe,
                            const std::vector<std::string>& without) {
    std::vector<DescribedField> fields = all_fields(describe);
    std::stable_sort(fields.begin(), fields.end(), [](const DescribedField& a, const DescribedField& b) {
        return a.field.flag.place < b.field.flag.place;
    });
    for (const auto& [key, field, value] : fields) {
        const bool is_left_out = std::find(without.begin(), without.end(), key) != without.end();
        if (*field.flag.name == '\0' || is_left_out) continue;
        std::visit(Adder{app, field, help_of(field.flag, value), given_[key]}, value);
        options_[key] = app.get_option(first_name(field.flag));
    }
}

void FieldFlags::apply_to(const DescribeFields& describe, FlagPaths paths) const {
    for (const auto& [key, field, value] : all_fields(describe)) {
        const auto found = given_.find(key);
        if (found == given_.end() || !was_given(found->second)) continue;
        std::visit(Applier{field, found->second, paths}, value);
    }
    check_fields(describe, [this](const std::string& key) { return typed(key); });
}

std::string FieldFlags::typed(const std::string& key) const {
    const auto option = options_.find(key);
    if (option == options_.end() || option->second->count() == 0) return {};
    const std::string name = "--" + option->second->get_lnames().front();
    if (option->second->get_items_expected_max() == 0) return name;
    return fmt::format("{} {}", name, fmt::join(option->second->results(), ","));
}

bool FieldFlags::any() const {
    return std::any_of(given_.begin(), given_.end(), [](const auto& flag) { return was_given(flag.second); });
}

bool FieldFlags::has(const std::string& key) const {
    const auto found = given_.find(key);
    return found != given_.end() && was_given(found->second);
}

void add_run_flag(CLI::App& app, const std::string& key, std::optional<std::string>& given) {
    add_one_run_flag(app, key, given);
}

void add_run_flag(CLI::App& app, const std::string& key, std::optional<int>& given) {
    add_one_run_flag(app, key, given);
}

Size parse_size(const std::string& text, const std::string& flag) {
    Size size;
    const char* const end = text.data() + text.size();
    const auto [after_width, width_error] = std::from_chars(text.data(), end, size.width);
    if (width_error == std::errc{} && size.width >= 0) {
        if (after_width == end) return {size.width, size.width};
        if (*after_width == 'x') {
            const auto [after_height, height_error] = std::from_chars(after_width + 1, end, size.height);
            if (height_error == std::errc{} && after_height == end && size.height >= 0) return size;
        }
    }
    throw UsageError(flag + " '" + text +
                     "' is not a size: use WIDTHxHEIGHT, e.g. 40x40, or one number for a square");
}

Eyes parse_eyes(const std::string& text, const std::string& flag) {
    double values[4] = {0, 0, 0, 0};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int i = 0; i < 4; ++i) {
        const auto [after, error] = std::from_chars(at, end, values[i]);
        const bool closes = i == 3 ? after == end : after != end && *after == ',';
        if (error != std::errc{} || !closes) {
            throw UsageError(flag + " '" + text +
                             "' is not the places of two eyes: use LX,LY,RX,RY, e.g. 0.37,0.4,0.63,0.4");
        }
        at = after + 1;
    }
    const Eyes eyes{{values[0], values[1]}, {values[2], values[3]}};
    constexpr double most = 100;
    for (const double value : values) {
        if (!(std::abs(value) <= most)) {
            throw UsageError(flag + " '" + text +
                             "' is no place in an image: units are its width and height");
        }
    }
    if (eyes.left == eyes.right) throw UsageError(flag + " '" + text + "' has both eyes at the same place");
    return eyes;
}

}  // namespace fovea
