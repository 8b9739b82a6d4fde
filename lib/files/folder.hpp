#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace fovea {

/// True if anything (a regular file, a folder) has this name; links are followed. A name that this user may
/// not see is not there. \throws ShortageError if the machine lacks what it takes to tell.
bool is_there(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// True if two names lead to the same file or folder; false if one of them is not there.
bool is_same_place(const std::filesystem::path& first, const std::filesystem::path& second);

/// Why a folder cannot be made.
struct FolderFailure {
    std::error_code error;  ///< 0 if a file has the folder's name
    std::string reason;
};

/// Makes a folder and all missing folders above it. \return the failure; nothing if the folder is there now.
std::optional<FolderFailure> make_folder(const std::filesystem::path& folder);

/// The folder that must exist before make_named_folder() makes a folder. For an absolute path it is the
/// folder above, so that a mistyped path does not become a tree of folders; for a relative path, which lies
/// below the current folder, it is the nearest folder above that exists.
std::filesystem::path folder_to_start_from(const std::filesystem::path& folder);

/// Makes a folder if folder_to_start_from() exists. \return as make_folder(); errc::no_such_file_or_directory
/// if it does not.
std::optional<FolderFailure> make_named_folder(const std::filesystem::path& folder);

/// The folder that holds a file or folder; "." for a bare name. A slash at the end changes nothing.
std::filesystem::path folder_above(const std::filesystem::path& path);

/// The paths of a folder's entries in natural order: 2.jpg before 10.jpg. \throws UsageError if there is no
/// such folder; ShortageError or Error if it cannot be read to its end.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The sub-folders of a folder, and links to folders, in natural order. It is quick even if there are many
/// files. \throws as entries_of().
std::vector<std::filesystem::path> folders_of(const std::filesystem::path& folder);

/// The regular files of a folder whose names `accept` returns true for, in natural order; none if there is no
/// such folder. \throws ShortageError or Error as entries_of().
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const std::function<bool(const std::string&)>& accept);

/// The entries of a folder and of all folders below it, in natural order; links to folders are not followed.
/// \throws as entries_of().
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

/// The entries of entries_below() that are no folders; links to folders are among them.
/// \throws as entries_of().
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

}  // namespace fovea
