#include "lib/dataset/image_files.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include <sys/stat.h>

#include "lib/core/error.hpp"
#include "lib/dataset/natural_order.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 12> image_extensions{".jpg", ".jpeg", ".png", ".tif", ".tiff", ".pgm",
                                                            ".ppm", ".pbm",  ".pnm", ".bmp", ".webp", ".gif"};
constexpr std::array<std::string_view, 2> packed_extensions{".gz", ".bz2"};
constexpr std::array<std::string_view, 2> csu_extensions{".sfi", ".nrm"};

bool ends_with_any_case(std::string_view text, std::string_view lower_case_end) {
    if (text.size() < lower_case_end.size()) return false;
    const std::string_view tail = text.substr(text.size() - lower_case_end.size());
    return std::equal(tail.begin(), tail.end(), lower_case_end.begin(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

/// Length of the extension of `extensions` that `name` has behind at least one character; 0 if none.
template <std::size_t N>
std::size_t extension_length(std::string_view name, const std::array<std::string_view, N>& extensions) {
    for (const std::string_view extension : extensions) {
        if (name.size() > extension.size() && ends_with_any_case(name, extension)) return extension.size();
    }
    return 0;
}

std::string_view without_packing(std::string_view name) {
    return name.substr(0, name.size() - extension_length(name, packed_extensions));
}

std::string_view file_name_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_part_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

class Scanner {
  public:
    Scanner(fs::path root, int depth) : root_(std::move(root)), depth_(depth) {}

    FolderScan run() {
        visit("", 0);
        // Links last, in order of their names: what lies below the folder keeps its own name.
        while (!links_.empty()) {
            const auto [name, level] = *links_.begin();
            links_.erase(links_.begin());
            visit(name, level);
        }
        std::sort(result_.images.begin(), result_.images.end(), NaturalLess{});
        std::sort(result_.warnings.begin(), result_.warnings.end(), NaturalLess{});
        return std::move(result_);
    }

  private:
    struct LinkLess {
        bool operator()(const std::pair<std::string, int>& a, const std::pair<std::string, int>& b) const {
            return natural_compare(a.first, b.first) < 0;
        }
    };

    void visit(const std::string& start, int start_level) {
        std::vector<std::pair<std::string, int>> pending{{start, start_level}};
        while (!pending.empty()) {
            const auto [name, level] = pending.back();
            pending.pop_back();
            struct stat info {};
            const fs::path folder = name.empty() ? root_ : root_ / name;
            if (::stat(folder.c_str(), &info) == 0 && !visited_.insert({info.st_dev, info.st_ino}).second)
                continue;
            std::error_code error;
            fs::directory_iterator entries(folder, error);
            for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
                sort_in(*entries, name, level, pending);
            }
            if (!error) continue;
            if (name.empty()) {
                throw Error("The folder '" + root_.string() + "' cannot be read: " + error.message() + ".");
            }
            result_.warnings.push_back("the folder '" + folder.string() + "' cannot be read (" +
                                       error.message() + "); its images are missing");
        }
    }

    void sort_in(const fs::directory_entry& entry, const std::string& parent, int level,
                 std::vector<std::pair<std::string, int>>& pending) {
        const std::string file_name = entry.path().filename().string();
        if (file_name.empty() || file_name.front() == '.') return;
        const std::string name = parent.empty() ? file_name : parent + "/" + file_name;
        std::error_code error;
        const bool is_link = entry.is_symlink(error);
        const fs::file_status status = entry.status(error);
        if (fs::is_directory(status)) {
            if (level >= depth_) return;
            if (is_link) {
                links_.insert({name, level + 1});
            } else {
                pending.emplace_back(name, level + 1);
            }
        } else if (is_image_name(file_name)) {
            // A pipe or a socket would block the reader for ever.
            if (fs::exists(status) && !fs::is_regular_file(status) &&
                status.type() != fs::file_type::unknown) {
                result_.warnings.push_back("no plain file, left out: " + entry.path().string());
            } else {
                result_.images.push_back(name);
            }
        }
    }

    fs::path root_;
    int depth_;
    FolderScan result_;
    std::set<std::pair<dev_t, ino_t>> visited_;
    std::set<std::pair<std::string, int>, LinkLess> links_;
};

}  // namespace

bool is_image_name(std::string_view file_name) {
    return extension_length(without_packing(file_name), image_extensions) > 0;
}

std::string image_stem(std::string_view file_name) {
    const std::string_view name = without_packing(file_name);
    if (const std::size_t length = extension_length(name, image_extensions); length > 0) {
        return std::string(name.substr(0, name.size() - length));
    }
    const std::size_t length = extension_length(file_name, csu_extensions);
    return std::string(file_name.substr(0, file_name.size() - length));
}

std::string image_key(const fs::path& listed, const fs::path& folder, const fs::path& root) {
    // An absolute `listed` replaces the folder.
    const fs::path file = fs::absolute(folder / listed).lexically_normal();
    const fs::path relative = file.lexically_relative(fs::absolute(root).lexically_normal());
    const bool outside = relative.empty() || *relative.begin() == "..";
    return (outside && listed.is_absolute() ? file : relative).generic_string();
}

fs::path folder_of(const fs::path& file) {
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

FolderScan scan_images(const fs::path& folder, int depth) {
    std::error_code error;
    const auto status = fs::status(folder, error);
    if (!fs::exists(status))
        throw UsageError("There is no folder '" + folder.string() + "'; check the path.");
    if (!fs::is_directory(status)) {
        throw UsageError("'" + folder.string() + "' is a file where a folder is needed; name the folder.");
    }
    return Scanner(folder, depth).run();
}

ImageIndex::ImageIndex(const fs::path& folder, int depth) : folder_(folder) {
    FolderScan scan = scan_images(folder, depth);
    images_ = std::move(scan.images);
    warnings_ = std::move(scan.warnings);
    for (const std::string& image : images_) by_stem_[image_stem(file_name_of(image))].push_back(image);
    for (auto& [stem, images] : by_stem_) {
        const auto rank = [](const std::string& image) {
            return std::tuple(std::count(image.begin(), image.end(), '/'),
                              extension_length(image, packed_extensions) > 0);
        };
        // Stable: equals stay in natural order.
        std::stable_sort(images.begin(), images.end(),
                         [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    }
}

std::optional<std::string> ImageIndex::find(const std::string& name) const {
    std::error_code error;
    if (is_image_name(name) && fs::is_regular_file(folder_ / name, error)) return name;
    const auto found = by_stem_.find(image_stem(file_name_of(name)));
    if (found == by_stem_.end()) return std::nullopt;
    const std::string_view folder = folder_part_of(name);
    for (const std::string& image : found->second) {
        if (folder.empty() || folder_part_of(image) == folder) return image;
    }
    return std::nullopt;
}

}  // namespace fovea
