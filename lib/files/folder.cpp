#include "lib/files/folder.hpp"

#include <algorithm>

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

bool is_any(const fs::directory_entry&) {
    return true;
}

// Most systems tell the type with the name, so that files need not be looked at one by one.
bool is_sub_folder(const fs::directory_entry& entry) {
    std::error_code error;
    const bool is_directory = entry.is_directory(error);
    return error ? is_folder(entry.path()) : is_directory;
}

template <class Iterator>
std::vector<fs::path> read_entries(const fs::path& folder,
                                   bool (*accepts)(const fs::directory_entry&) = is_any) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (Iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (accepts(*entry)) entries.push_back(entry->path());
    }
    if (error == std::errc::no_such_file_or_directory)
        throw UsageError("There is no folder '" + folder.string() + "'; check the path.");
    if (error) {
        const std::string message = "The folder '" + folder.string() + "' cannot be read";
        throw_if_short(message, error.value(), ".");
        throw Error(message + ": " + error.message() + ".");
    }
    std::sort(entries.begin(), entries.end(), [](const fs::path& a, const fs::path& b) {
        return natural_compare(a.native(), b.native()) < 0;
    });
    return entries;
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
    std::error_code error;
    fs::create_directories(folder, error);
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
    std::error_code error;
    fs::create_directories(folder, error);
    if (is_folder(folder)) return std::nullopt;
    return FolderFailure{error, is_there(folder) ? "a file has that name" : error.message()};
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    return read_entries<fs::directory_iterator>(folder);
}

std::vector<fs::path> folders_of(const fs::path& folder) {
    return read_entries<fs::directory_iterator>(folder, is_sub_folder);
}

std::vector<fs::path> files_of(const fs::path& folder,
                               const std::function<bool(const std::string&)>& accept) {
    std::vector<fs::path> files;
    if (!is_folder(folder)) return files;
    for (fs::path& file : entries_of(folder)) {
        if (accept(file.filename().string()) && is_file(file)) files.push_back(std::move(file));
    }
    return files;
}

std::vector<fs::path> entries_below(const fs::path& folder) {
    return read_entries<fs::recursive_directory_iterator>(folder);
}

}  // namespace fovea
