#pragma once

#include <filesystem>
#include <string>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Reads the configuration of a training from a file; environment variables in its paths are replaced.
/// \param parse makes the configuration from JSON.
/// \throws UsageError as read_configuration and parse; names the file.
template <class Config>
Config load_training_file(const std::filesystem::path& file, Config (*parse)(const Json&)) {
    const Json json = read_configuration(file);
    try {
        Config config = parse(json);
        change_paths("", fields_of(config),
                     [](std::string& value, const std::string&) { value = expand_environment(value); });
        return config;
    } catch (const UsageError& error) {
        throw UsageError(configuration_name(file) + ": " + error.what());
    }
}

}  // namespace fovea
