#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// The detector that commands use unless the user names one.
inline constexpr const char* default_model = "wild";
/// The cascade that ships, for upright faces that look into the camera.
inline constexpr const char* shipped_cascade = "mct";

/// Finds the file of a detector by find_by_name(): first in model_folders(), then in the folders of Debian's
/// opencv-data. \throws UsageError naming the places that were searched.
std::filesystem::path find_model(const std::string& model);

/// A folder of models, and the extensions of its models: {".json", ".onnx"}.
struct ModelPlace {
    std::filesystem::path folder;
    std::vector<std::string> extensions;
};

/// The first file in the places with this name, with or without an extension, packed (.gz, .bz2) or not.
std::optional<std::filesystem::path> find_installed(const std::vector<ModelPlace>& places,
                                                    const std::string& name);

/// The names of the models in the places, without extensions; sorted, each once. Packed ones are left out.
std::vector<std::string> model_names(const std::vector<ModelPlace>& places);

/// The file that a model's name means. A name with a folder in it is a path. A bare name is searched in the
/// places, and then, if it has an extension, in the current folder: a file among photographs never replaces a
/// model that ships. If both are there, a warning says so.
/// \param kind        of model, for messages: "recogniser"
/// \param suggestion  stands behind the name in the message
/// \param hint        stands behind the places in the message
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_by_name(const std::vector<ModelPlace>& places, const std::string& name,
                                   const std::string& kind, const std::string& suggestion = "",
                                   const std::string& hint = "");

/// From now on models are searched in this folder, too.
void add_model_folder(const std::filesystem::path& folder);

/// The folders in which the program's models are searched, in this order; they need not exist:
/// 1. the folders that FOVEA_MODELS lists, separated by ':';
/// 2. folders that add_model_folder() added;
/// 3. `models` in the program's folder;
/// 4. for an installed program: share/fovea/models in its folder or the one above, or `models` in the one
///    above (Python's package);
/// 5. for others: configs/models in the program's folder, the two above, and the source tree.
std::vector<std::filesystem::path> model_folders();

/// The names of the .json models in model_folders(), sorted; not those of opencv-data.
std::vector<std::string> shipped_models();

/// The names of shipped_models(), then those of the installed cascades of opencv-data, each part sorted.
std::vector<std::string> known_models();

}  // namespace fovea
