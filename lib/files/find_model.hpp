#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// The detector of every command that names none.
inline constexpr const char* default_model = "wild";
/// The cascade that ships, for upright faces that look into the camera.
inline constexpr const char* shipped_cascade = "mct";

/// Finds a detector, as find_by_name does, with or without extension, among those that ship with the program
/// or with Debian's opencv-data. Places, in this order: model_folders(); the folders of opencv-data.
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_model(const std::string& model);

/// A folder of models, and what may follow a model's name there.
struct ModelPlace {
    std::filesystem::path folder;
    std::vector<std::string> extensions;
};

/// The first file in the places that has the name as it stands or with an extension, packed (.gz, .bz2) or
/// not.
std::optional<std::filesystem::path> find_installed(const std::vector<ModelPlace>& places,
                                                    const std::string& name);

/// The names of the files in the places that have one of the extensions there, without it, sorted, each once.
std::vector<std::string> model_names(const std::vector<ModelPlace>& places);

/// The file that the name of a model means. A name with a folder in it is a path. A bare name is one of the
/// places'; only if none has it and it has an extension, a file of the current folder: no file that lies
/// among photographs takes the place of a model that ships. A warning says so where both are there. \param
/// kind  of model, for messages: "recogniser". \param suggestion, hint  follow its name, and the places.
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_by_name(const std::vector<ModelPlace>& places, const std::string& name,
                                   const std::string& kind, const std::string& suggestion = "",
                                   const std::string& hint = "");

/// From now on the models of this folder are found, too.
void add_model_folder(const std::filesystem::path& folder);

/// Folders that models of the program can be in, whether or not they are there: those that FOVEA_MODELS names
/// (as PATH does); those that were added; models beside the program. An installed program has
/// share/fovea/models beside itself or its folder, and looks there alone. One that was built and not
/// installed looks into configs/models beside itself and in the two folders above, and in the source tree
/// that it was built from.
std::vector<std::filesystem::path> model_folders();

/// Names of the models that ship with the program, sorted; not those of opencv-data.
std::vector<std::string> shipped_models();

/// These names, then those of the cascades of opencv-data that are installed, sorted.
std::vector<std::string> known_models();

}  // namespace fovea
