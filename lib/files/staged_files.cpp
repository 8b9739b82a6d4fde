#include "lib/files/staged_files.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

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

void prepare_output(const std::filesystem::path& file, const std::string& flag) {
    if (is_folder(file)) throw UsageError(flag + ": " + file.string() + " is a folder; name a file");
    const auto parent_of = [](const std::filesystem::path& path) {
        return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    };
    const std::filesystem::path folder = parent_of(file);
    if (!is_folder(folder)) {
        if (!is_folder(parent_of(folder))) {
            throw UsageError(flag + ": there is no folder " + folder.string() +
                             "; make it first, or name another file");
        }
        if (const std::optional<FolderFailure> failure = make_folder(folder)) {
            throw UsageError(flag + ": the folder " + folder.string() +
                             " cannot be made: " + failure->reason + "; name another file");
        }
    }
    if (access(folder.c_str(), W_OK) != 0) {
        throw UsageError(flag + ": the folder " + folder.string() +
                         " may not be written to; name another file");
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
