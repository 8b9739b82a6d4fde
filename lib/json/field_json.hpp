#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lib/json/field.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {

/// The meaning of a field that a file lacks.
enum class Absent {
    keeps_default,  ///< of the struct: in a configuration
    is_error        ///< unless the field is optional: in files that the program writes
};

/// Reads a JSON object into the fields. Ranges are not checked.
/// \throws Error or UsageError (see JsonPlace) on an unknown key, a wrong type or an unknown name; names the
/// key's full path.
void read_fields(const JsonPlace& place, const DescribeFields& describe,
                 Absent absent = Absent::keeps_default);

/// The fields as a JSON object, in the order of the description.
/// \param escape is done to every path, see escape_environment.
Json write_fields(
    const DescribeFields& describe, const std::function<std::string(const std::string&)>& escape =
                                        [](const std::string& path) { return path; });

/// The same for a struct that stays as it is.
template <class Struct>
Json json_of(
    Struct target, const std::function<std::string(const std::string&)>& escape =
                       [](const std::string& path) { return path; }) {
    return write_fields(fields_of(target), escape);
}

/// Checks ranges and rules of what was read at a place.
/// \throws Error or UsageError "'PATH' must be EXPECTED, but is VALUE" for the first that does not hold, with
/// the key's full path; without the value where a default is at fault.
void check_fields(const JsonPlace& place, const DescribeFields& describe);

/// Reads a struct, and checks its ranges and rules.
/// \throws Error or UsageError as read_fields and check_fields.
template <class Struct>
void read_struct(const JsonPlace& place, Struct& target, Absent absent = Absent::is_error) {
    read_fields(place, fields_of(target), absent);
    check_fields(place, fields_of(target));
}

/// Checks what may not be as it was read. \param path the object's own; empty for the outermost.
/// \throws UsageError "'PATH' must be EXPECTED".
void check_fields(const std::string& path, const DescribeFields& describe);

/// The same for some fields only. \param name_of how messages name a field, by its key's full path: "--step
/// 0"; empty leaves the field out. \throws UsageError "'NAME' must be EXPECTED".
void check_fields(const DescribeFields& describe,
                  const std::function<std::string(const std::string& key)>& name_of);

/// The same for a struct that stays as it is: a description could change what it describes.
template <class Config>
void check_config(const std::string& path, Config config) {
    check_fields(path, fields_of(config));
}

/// An integer of any type, in least...most.
template <class Integer>
JsonValue integer_value(Integer& target, std::int64_t least, std::int64_t most) {
    return {[&target] { return Json(target); },
            [&target, least, most](const JsonPlace& place) {
                target = static_cast<Integer>(place.integer(least, most));
            }};
}

/// A finite number that a struct keeps as float.
JsonValue real_value(float& target);
/// A list of such numbers.
JsonValue reals_value(std::vector<float>& target);

/// Applies a change to every path (Field::is_path). \param change gets the value and its key's full path.
void change_paths(const std::string& path, const DescribeFields& describe,
                  const std::function<void(std::string& value, const std::string& path)>& change);

}  // namespace fovea
