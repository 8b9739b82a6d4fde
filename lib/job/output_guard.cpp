#include "lib/job/output_guard.hpp"

#include <optional>

#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"

namespace fovea {

std::unique_ptr<NotedInputs> note_inputs(const ImageList& images) {
    for (const std::filesystem::path& source : images.sources()) note_input(source);
    return std::make_unique<NotedInputs>(images.size(), [&images](std::size_t i) { return images.file(i); });
}

void make_parent_folder(const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    const std::filesystem::path folder = file.parent_path();
    if (const std::optional<FolderFailure> failure = make_folder(folder)) {
        throw Error("cannot make the folder " + folder.string() + ": " + failure->reason);
    }
}

}  // namespace fovea
