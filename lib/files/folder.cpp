#include "lib/files/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <sys/stat.h>

#include "lib/core/natural_order.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

// none where this user may not see it
fs::file_type type_of(const fs::path& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::none) {
        throw_if_short("'" + path.string() + "' cannot be looked at", error.value(), ".");
    }
    return type;
}

/// An entry of a folder while it is read.
class FolderEntry {
  public:
    FolderEntry(const fs::path& folder, const dirent& entry) : folder_(folder), entry_(entry) {}

    const char* name() const { return entry_.d_name; }
    fs::path path() const { return folder_ / entry_.d_name; }
    // Most systems tell the type with the name, so that files need not be looked at one by one.
    bool is_folder() const {
        return is_link_or_unknown() ? fovea::is_folder(path()) : entry_.d_type == DT_DIR;
    }
    bool is_file() const { return is_link_or_unknown() ? fovea::is_file(path()) : entry_.d_type == DT_REG; }
    bool is_link() const {
        std::error_code none;
        return entry_.d_type == DT_UNKNOWN ? fs::is_symlink(path(), none) : entry_.d_type == DT_LNK;
    }

  private:
    bool is_link_or_unknown() const { return entry_.d_type == DT_LNK || entry_.d_type == DT_UNKNOWN; }

    const fs::path& folder_;
    const dirent& entry_;
};

void sort_naturally(std::vector<fs::path>& paths) {
    std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
        return natural_compare(a.native(), b.native()) < 0;
    });
}

/// In no order. \param accepts called with each entry
template <class Accepts>
std::vector<fs::path> read_entries(const fs::path& folder, const Accepts& accepts) {
    std::vector<fs::path> entries;
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
    int error = opened ? 0 : errno;
    while (opened) {
        errno = 0;
        const dirent* const read = ::readdir(opened.get());
        if (read == nullptr) {
            error = errno;
            break;
        }
        const std::string_view name = read->d_name;
        if (name == "." || name == "..") continue;
        const FolderEntry entry(folder, *read);
        if (accepts(entry)) entries.push_back(entry.path());
    }
    if (error == ENOENT) throw UsageError("There is no folder '" + folder.string() + "'; check the path.");
    if (error != 0) {
        const std::string message = "The folder '" + folder.string() + "' cannot be read";
        throw_if_short(message, error, ".");
        throw Error(message + ": " + std::generic_category().message(error) + ".");
    }
    return entries;
}

// Tells why as the system does: std::filesystem takes what it fails to look at for missing.
std::error_code make_with_those_above(const fs::path& folder) {
    const auto make = [&] { return ::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST ? 0 : errno; };
    int error = make();
    const fs::path above = folder.parent_path();
    if (error == ENOENT && !above.empty() && above != folder) {
        if (const std::error_code failure = make_with_those_above(above)) return failure;
        error = make();
    }
    return {error, std::generic_category()};
}

}  // namespace

bool is_there(const fs::path& path) {
    const fs::file_type type = type_of(path);
    return type != fs::file_type::not_found && type != fs::file_type::none;
}

bool is_file(const fs::path& path) {
    return type_of(path) == fs::file_type::regular;
}

bool is_folder(const fs::path& path) {
    return type_of(path) == fs::file_type::directory;
}

bool is_same_place(const fs::path& first, const fs::path& second) {
    std::error_code ignored;
    return fs::equivalent(first, second, ignored);
}

std::optional<FolderFailure> make_folder(const fs::path& folder) {
    const std::error_code error = make_with_those_above(folder);
    if (is_folder(folder)) return std::nullopt;
    return FolderFailure{error, error ? error.message() : "a file has that name"};
}

fs::path folder_above(const fs::path& path) {
    const fs::path named = path.has_filename() ? path : path.parent_path();
    return named.has_parent_path() ? named.parent_path() : fs::path(".");
}

fs::path folder_to_start_from(const fs::path& folder) {
    fs::path above = folder_above(folder);
    while (folder.is_relative() && above != "." && !is_there(above)) above = folder_above(above);
    return above;
}

std::optional<FolderFailure> make_named_folder(const fs::path& folder) {
    if (is_folder(folder)) return std::nullopt;
    const fs::path above = folder_to_start_from(folder);
    if (!is_folder(above)) {
        return FolderFailure{std::make_error_code(std::errc::no_such_file_or_directory),
                             "there is no folder " + above.string()};
    }
    const std::error_code error = make_with_those_above(folder);
    if (is_folder(folder)) return std::nullopt;
    return FolderFailure{error, is_there(folder) ? "a file has that name" : error.message()};
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> entries = read_entries(folder, [](const FolderEntry&) { return true; });
    sort_naturally(entries);
    return entries;
}

std::vector<fs::path> folders_of(const fs::path& folder) {
    std::vector<fs::path> folders =
        read_entries(folder, [](const FolderEntry& entry) { return entry.is_folder(); });
    sort_naturally(folders);
    return folders;
}

std::vector<fs::path> files_of(const fs::path& folder,
                               const std::function<bool(const std::string&)>& accept) {
    if (!is_folder(folder)) return {};
    std::vector<fs::path> files = read_entries(
        folder, [&](const FolderEntry& entry) { return accept(entry.name()) && entry.is_file(); });
    sort_naturally(files);
    return files;
}

namespace {

std::vector<fs::path> read_below(const fs::path& folder, bool with_folders) {
    std::vector<fs::path> entries, unread{folder};
    while (!unread.empty()) {
        const fs::path next = std::move(unread.back());
        unread.pop_back();
        const std::vector<fs::path> found = read_entries(next, [&](const FolderEntry& entry) {
            const bool is_own_folder = !entry.is_link() && entry.is_folder();
            if (is_own_folder) unread.push_back(entry.path());
            return with_folders || !is_own_folder;
        });
        entries.insert(entries.end(), found.begin(), found.end());
    }
    sort_naturally(entries);
    return entries;
}

}  // namespace

std::vector<fs::path> entries_below(const fs::path& folder) {
    return read_below(folder, true);
}

std::vector<fs::path> files_below(const fs::path& folder) {
    return read_below(folder, false);
}

}  // namespace fovea
