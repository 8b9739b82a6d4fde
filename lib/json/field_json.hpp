#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lib/json/field.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {

/// How reading treats a field that a file lacks.
enum class Absent {
    keeps_default,  ///< the struct keeps its value: for configurations
    is_error        ///< an error unless the field is optional: for files that the program writes
};

/// Reads a JSON object into the fields. It checks no ranges.
/// \throws Error or UsageError (see JsonPlace), with the key's full path, for an unknown key, a wrong type or
/// an unknown name.
void read_fields(const JsonPlace& place, const DescribeFields& describe,
                 Absent absent = Absent::keeps_default);

/// The fields as a JSON object, in the order of the description.
/// \param escape changes every path that is written, see escape_environment().
Json write_fields(
    const DescribeFields& describe, const std::function<std::string(const std::string&)>& escape =
                                        [](const std::string& path) { return path; });

/// The fields of a struct as a JSON object. \param escape as of write_fields().
template <class Struct>
Json json_of(
    Struct target, const std::function<std::string(const std::string&)>& escape =
                       [](const std::string& path) { return path; }) {
    return write_fields(fields_of(target), escape);
}

/// Checks the ranges and rules of fields that were read at a place.
/// \throws Error or UsageError "'PATH' must be EXPECTED, but is VALUE" for the first one that does not hold,
/// with the key's full path; without the value if it is a default.
void check_fields(const JsonPlace& place, const DescribeFields& describe);

/// Reads a struct and checks its ranges and rules.
/// \throws Error or UsageError as read_fields() and check_fields().
template <class Struct>
void read_struct(const JsonPlace& place, Struct& target, Absent absent = Absent::is_error) {
    read_fields(place, fields_of(target), absent);
    check_fields(place, fields_of(target));
}

/// Checks fields that may have changed since they were read. \param path the object's own; empty for the
/// outermost one. \throws UsageError "'PATH' must be EXPECTED".
void check_fields(const std::string& path, const DescribeFields& describe);

/// Checks some of the fields. \param name_of gives a field's name in messages ("--step 0") by its key's full
/// path; empty leaves the field out. \throws UsageError "'NAME' must be EXPECTED".
void check_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string& key)>& name_of);

/// Checks a copy of a struct as check_fields() does: a description could change what it describes.
template <class Config>
void check_config(const std::string& path, Config config) {
    check_fields(path, fields_of(config));
}

/// An integer of any type, from `least` to `most`.
template <class Integer>
JsonValue integer_value(Integer& target, std::int64_t least, std::int64_t most) {
    return {[&target] { return Json(target); },
            [&target, least, most](const JsonPlace& place) {
                target = static_cast<Integer>(place.integer(least, most));
            }};
}

/// A finite number that a struct keeps as float.
JsonValue real_value(float& target);
/// A list of finite numbers that a struct keeps as float.
JsonValue reals_value(std::vector<float>& target);

/// Calls `change` for every path (Field::is_path) with the value and its key's full path. \param path the
/// object's own; empty for the outermost one.
void change_paths(const std::string& path, const DescribeFields& describe,
                  const std::function<void(std::string& value, const std::string& path)>& change);

}  // namespace fovea
