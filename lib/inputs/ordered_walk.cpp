#include "lib/inputs/ordered_walk.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <tbb/parallel_sort.h>

#include "lib/core/natural_order.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/unnamed_format.hpp"

namespace fovea {
namespace {

constexpr NameArena::Span folder_bit = NameArena::Span{1} << NameArena::span_bits;

std::string folder_above_of(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

/// The folders that walk_folder() visits.
class FolderNames final : public FolderVisitor {
  public:
    bool wants(std::string_view) const override { return false; }
    void file(const std::string&) override {}
    void not_plain(const std::string&) override {}
    // Told when it is visited for its files.
    void unreadable(const std::string&, const std::string&) override {}
    void folder(const std::string& name) override {
        if (!name.empty()) in_[folder_above_of(name)].push_back(name);
    }

    std::map<std::string, std::vector<std::string>> take() { return std::move(in_); }

  private:
    std::map<std::string, std::vector<std::string>> in_;
};

}  // namespace

bool is_archive_entry(std::string_view name) {
    return name.ends_with('/');
}

/// The files and folders of a folder, or of several whose files mix.
class OrderedWalk::Entries final : public FolderVisitor {
  public:
    Entries(const std::filesystem::path& root, ImageListData& told) : root_(root), told_(&told) {}

    bool wants(std::string_view file_name) const override {
        return is_image_name(file_name) || is_archive_name(file_name) || is_video_name(file_name);
    }
    void file(const std::string& name) override {
        spans_.push_back(names_.add(is_archive_name(name) ? name + '/' : name));
    }
    void passed_over(const std::string& name) override {
        const FileContent content = content_of(root_ / name);
        if (is_unnamed_image(name, content)) {
            file(name);
        } else {
            told_->passed_over.add(name, content);
        }
    }
    void not_plain(const std::string& name) override {
        told_->skipped.push_back({name, "is no regular file"});
    }
    void unreadable(const std::string& folder, const std::string& why) override {
        told_->skipped.push_back({folder + "/", "the folder cannot be read: " + why});
    }
    void sub_folder(const std::string& name) { spans_.push_back(names_.add(name + '/') | folder_bit); }

    void sort() {
        tbb::parallel_sort(spans_.begin(), spans_.end(), [&](NameArena::Span a, NameArena::Span b) {
            const int order = natural_compare_values(name_of(a), name_of(b));
            if (order != 0) return order < 0;
            // An archive's name ends here, those of a folder's files do not.
            if ((a & folder_bit) != (b & folder_bit)) return (b & folder_bit) != 0;
            return name_of(a) < name_of(b);
        });
        told_ = nullptr;
    }

    bool at_end() const { return next_ == spans_.size(); }
    bool at_folder() const { return (spans_[next_] & folder_bit) != 0; }

    void take_file(ImageListData& data) { data.add(name_of(spans_[next_++]), ImageListData::at_root); }
    /// The next folder, and those whose files mix with its files.
    std::vector<std::string> take_folders() {
        const std::string_view first = name_of(spans_[next_]);
        std::vector<std::string> folders;
        while (!at_end() && at_folder() && natural_compare_values(first, name_of(spans_[next_])) == 0) {
            const std::string_view name = name_of(spans_[next_++]);
            folders.emplace_back(name.substr(0, name.size() - 1));
        }
        return folders;
    }

  private:
    std::string_view name_of(NameArena::Span span) const { return names_.get(span & ~folder_bit); }

    const std::filesystem::path& root_;
    ImageListData* told_;
    NameArena names_;
    std::vector<NameArena::Span> spans_;
    std::size_t next_ = 0;
};

OrderedWalk::OrderedWalk(const std::filesystem::path& root) : root_(root) {
    FolderNames folders;
    walk_folder(root, std::numeric_limits<int>::max(), folders);
    folders_in_ = folders.take();
}

OrderedWalk::~OrderedWalk() = default;

void OrderedWalk::enter(const std::vector<std::string>& folders, bool with_those_below, ImageListData& data) {
    auto entries = std::make_unique<Entries>(root_, data);
    std::vector<std::string> to_visit = folders;
    while (!to_visit.empty()) {
        const std::string folder = std::move(to_visit.back());
        to_visit.pop_back();
        visit_folder(root_, folder, *entries);
        const auto below = folders_in_.find(folder);
        if (below == folders_in_.end()) continue;
        for (const std::string& name : below->second) {
            if (with_those_below) {
                to_visit.push_back(name);
            } else {
                entries->sub_folder(name);
            }
        }
    }
    entries->sort();
    open_.push_back(std::move(entries));
}

bool OrderedWalk::next(std::size_t count, ImageListData& data) {
    if (open_.empty() && !is_begun_) enter({""}, false, data);
    is_begun_ = true;
    std::size_t added = 0;
    while (!open_.empty() && added < count) {
        Entries& entries = *open_.back();
        if (entries.at_end()) {
            open_.pop_back();
        } else if (entries.at_folder()) {
            const std::vector<std::string> folders = entries.take_folders();
            enter(folders, folders.size() > 1, data);
        } else {
            entries.take_file(data);
            ++added;
        }
    }
    return added > 0;
}

}  // namespace fovea
