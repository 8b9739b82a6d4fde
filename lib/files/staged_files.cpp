#include "lib/files/staged_files.hpp"

#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/file.hpp"

namespace fovea::report {

void make_output_folder(const std::filesystem::path& folder, const std::string& whose) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) {
        throw Error("Cannot make the " + whose + "'s folder " + folder.string() + ": " + failure.message() +
                    "; choose another folder.");
    }
}

StagedFiles::~StagedFiles() {
    std::error_code ignored;
    for (const std::string& name : names_) std::filesystem::remove(staged(name), ignored);
}

void StagedFiles::add(const std::string& name, std::string_view bytes) {
    // Before any of the others takes its place.
    refuse_if_input(folder_ / name);
    refuse_if_input(staged(name));
    try {
        write_file(staged(name), bytes);
    } catch (const Error&) {
        // Half a file takes nobody's place.
        std::error_code ignored;
        std::filesystem::remove(staged(name), ignored);
        throw;
    }
    names_.push_back(name);
}

void StagedFiles::publish() {
    while (!names_.empty()) {
        std::error_code failure;
        std::filesystem::rename(staged(names_.front()), folder_ / names_.front(), failure);
        if (failure) {
            throw Error("Cannot write " + (folder_ / names_.front()).string() + ": " + failure.message() +
                        "; move away what has that name.");
        }
        names_.erase(names_.begin());
    }
}

std::filesystem::path StagedFiles::staged(const std::string& name) const {
    return folder_ / (name + ".part");
}

}  // namespace fovea::report
