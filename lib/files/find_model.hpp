#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// The detector of commands that name none.
inline constexpr const char* default_model = "wild";
/// The cascade that ships. The recognisers that ship were made with it, and benchmarks compare it with other
/// cascades.
inline constexpr const char* shipped_cascade = "mct";

/// Finds a model: a path as given, else a name, with or without extension, of one that ships with the program
/// or with Debian's opencv-data. Places, in this order: the folders that FOVEA_MODELS names (as PATH does);
/// models, configs/models and share/fovea/models beside the program and in the two folders above it; the
/// source tree's configs/models that the program was built from; those of opencv-data.
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_model(const std::string& model);

/// Folders that models of the program can be in, whether or not they are there: see find_model.
std::vector<std::filesystem::path> model_folders();

/// Names of the models that ship with the program, sorted; not those of opencv-data.
std::vector<std::string> shipped_models();

/// These names, then those of the cascades of opencv-data that are installed, sorted.
std::vector<std::string> known_models();

}  // namespace fovea
