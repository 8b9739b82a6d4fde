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

/// Models are looked for in this folder, too, from now on in all threads: after those that the environment
/// variable FOVEA_MODELS names, before all others. It holds detectors (wild.json, ...), and landmark models
/// in `landmarks`.
void add_model_folder(const std::filesystem::path& folder);

/// The file of a detector's model, by its name ("wild") or path. \throws UsageError naming the places that
/// were searched.
std::filesystem::path find_model(const std::string& model);

/// The names of the detectors that are there, sorted; then those of OpenCV's cascades.
std::vector<std::string> model_names();

enum class LogLevel { debug, information, warning, error };

/// Gets each message of the library: one sentence, without a newline. Any thread may call it, also several
/// at once.
using LogFunction = std::function<void(LogLevel level, std::string_view message)>;

/// From now on `take` gets what the library has to say, from `least` on. Until then it goes to spdlog's
/// default logger, whose place this takes. An empty function silences the library.
void set_log(LogFunction take, LogLevel least = LogLevel::information);

}  // namespace fovea::api
