#pragma once

#include <filesystem>
#include <vector>

namespace fovea {

/// True if anything, a regular file, or a folder has this name; links are followed. A name that this user may not see is not
/// there. \throws ShortageError if the system fails to tell: that is never taken for absent.
bool is_there(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// The entries of a folder in the natural order of names: 2.jpg before 10.jpg. \throws UsageError if there is no such folder;
/// ShortageError or Error if it cannot be read to its end.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The same of a folder and all folders below it; links to folders are not followed.
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

}  // namespace fovea
