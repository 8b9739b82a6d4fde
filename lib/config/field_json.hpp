#pragma once

#include <functional>
#include <string>

#include "lib/config/field.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Reads a JSON object into the fields; those that it lacks stay as they are. Ranges are not checked.
/// \param path the object's own, in messages; empty for the outermost.
/// \throws UsageError on an unknown key, a wrong type or an unknown name; names the key's full path.
void read_fields(const Json& json, const std::string& path, const DescribeFields& describe);

/// The fields as a JSON object, in the order of the description.
/// \param escape is done to every path, see escape_environment.
Json write_fields(
    const DescribeFields& describe, const std::function<std::string(const std::string&)>& escape =
                                        [](const std::string& path) { return path; });

/// The same for a struct that stays as it is.
template <class Config>
Json config_json(
    Config config, const std::function<std::string(const std::string&)>& escape =
                       [](const std::string& path) { return path; }) {
    return write_fields(fields_of(config), escape);
}

/// Checks ranges and rules. \param path as that of read_fields.
/// \throws UsageError "'PATH' must be EXPECTED" for the first that does not hold, with the key's full path.
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

/// Applies a change to every path (Field::is_path). \param change gets the value and its key's full path.
void change_paths(const std::string& path, const DescribeFields& describe,
                  const std::function<void(std::string& value, const std::string& path)>& change);

}  // namespace fovea
