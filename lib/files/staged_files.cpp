#include "lib/files/staged_files.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {

namespace {

// The names end with a zero byte each: a name may hold a line break.
constexpr char end_of_name = '\0';

std::filesystem::path list_of_report(const std::filesystem::path& folder, const std::string& kind) {
    return folder / ("." + kind + "-files");
}

std::vector<std::string> files_of_report(const std::filesystem::path& folder, const std::string& kind) {
    std::vector<std::string> names;
    const std::filesystem::path list = list_of_report(folder, kind);
    if (!is_file(list)) return names;
    const std::string bytes = read_file(list, "list of a report's files");
    for (std::size_t at = 0, end = 0; (end = bytes.find(end_of_name, at)) != std::string::npos;
         at = end + 1) {
        std::string name = bytes.substr(at, end - at);
        if (is_name_below(name) && is_file(folder / name)) names.push_back(std::move(name));
    }
    return names;
}

void remove_output(const OutputFolder& folder, const std::string& name) {
    folder.inputs().refuse(folder.path() / name);
    remove_file(folder.path() / name);
}

/// Removes the files of the last report that this one lacks, and lists those that it has.
void replace_list_of_report(const OutputFolder& folder, const std::string& kind,
                            const std::set<std::string>& kept) {
    for (const std::string& name : files_of_report(folder.path(), kind)) {
        if (!kept.contains(name)) remove_output(folder, name);
    }
    std::string list;
    for (const std::string& name : kept) list += name + end_of_name;
    replace_file(list_of_report(folder.path(), kind), list, Durability::whenever);
}

void move_into_place(const std::filesystem::path& from, const OutputFolder& folder, const std::string& name) {
    const std::filesystem::path target = replaceable_file(folder.path() / name);
    folder.inputs().refuse(target);
    std::error_code error;
    std::filesystem::rename(from, target, error);
    if (!error) return;
    if (error != std::errc::cross_device_link) {
        rename_file(from, target);
        return;
    }
    // A link leads to another disk.
    StagedFile copy(target);
    std::filesystem::copy_file(from, copy.part(), std::filesystem::copy_options::overwrite_existing);
    copy.publish(Durability::at_once);
}

[[noreturn]] void throw_not_made(const FolderFailure& failure, const std::string& folder,
                                 const std::string& advice) {
    const std::string what = folder + " cannot be made";
    throw_if_short(what, failure.error.value());
    if (failure.error.value() == ENOSPC || failure.error.value() == EDQUOT)
        throw Error(what + ": " + failure.reason + "; make room, or " + advice);
    throw UsageError(what + ": " + failure.reason + "; " + advice);
}

/// \param flag  the beginning of the message: "--out: ", or nothing. \param which "folder", "report's
/// folder".
void make_folder_or_throw(const std::filesystem::path& folder, const std::string& flag,
                          const std::string& which, const std::string& advice) {
    const std::optional<FolderFailure> failure = make_named_folder(folder);
    if (!failure) return;
    if (failure->error == std::errc::no_such_file_or_directory) {
        throw UsageError(flag + "there is no folder " + folder.string() + "; make it first, or " + advice);
    }
    throw_not_made(*failure, flag + "the " + which + " " + folder.string(), advice);
}

void refuse_if_not_writable(const std::filesystem::path& folder, const std::string& flag,
                            const std::string& advice) {
    if (access(folder.c_str(), W_OK) == 0) return;
    const std::string which = flag + ": the folder " + folder.string();
    throw_if_short(which + " cannot be looked at", errno);
    throw UsageError(which + " may not be written to; " + advice);
}

}  // namespace

void make_output_folder(const std::filesystem::path& folder, const std::string& whose) {
    make_folder_or_throw(folder, "", whose + (whose.ends_with('s') ? "' folder" : "'s folder"),
                         "name another folder");
}

void make_folders_to(const std::filesystem::path& file, const std::filesystem::path& output_folder,
                     const std::string& whose) {
    make_output_folder(output_folder, whose);
    const std::filesystem::path folder = folder_above(file);
    if (const std::optional<FolderFailure> failure = make_folder(folder))
        throw_not_made(*failure, "the " + whose + "'s folder " + folder.string(), "name another folder");
}

void make_parent_folder(const std::filesystem::path& file) {
    make_folder_or_throw(folder_above(file), "", "folder", "name another file");
}

void check_output_folder(const std::filesystem::path& folder, const std::string& flag) {
    if (!is_folder(folder) && is_there(folder)) {
        throw UsageError(flag + ": the folder " + folder.string() +
                         " cannot be made: a file has that name; name another folder");
    }
    const std::filesystem::path written = is_folder(folder) ? folder : folder_to_start_from(folder);
    if (!is_folder(written)) {
        throw UsageError(flag + ": there is no folder " + written.string() +
                         "; make it first, or name another folder");
    }
    refuse_if_not_writable(written, flag, "name another folder");
}

void refuse_folder(const std::filesystem::path& file, const std::string& flag) {
    if (!file.empty() && (!file.has_filename() || is_folder(file)))
        throw UsageError(flag + ": " + file.string() + " is a folder; name a file");
}

void prepare_output(const std::filesystem::path& file, const std::string& flag) {
    refuse_folder(file, flag);
    const std::filesystem::path folder = folder_above(file);
    make_folder_or_throw(folder, flag + ": ", "folder", "name another file");
    refuse_if_not_writable(folder, flag, "name another file");
}

void refuse_to_replace(const std::filesystem::path& file, bool overwrite) {
    if (overwrite || !is_file(file)) return;
    std::error_code ignored;
    if (std::filesystem::file_size(file, ignored) == 0) return;
    throw UsageError("the output '" + file.string() +
                     "' is there already; name another file, or replace it with --overwrite");
}

std::filesystem::path part_of(std::filesystem::path file) {
    return file += ".part";
}

bool is_name_below(const std::filesystem::path& path) {
    const std::string_view name = path.native();
    // Backslashes, too: folders are carried to other systems.
    constexpr std::string_view separators = "/\\";
    if (name.empty() || name.find('\0') != std::string_view::npos) return false;
    if (separators.find(name.front()) != std::string_view::npos) return false;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find_first_of(separators, at), name.size());
        if (name.substr(at, end - at) == "..") return false;
        at = end + 1;
    }
    return true;
}

std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name) {
    if (is_name_below(name)) return folder / name;
    throw Error("the file '" + excerpt(name) + "' would lie outside of the output folder " + folder.string() +
                ", as the image or video does that it is named after; rename that one, or choose a format of "
                "one file");
}

std::filesystem::path replaceable_file(const std::filesystem::path& file) {
    if (is_there(file) && !is_file(file)) {
        throw UsageError("'" + file.string() +
                         "' is a device, a pipe or a folder, and only a file can be replaced as a whole; "
                         "name a file");
    }
    // Link by link: std::filesystem::canonical() refuses links to nothing.
    constexpr int max_links = 40;  // as Linux
    std::filesystem::path target = file;
    std::error_code error;
    for (int links = 0; links < max_links && std::filesystem::is_symlink(target, error); ++links) {
        const std::filesystem::path next = std::filesystem::read_symlink(target, error);
        if (error) return file;
        target = target.parent_path() / next;  // an absolute one replaces the folder
    }
    return target;
}

StagedFile::StagedFile(const std::filesystem::path& file) : file_(replaceable_file(file)) {}

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
    const std::filesystem::path place = path_below(folder_.path(), name);
    folder_.inputs().refuse(place);
    StagedFile file(place);
    write_file(file.part(), bytes);
    files_.push_back(std::move(file));
    names_.push_back(name);
}

void StagedFiles::publish() {
    for (StagedFile& file : files_) file.publish(Durability::whenever);
    files_.clear();
    names_.clear();
}

void StagedFiles::publish_report(const std::string& kind) {
    replace_list_of_report(folder_, kind, {names_.begin(), names_.end()});
    publish();
}

StagedFolder::StagedFolder(OutputFolder output, std::string kind)
    : output_(std::move(output)), kind_(std::move(kind)), folder_(output_.path() / ("." + kind_ + "-parts")) {
    make_folders_to(folder_ / "file", output_.path(), kind_);
    lock_ = FileDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!lock_) throw Error("the folder '" + folder_.string() + "' cannot be opened; remove it");
    // Some network file systems have no locks; there the user is trusted.
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        throw Error("the folder '" + output_.path().string() +
                    "' is being written by another program; wait until that has ended, or name another "
                    "folder");
    }
    for (const std::filesystem::path& left : entries_of(folder_)) remove_tree(left);
}

StagedFolder::~StagedFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void StagedFolder::publish() {
    std::set<std::string> names;
    for (const std::filesystem::path& file : files_below(folder_))
        names.insert(file.lexically_relative(folder_).generic_string());
    replace_list_of_report(output_, kind_, names);
    for (const std::string& name : names) {
        make_folders_to(output_.path() / name, output_.path(), kind_);
        move_into_place(folder_ / name, output_, name);
    }
    sync_folder(folder_);
}

void remove_report(const OutputFolder& folder, const std::string& kind) {
    for (const std::string& name : files_of_report(folder.path(), kind)) remove_output(folder, name);
    const std::filesystem::path list = list_of_report(folder.path(), kind);
    if (is_file(list)) remove_file(list);
}

}  // namespace fovea
