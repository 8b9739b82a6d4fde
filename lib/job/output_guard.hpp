#pragma once

#include <filesystem>
#include <memory>

#include "lib/files/command_files.hpp"
#include "lib/inputs/image_list.hpp"

namespace fovea {

/// The lists, archives and images of a list are inputs of the command, the images while what is returned
/// lives.
/// \param images  must outlive it.
std::unique_ptr<NotedInputs> note_inputs(const ImageList& images);

/// Makes the folder that a file is to lie in, where it is missing. \throws Error if it cannot be made.
void make_parent_folder(const std::filesystem::path& file);

}  // namespace fovea
