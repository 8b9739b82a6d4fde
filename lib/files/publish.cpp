#include "lib/files/publish.hpp"

#include <iostream>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (is_folder(folder)) return;
    throw UsageError("the folder '" + folder.string() + "' cannot be made" +
                     (error ? ": " + error.message() : std::string(": a file has that name")) +
                     "; name another with --out");
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
        if (output.has_parent_path()) make_folder(output.parent_path());
        replace_file(output, bytes);
        return;
    }
    if (output == "-") throw UsageError("the format is a folder of files; name the folder with --out");
    make_folder(output);
    report::StagedFiles staged(output);
    fs::path last;
    for (const OutputFile& file : files.files) {
        const fs::path folder = (output / file.name).parent_path();
        if (folder != last) make_folder(folder);
        last = folder;
        staged.add(file.name, file.bytes);
    }
    staged.publish();
}

}  // namespace fovea
