#include "lib/files/staged_files.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/folder.hpp"

namespace fovea {

void make_output_folder(const std::filesystem::path& folder, const std::string& whose) {
    if (const std::optional<FolderFailure> failure = make_folder(folder)) {
        throw Error("Cannot make the " + whose + "'s folder " + folder.string() + ": " + failure->reason +
                    "; choose another folder.");
    }
}

std::filesystem::path part_of(std::filesystem::path file) {
    return file += ".part";
}

StagedFile::StagedFile(std::filesystem::path file) : file_(std::move(file)) {
    // Before anything is written.
    refuse_if_input(file_);
    refuse_if_input(part());
}

StagedFile::~StagedFile() {
    std::error_code ignored;
    if (is_staged_ && std::filesystem::is_regular_file(part(), ignored)) {
        std::filesystem::remove(part(), ignored);
    }
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : file_(std::move(other.file_)), is_staged_(std::exchange(other.is_staged_, false)) {}

void StagedFile::publish(Durability durability) {
    rename_file(part(), file_);
    is_staged_ = false;
    if (durability == Durability::at_once) sync_folder(file_);
}

void StagedFiles::add(const std::string& name, std::string_view bytes) {
    StagedFile file(folder_ / name);
    write_file(file.part(), bytes);
    files_.push_back(std::move(file));
}

void StagedFiles::publish() {
    for (StagedFile& file : files_) file.publish(Durability::whenever);
    files_.clear();
}

}  // namespace fovea
