#pragma once

#include <filesystem>
#include <string>

#include "lib/config/config.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A configuration with the defaults for what the JSON lacks. \throws UsageError on an unknown key or a wrong
/// type; names the key's full path.
template <class Config>
Config training_config_of(const Json& json) {
    Config config;
    read_fields(JsonPlace(json), fields_of(config));
    return config;
}

/// Reads the configuration of a training from a file; environment variables in its paths are replaced.
/// \throws UsageError as read_configuration and training_config_of; names the file.
template <class Config>
Config load_training_config(const std::filesystem::path& file) {
    const Json json = read_configuration(file);
    try {
        Config config = training_config_of<Config>(json);
        change_paths("", fields_of(config),
                     [](std::string& value, const std::string&) { value = expand_environment(value); });
        return config;
    } catch (const UsageError& error) {
        throw UsageError(configuration_name(file) + ": " + error.what());
    }
}

}  // namespace fovea
