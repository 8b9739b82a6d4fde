#include "lib/files/publish.hpp"

#include <iostream>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;

void publish(const OutputFiles& files, const fs::path& output, bool overwrite, const InputFiles& inputs) {
    if (!files.is_folder) {
        const std::string& bytes = files.files.front().bytes;
        if (output == "-") {
            std::cout << bytes;
            return;
        }
        inputs.refuse(output);
        refuse_to_replace(output, overwrite);
        make_parent_folder(output);
        replace_file(output, bytes);
        return;
    }
    if (output == "-") throw UsageError("the format is a folder of files; name the folder with --out");
    for (const OutputFile& file : files.files) refuse_to_replace(path_below(output, file.name), overwrite);
    StagedFiles staged({output, inputs}, "output");
    fs::path last;
    for (const OutputFile& file : files.files) {
        const fs::path place = path_below(output, file.name);
        const fs::path folder = place.parent_path();
        if (folder != last) make_folders_to(place, output, "output");
        last = folder;
        staged.add(file.name, file.bytes);
    }
    staged.publish();
}

}  // namespace fovea
