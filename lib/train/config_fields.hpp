#pragma once

#include <filesystem>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_fields.hpp"
#include "lib/json/json_text.hpp"

// The common fields of the configurations of trainings.
namespace fovea {

/// Reads the members of an object inside another, if it is there: read(JsonFields&). \throws UsageError as JsonFields.
template <class Read>
void read_object(JsonFields& fields, const std::string& key, const Read& read) {
    const Json* object = fields.find(key);
    if (object == nullptr) return;
    JsonFields members(*object, fields.path_of(key));
    read(members);
    members.finish();
}

/// \throws UsageError "'KEY' must be EXPECTED" if it is not good.
inline void check(bool good, const std::string& key, const std::string& expected) {
    if (!good) throw UsageError("'" + key + "' must be " + expected);
}

inline bool is_share(double value) {
    return value >= 0 && value < 1;
}

/// The result of `parse` on the JSON in a file. \throws UsageError naming the file, for broken JSON the line, too.
template <class Parse>
auto parse_config_file(const std::filesystem::path& file, const Parse& parse) {
    const std::string text = read_file(file, "configuration");
    try {
        return parse(parse_json(text));
    } catch (const Json::parse_error& error) {
        throw UsageError(file.string() + ":" + std::to_string(line_at(text, error.byte)) +
                         ": the configuration is not JSON here; check commas and quotes.");
    } catch (const UsageError& error) {
        throw UsageError(file.string() + ": " + error.what());
    }
}

}  // namespace fovea
