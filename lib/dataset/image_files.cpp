#include "lib/dataset/image_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/unnamed_format.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 2> csu_extensions{".sfi", ".nrm"};

std::string_view without_packing(std::string_view name) {
    return name.substr(0, name.size() - extension_length(name, packed_extensions()));
}

std::string_view file_name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_part_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// True for "a/b.jpg": relative, without empty, "." or ".." parts.
bool is_plain_relative(std::string_view path) {
    for (std::size_t start = 0;;) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view part = path.substr(start, end - start);
        if (part.empty() || part == "." || part == "..") return false;
        if (end == path.size()) return true;
        start = end + 1;
    }
}

/// DT_UNKNOWN if it cannot be told, as of a link to nothing.
int type_of(int folder, const char* name, int flags) {
    struct stat info {};
    return ::fstatat(folder, name, &info, flags) == 0 ? static_cast<int>(IFTODT(info.st_mode)) : DT_UNKNOWN;
}

class Walker {
  public:
    Walker(const fs::path& root, int depth, FolderVisitor& visitor)
        : root_(root), depth_(depth), visitor_(visitor) {}

    void run() {
        visit("", 0);
        // Links last, in order of their names: what lies below the folder keeps its own name.
        while (!links_.empty()) {
            const auto [name, level] = *links_.begin();
            links_.erase(links_.begin());
            visit(name, level);
        }
    }

    void run_alone(const std::string& name) { read(name.empty() ? root_ : root_ / name, name, depth_); }

  private:
    struct LinkLess {
        bool operator()(const std::pair<std::string, int>& a, const std::pair<std::string, int>& b) const {
            return natural_compare(a.first, b.first) < 0;
        }
    };

    void visit(const std::string& start, int start_level) {
        pending_.emplace_back(start, start_level);
        while (!pending_.empty()) {
            const auto [name, level] = pending_.back();
            pending_.pop_back();
            struct stat info {};
            const fs::path folder = name.empty() ? root_ : root_ / name;
            if (::stat(folder.c_str(), &info) == 0 && !visited_.insert({info.st_dev, info.st_ino}).second)
                continue;
            read(folder, name, level);
        }
    }

    void read(const fs::path& folder, const std::string& name, int level) {
        visitor_.folder(name);
        const int error = read_entries(folder, name, level);
        if (error == 0) return;
        const std::string why = std::generic_category().message(error);
        // An error that passes must not leave out the folder's images for good.
        throw_if_short("The folder '" + folder.string() + "' cannot be read", error, ".");
        if (name.empty()) throw Error("The folder '" + root_.string() + "' cannot be read: " + why + ".");
        visitor_.unreadable(name, why);
    }

    /// \return errno; 0 if all could be read.
    int read_entries(const fs::path& folder, const std::string& name, int level) {
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
        if (!entries) return errno;
        for (;;) {
            errno = 0;
            const dirent* const entry = ::readdir(entries.get());
            if (entry == nullptr) return errno;
            const std::string_view file_name = entry->d_name;
            if (file_name.front() == '.') continue;
            sort_in(*entry, ::dirfd(entries.get()), name, level);
        }
    }

    void sort_in(const dirent& entry, int folder, const std::string& parent, int level) {
        const bool is_wanted = visitor_.wants(entry.d_name);
        // The folder itself says as a rule what its entries are: asking for each of millions takes minutes.
        int type = entry.d_type;
        if (type == DT_UNKNOWN) type = type_of(folder, entry.d_name, AT_SYMLINK_NOFOLLOW);
        const bool is_link = type == DT_LNK;
        if (is_link) type = type_of(folder, entry.d_name, 0);
        name_.assign(parent);
        if (!parent.empty()) name_ += '/';
        name_ += entry.d_name;
        if (type != DT_DIR && !is_wanted) {
            if (type == DT_REG) visitor_.passed_over(name_);
            return;
        }

        if (type == DT_DIR) {
            if (level >= depth_) return;
            if (is_link) {
                links_.insert({name_, level + 1});
            } else {
                pending_.emplace_back(name_, level + 1);
            }
        } else if (type == DT_REG || type == DT_UNKNOWN) {
            visitor_.file(name_);
        } else {
            visitor_.not_plain(name_);  // a pipe or a socket would block the reader for ever
        }
    }

    const fs::path& root_;
    int depth_;
    FolderVisitor& visitor_;
    std::string name_;  // kept, so that it takes no new memory for each of millions
    std::vector<std::pair<std::string, int>> pending_;
    std::set<std::pair<dev_t, ino_t>> visited_;
    std::set<std::pair<std::string, int>, LinkLess> links_;
};

class Scanner final : public FolderVisitor {
  public:
    Scanner(const fs::path& root, FolderContent content) : root_(root), content_(content) {}

    bool wants(std::string_view file_name) const override {
        return is_image_name(file_name) ||
               (content_ == FolderContent::images_and_videos && is_video_name(file_name));
    }
    void file(const std::string& name) override { result_.images.push_back(name); }
    void passed_over(const std::string& name) override {
        if (content_ == FolderContent::images) return;
        const FileContent content = content_of(root_ / name);
        if (is_unnamed_image(name, content)) {
            file(name);
        } else {
            result_.passed_over.add(name, content);
        }
    }
    void not_plain(const std::string& name) override {
        result_.warnings.push_back("no plain file, left out: " + (root_ / name).string());
    }
    void unreadable(const std::string& folder, const std::string& why) override {
        result_.warnings.push_back("the folder '" + (root_ / folder).string() + "' cannot be read (" + why +
                                   "); its images are missing");
    }

    FolderScan sorted() {
        std::sort(result_.images.begin(), result_.images.end(), NaturalLess{});
        std::sort(result_.warnings.begin(), result_.warnings.end(), NaturalLess{});
        return std::move(result_);
    }

  private:
    const fs::path& root_;
    const FolderContent content_;
    FolderScan result_;
};

}  // namespace

bool matches_pattern(const std::string& pattern, const std::string& image) {
    if (::fnmatch(pattern.c_str(), image.c_str(), FNM_PATHNAME) == 0) return true;
    const std::size_t slash = image.rfind('/');
    return slash != std::string::npos &&
           ::fnmatch(pattern.c_str(), image.c_str() + slash + 1, FNM_PATHNAME) == 0;
}

std::string image_stem(std::string_view file_name) {
    const std::string_view name = without_packing(file_name);
    if (const std::size_t length = extension_length(name, image_extensions()); length > 0) {
        return std::string(name.substr(0, name.size() - length));
    }
    const std::size_t length = extension_length(file_name, csu_extensions);
    return std::string(file_name.substr(0, file_name.size() - length));
}

std::string listed_name(std::string_view given, const fs::path& folder) {
    std::string name(given);
    if (name.find('\\') == std::string::npos || is_there(folder / name)) return name;
    std::replace(name.begin(), name.end(), '\\', '/');
    return name;
}

std::string image_key(const fs::path& listed, const fs::path& folder, const fs::path& root) {
    // Most names are as short as they can be; working that out takes long for millions of them.
    if (folder == root && is_plain_relative(listed.native())) return listed.native();
    // An absolute `listed` replaces the folder.
    const fs::path file = fs::absolute(folder / listed).lexically_normal();
    const fs::path relative = file.lexically_relative(fs::absolute(root).lexically_normal());
    const bool outside = relative.empty() || *relative.begin() == "..";
    return (outside && listed.is_absolute() ? file : relative).generic_string();
}

std::optional<fs::path> file_of_stem(const fs::path& stem, const std::string& extension) {
    std::string upper = extension;
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    for (const std::string& end : {extension, upper}) {
        fs::path file = stem.native() + end;
        if (is_file(file)) return file;
    }
    return std::nullopt;
}

std::vector<fs::path> files_ending(const fs::path& folder, std::string_view extension) {
    return files_of(folder, [&](const std::string& name) { return ends_with_any_case(name, extension); });
}

std::vector<fs::path> files_below_ending(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files = entries_below(folder);
    std::erase_if(files, [&](const fs::path& file) {
        return !ends_with_any_case(file.native(), extension) || !is_file(file);
    });
    return files;
}

fs::path folder_of(const fs::path& file) {
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

void walk_folder(const fs::path& folder, int depth, FolderVisitor& visitor) {
    if (!is_there(folder)) throw UsageError("There is no folder '" + folder.string() + "'; check the path.");
    if (!is_folder(folder)) {
        throw UsageError("'" + folder.string() + "' is a file where a folder is needed; name the folder.");
    }
    Walker(folder, depth, visitor).run();
}

void visit_folder(const fs::path& root, const std::string& name, FolderVisitor& visitor) {
    Walker(root, 0, visitor).run_alone(name);
}

FolderScan scan_images(const fs::path& folder, int depth, FolderContent content) {
    Scanner scanner(folder, content);
    walk_folder(folder, depth, scanner);
    return scanner.sorted();
}

ImageIndex::ImageIndex(const fs::path& folder, int depth) : folder_(folder) {
    FolderScan scan = scan_images(folder, depth);
    images_ = std::move(scan.images);
    warnings_ = std::move(scan.warnings);
    for (const std::string& image : images_) by_stem_[image_stem(file_name_of(image))].push_back(image);
    for (auto& [stem, images] : by_stem_) {
        const auto rank = [](const std::string& image) {
            return std::tuple(std::count(image.begin(), image.end(), '/'),
                              extension_length(image, packed_extensions()) > 0);
        };
        // Stable: equals stay in natural order.
        std::stable_sort(images.begin(), images.end(),
                         [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    }
}

std::optional<std::string> ImageIndex::find(const std::string& given) const {
    const std::string name = listed_name(given, folder_);
    if (is_image_name(name) && is_file(folder_ / name)) return name;
    const auto found = by_stem_.find(image_stem(file_name_of(name)));
    if (found == by_stem_.end()) return std::nullopt;
    const std::string_view folder = folder_part_of(name);
    for (const std::string& image : found->second) {
        if (folder.empty() || folder_part_of(image) == folder) return image;
    }
    return std::nullopt;
}

}  // namespace fovea
