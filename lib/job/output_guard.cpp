#include "lib/job/output_guard.hpp"

#include <system_error>

#include "lib/core/error.hpp"

namespace fovea {

std::unique_ptr<NotedInputs> note_inputs(const ImageList& images) {
    for (const std::filesystem::path& source : images.sources()) note_input(source);
    return std::make_unique<NotedInputs>(images.size(), [&images](std::size_t i) { return images.file(i); });
}

void make_parent_folder(const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) throw Error("cannot make the folder " + file.parent_path().string() + ": " + error.message());
}

}  // namespace fovea
