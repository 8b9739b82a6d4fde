#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/json/json_fwd.hpp"

// Each struct that a JSON file of this program holds has one function describe(visitor, struct) that names
// its fields, with their ranges, and for configurations their flags. Reading, writing, checking, the flags
// and the paths all follow from it: see field_json.hpp and, for the flags, apps/options/field_flags.hpp. A
// new field is a member of the struct and one line of describe(); the test of configs/default.json says what
// it lacks.
namespace fovea {

/// The values that a number may have; with no limits, any. Not a number is out of every range that has a
/// limit.
struct FieldRange {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool excludes_min = false;
    bool excludes_max = false;
    bool includes_zero = false;  ///< although it is below the minimum
    std::string expected{};      ///< the range in words: "between 0 and 1"; empty = no limits

    bool contains(double value) const;
};

/// "between 0 and 1". \param meaning what the minimum means: "between 0 (all cores) and 1024".
FieldRange between(double min, double max, const std::string& meaning = {});
/// "between 0.5 and 3", and neither of them.
FieldRange inside(double min, double max);
/// "1 to 100". \param unit behind it: "8 to 4096 pixels".
FieldRange from_to(double min, double max, const std::string& unit = {});
/// "above 0 and at most 1".
FieldRange above_at_most(double min, double max);
/// "at least 0 and below 1".
FieldRange at_least_below(double min, double max);
/// "at least 100".
FieldRange at_least(double min);
/// "above 0": and finite.
FieldRange above(double min);
/// "0 (none), or between 2 and 100". \param meaning what 0 means.
FieldRange zero_or(const std::string& meaning, const FieldRange& range);

/// A field's flag on the command line.
struct FieldFlag {
    const char* name = "";   ///< "--threads,-j"; empty = no flag
    const char* type = "";   ///< "N"
    const char* group = "";  ///< heading of the help
    std::string help{};      ///< "{default}" stands for the field's default
    /// The parser refuses what is out of the field's range or names, and the help lists these.
    bool is_checked = false;
    double max =
        std::numeric_limits<double>::infinity();  ///< with is_checked: of the parser, if below the field's
    int place = 0;  ///< in the help, flags of a higher place follow those of a lower one
};

/// The same flag under the help's last heading: for flags that few people need.
inline FieldFlag advanced(FieldFlag flag) {
    flag.group = "Advanced";
    return flag;
}

/// Whether a file has a member, or may lack it: then the struct keeps what it has.
enum class Presence {
    as_others,  ///< as the reader says of all members: Absent
    always,
    optional,  ///< a field whose value is false or empty is not written
    left_out,  ///< optional, and not written
};

/// The description of a field, without its value.
struct Field {
    const char* key = "";
    FieldRange range{};  ///< numbers: of the value, or of each element of a list
    FieldFlag flag{};
    bool is_path = false;  ///< of texts: environment variables are replaced in it
    /// Check of a text: throws UsageError, without the key, if the text is not allowed.
    std::function<void(const std::string&)> check{};
    Presence presence = Presence::as_others;
};

/// A value that has a name: an enumeration.
struct NamedValue {
    std::vector<std::string> names;  ///< all that there are
    std::function<std::string()> get;
    std::function<void(const std::string& name)> set;  ///< throws UsageError for a name that there is not
};

/// A list of such values.
struct NamedList {
    std::vector<std::string> names;
    std::function<std::vector<std::string>()> get;
    std::function<void()> clear;
    std::function<void(const std::string& name)> add;  ///< throws UsageError for a name that there is not
};

class JsonPlace;

/// A value of which only its own code knows the JSON.
struct JsonValue {
    std::function<Json()> get;
    std::function<void(const JsonPlace& place)> set;  ///< throws what the place's functions throw
};

/// The value of a field, to be read or changed. Pointers are never null.
using FieldValue =
    std::variant<bool*, int*, std::size_t*, double*, std::string*, std::optional<int>*,
                 std::optional<double>*, std::vector<std::string>*, std::vector<double>*, std::vector<int>*,
                 Size*, std::optional<Eyes>*, NamedValue, NamedList, JsonValue>;

class FieldVisitor;

/// Shows a visitor the fields of an object.
using DescribeFields = std::function<void(FieldVisitor&)>;

/// A list of objects.
struct ObjectList {
    std::function<std::size_t()> size;
    std::function<void()> clear;
    std::function<void()> add;                                           ///< an object with the defaults
    std::function<void(std::size_t i, FieldVisitor& visitor)> describe;  ///< shows the fields of object i
};

/// An action on the fields of a struct. It sees them in the order in which they are written.
class FieldVisitor {
  public:
    virtual ~FieldVisitor() = default;

    virtual void value(const Field& field, const FieldValue& value) = 0;
    virtual void object(const std::string& key, const DescribeFields& describe,
                        Presence presence = Presence::as_others) = 0;
    virtual void objects(const std::string& key, const ObjectList& list) = 0;
    /// A demand on several fields, to be told under the key of one: 'KEY' must be EXPECTED.
    virtual void rule(const std::string& /*key*/, bool /*holds*/, const std::string& /*expected*/) {}
    /// A demand of other code on what was read so far: its std::invalid_argument or UsageError is told under
    /// a key, empty: under that of the object. Checked while the fields are read: those behind may rely
    /// on it.
    virtual void demand(const std::string& /*key*/, const std::function<void()>& /*check*/) {}
};

/// A field and its key's full path: "detectors[1].step".
struct DescribedField {
    std::string key;
    Field field;
    FieldValue value;
};

/// All fields of an object, those of its members and of the objects in its lists among them, in their order.
std::vector<DescribedField> all_fields(const DescribeFields& describe);

/// The fields of a struct, which must outlive what is returned.
template <class Config>
DescribeFields fields_of(Config& config) {
    return [&config](FieldVisitor& visitor) { describe(visitor, config); };
}

/// A value of an enumeration, with a table of its names (NameTable).
template <class Enum, class Table>
NamedValue named(Enum& value, const Table& table) {
    return {table.all(), [&value, table] { return table.name_of(value); },
            [&value, table](const std::string& name) { value = table.value_of(name); }};
}

/// The same without a table. \param parse the reverse of to_string(). \throws what it throws.
template <class Enum>
NamedValue named(Enum& value, std::vector<std::string> names, Enum (*parse)(const std::string&)) {
    return {std::move(names), [&value] { return to_string(value); },
            [&value, parse](const std::string& name) { value = parse(name); }};
}

/// Numbers that stand in a list: a point, a box. \param expected describes the list.
JsonValue number_list(std::vector<double*> numbers, const std::string& expected);

/// An object that is kept as it is; null where there is none.
JsonValue kept_object(Json& json);

/// A text that is always the same.
JsonValue constant_text(const std::string& text);

/// The members "format" and "version" of a file. \param version the newest that can be read.
void describe_format(FieldVisitor& visitor, const std::string& format, int version);
/// The same for an object that is read without a description. \throws Error or UsageError if they differ.
void require_format(const JsonPlace& place, const std::string& format, int version);

/// A list of structs. \param describe_item shows the fields of one.
template <class Struct>
ObjectList list_of(std::vector<Struct>& list,
                   std::function<void(FieldVisitor& visitor, Struct& item)> describe_item) {
    ObjectList objects;
    objects.size = [&list] { return list.size(); };
    objects.clear = [&list] { list.clear(); };
    objects.add = [&list] { list.emplace_back(); };
    objects.describe = [&list, describe_item](std::size_t i, FieldVisitor& visitor) {
        describe_item(visitor, list[i]);
    };
    return objects;
}

/// A list of structs that have a describe() of their own.
template <class Struct>
ObjectList list_of(std::vector<Struct>& list) {
    return list_of<Struct>(list, [](FieldVisitor& visitor, Struct& item) { describe(visitor, item); });
}

}  // namespace fovea
