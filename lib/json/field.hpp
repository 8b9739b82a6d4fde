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

// Each struct that a JSON file of this program holds has one function describe(visitor, struct), which names
// its fields, their ranges and, for configurations, their flags. Reading, writing, checking, flags and paths
// all follow from it: see field_json.hpp and, for the flags, apps/options/field_flags.hpp. A new field is a
// member of the struct and one line of describe(); the test of configs/default.json tells if one is missing.
namespace fovea {

/// The values that a number may have. NaN is in no range that has a limit.
struct FieldRange {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool excludes_min = false;
    bool excludes_max = false;
    bool includes_zero = false;  ///< 0 is allowed although it is below the minimum
    std::string expected{};      ///< the range in words: "between 0 and 1"; empty = no limits

    bool contains(double value) const;
};

// Functions that make ranges; each comment shows the range's `expected`.

/// "between 0 and 1", both included. \param meaning what the minimum means: "between 0 (all cores) and 1024".
FieldRange between(double min, double max, const std::string& meaning = {});
/// "between 0.5 and 3", neither included.
FieldRange inside(double min, double max);
/// "1 to 100", both included. \param unit stands behind the numbers: "8 to 4096 pixels".
FieldRange from_to(double min, double max, const std::string& unit = {});
/// "above 0 and at most 1".
FieldRange above_at_most(double min, double max);
/// "at least 0 and below 1".
FieldRange at_least_below(double min, double max);
/// "at least 100".
FieldRange at_least(double min);
/// "above 0", and finite.
FieldRange above(double min);
/// "0 (none), or between 2 and 100". \param meaning what 0 means.
FieldRange zero_or(const std::string& meaning, const FieldRange& range);

/// A field's flag on the command line.
struct FieldFlag {
    const char* name = "";   ///< "--threads,-j"; empty = no flag
    const char* type = "";   ///< "N"
    const char* group = "";  ///< heading of the help
    std::string help{};      ///< "{default}" stands for the field's default
    /// The parser refuses values outside of the field's range or names, and the help lists these.
    bool is_checked = false;
    /// The parser's maximum if is_checked and it is below the field's.
    double max = std::numeric_limits<double>::infinity();
    int place = 0;               ///< the help shows flags of lower places first
    bool shows_default = false;  ///< the help shows a text's default behind the type: "RECOGNISER=lbp"
};

/// The flag under the help's last heading: for flags that few people need.
inline FieldFlag advanced(FieldFlag flag) {
    flag.group = "Advanced";
    return flag;
}

/// Whether a file must have a member. If it may lack it, the struct keeps its value.
enum class Presence {
    as_others,  ///< Absent decides, as for all members of the file
    always,
    optional,  ///< may be missing; false and empty values are not written
    left_out,  ///< may be missing, and is never written
};

/// The description of a field, without its value.
struct Field {
    const char* key = "";
    FieldRange range{};  ///< of a number, or of each number of a list
    FieldFlag flag{};
    bool is_path = false;  ///< texts: environment variables are replaced in it
    /// Checks a text. \throws UsageError, without the key, if the text is not allowed.
    std::function<void(const std::string&)> check{};
    Presence presence = Presence::as_others;
};

/// A value that has a name: an enumeration.
struct NamedValue {
    std::vector<std::string> names;  ///< all allowed names
    std::function<std::string()> get;
    std::function<void(const std::string& name)> set;  ///< throws UsageError for another name
};

/// A list of values that have names.
struct NamedList {
    std::vector<std::string> names;
    std::function<std::vector<std::string>()> get;
    std::function<void()> clear;
    std::function<void(const std::string& name)> add;  ///< throws UsageError for another name
};

class JsonPlace;

/// A value that its own code writes as JSON and reads.
struct JsonValue {
    std::function<Json()> get;
    std::function<void(const JsonPlace& place)> set;  ///< throws as JsonPlace
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
    std::function<void()> add;                                           ///< adds an object with the defaults
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
    /// A rule for several fields. If it does not hold, the error names one of them: 'KEY' must be EXPECTED.
    virtual void rule(const std::string& /*key*/, bool /*holds*/, const std::string& /*expected*/) {}
    /// A check by other code of the fields read so far. Its std::invalid_argument or UsageError is told under
    /// a key (empty: the object's own). It runs while fields are read, so the following ones may rely on it.
    virtual void demand(const std::string& /*key*/, const std::function<void()>& /*check*/) {}
};

/// A field of an object or of an object in it.
struct DescribedField {
    std::string key;  ///< the full path: "detectors[1].step"
    Field field;
    FieldValue value;
};

/// All fields of an object, of its members and of the objects in its lists, in the order of the description.
std::vector<DescribedField> all_fields(const DescribeFields& describe);

/// The fields of a struct, which must outlive the result.
template <class Config>
DescribeFields fields_of(Config& config) {
    return [&config](FieldVisitor& visitor) { describe(visitor, config); };
}

/// A value of an enumeration with a table of its names (NameTable); `value` must outlive the result.
template <class Enum, class Table>
NamedValue named(Enum& value, const Table& table) {
    return {table.all(), [&value, table] { return table.name_of(value); },
            [&value, table](const std::string& name) { value = table.value_of(name); }};
}

/// A value of an enumeration without a table of names. \param parse undoes to_string(); `set` throws as
/// it does.
template <class Enum>
NamedValue named(Enum& value, std::vector<std::string> names, Enum (*parse)(const std::string&)) {
    return {std::move(names), [&value] { return to_string(value); },
            [&value, parse](const std::string& name) { value = parse(name); }};
}

/// Numbers that are a list in JSON: a point, a box. \param expected describes the list in errors.
JsonValue number_list(std::vector<double*> numbers, const std::string& expected);

/// An object that is kept as it is; null if there is none.
JsonValue kept_object(Json& json);

/// A text that is always the same: reading fails for another one.
JsonValue constant_text(const std::string& text);

/// Describes the members "format" and "version" of a file. \param version the newest that can be read.
void describe_format(FieldVisitor& visitor, const std::string& format, int version);
/// Checks "format" and "version" of an object that is read without a description. \throws Error or UsageError
/// if the format is another one or the version is not known.
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
