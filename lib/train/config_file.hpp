#pragma once

#include <filesystem>
#include <string>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/whole_file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {

/// The configuration of a training in a file; environment variables in its paths are replaced.
/// \param parse makes the configuration from JSON.
/// \throws UsageError naming the file, for broken JSON the line, too.
template <class Config>
Config load_training_file(const std::filesystem::path& file, Config (*parse)(const Json&)) {
    const std::string text = read_file(file, "configuration", max_written_file);
    try {
        Config config = parse(parse_json(text));
        change_paths("", fields_of(config),
                     [](std::string& value, const std::string&) { value = expand_environment(value); });
        return config;
    } catch (const Json::parse_error& error) {
        throw UsageError(file.string() + ":" + std::to_string(line_at(text, error.byte)) +
                         ": the configuration is not JSON here; check commas and quotes.");
    } catch (const UsageError& error) {
        throw UsageError(file.string() + ": " + error.what());
    }
}

}  // namespace fovea
