#include "lib/files/publish.hpp"

#include <iostream>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

void require_folder(const fs::path& folder) {
    if (const std::optional<FolderFailure> failure = make_folder(folder)) {
        throw UsageError("the folder '" + folder.string() + "' cannot be made: " + failure->reason +
                         "; name another with --out");
    }
}

}  // namespace

void publish(const OutputFiles& files, const fs::path& output) {
    if (!files.is_folder) {
        const std::string& bytes = files.files.front().bytes;
        if (output == "-") {
            std::cout << bytes;
            return;
        }
        refuse_if_input(output);
        if (output.has_parent_path()) require_folder(output.parent_path());
        replace_file(output, bytes);
        return;
    }
    if (output == "-") throw UsageError("the format is a folder of files; name the folder with --out");
    require_folder(output);
    StagedFiles staged(output);
    fs::path last;
    for (const OutputFile& file : files.files) {
        const fs::path folder = (output / file.name).parent_path();
        if (folder != last) require_folder(folder);
        last = folder;
        staged.add(file.name, file.bytes);
    }
    staged.publish();
}

}  // namespace fovea
