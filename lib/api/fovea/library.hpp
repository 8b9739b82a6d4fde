#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fovea/types.hpp>

namespace fovea::api {

/// The version of the library, e.g. "0.1.0".
std::string version();

/// From now on, all threads search models in this folder, too: after the folders of the environment variable
/// FOVEA_MODELS, before all others. It holds detectors (wild.json, ...), and landmark models in `landmarks`.
void add_model_folder(const std::filesystem::path& folder);

/// The file of a detector's model, by its name ("wild") or path. \throws UsageError naming the places that
/// were searched.
std::filesystem::path find_model(const std::string& model);

/// The names of the installed detectors, then of OpenCV's installed cascades, each part sorted.
std::vector<std::string> model_names();

enum class LogLevel { debug, information, warning, error };

/// Gets each message of the library: one sentence, without a newline. Several threads may call it at once.
using LogFunction = std::function<void(LogLevel level, std::string_view message)>;

/// From now on `take` gets the library's messages of level `least` and above, instead of spdlog's default
/// logger, which this replaces. An empty function silences the library.
void set_log(LogFunction take, LogLevel least = LogLevel::information);

}  // namespace fovea::api
