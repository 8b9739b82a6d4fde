#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace fovea {

/// True if anything, a regular file, or a folder has this name; links are followed. A name that this user may
/// not see is not there. \throws ShortageError if the system fails to tell: that is never taken for absent.
bool is_there(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// True if two names are of one file or folder; false if one is not there.
bool is_same_place(const std::filesystem::path& first, const std::filesystem::path& second);

/// Why a folder cannot be made.
struct FolderFailure {
    std::error_code error;  ///< 0 where a file has its name
    std::string reason;
};

/// Makes a folder, and those above it that are missing. \return the failure; nothing if the folder is there
/// now.
std::optional<FolderFailure> make_folder(const std::filesystem::path& folder);

/// The folder in which a folder of that name would be made: of an absolute path the folder above, so that a
/// mistyped path does not become a tree of folders; of a relative one the nearest that is there, as all of it
/// lies below the current folder.
std::filesystem::path folder_to_start_from(const std::filesystem::path& folder);

/// Makes a folder in that of folder_to_start_from(). \return as make_folder; errc::no_such_file_or_directory
/// where that is missing.
std::optional<FolderFailure> make_named_folder(const std::filesystem::path& folder);

/// The folder that a file or folder lies in; "." of a bare name. A slash at the end changes nothing.
std::filesystem::path folder_above(const std::filesystem::path& path);

/// The entries of a folder in the natural order of names: 2.jpg before 10.jpg. \throws UsageError if there is
/// no such folder; ShortageError or Error if it cannot be read to its end.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Those of them that are folders, or links to some; quick where a folder has many files.
std::vector<std::filesystem::path> folders_of(const std::filesystem::path& folder);

/// The plain files of a folder that `accept` likes by their name, in natural order.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const std::function<bool(const std::string&)>& accept);

/// The entries of a folder and all folders below it; links to folders are not followed.
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

/// Those of them that are no folders.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

}  // namespace fovea
