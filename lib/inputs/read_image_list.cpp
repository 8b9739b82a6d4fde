#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include <tbb/parallel_sort.h>

#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/listed_names.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/unnamed_format.hpp"
#include "lib/files/folder.hpp"
#include "lib/inputs/image_list_data.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

/// "2019.tar" is "2019.tar/" until its images are known: it is sorted as a folder.
std::string entry_name(const std::string& name) {
    return is_archive_name(name) ? name + '/' : name;
}

class ListedFolder final : public FolderVisitor {
  public:
    explicit ListedFolder(ImageListData& data) : data_(data) {}

    bool wants(std::string_view file_name) const override {
        return is_image_name(file_name) || is_archive_name(file_name) || is_video_name(file_name);
    }
    void file(const std::string& name) override {
        if (is_archive_name(name)) {
            data_.add(entry_name(name), ImageListData::at_root);
        } else {
            data_.names.push_back(data_.arena.add(name));
        }
    }
    void passed_over(const std::string& name) override {
        const FileContent content = content_of(data_.root / name);
        if (is_unnamed_image(name, content)) {
            file(name);
        } else {
            data_.passed_over.add(name, content);
        }
    }
    void not_plain(const std::string& name) override {
        data_.skipped.push_back({name, "is no regular file"});
    }
    void unreadable(const std::string& folder, const std::string& why) override {
        data_.skipped.push_back({folder + "/", "the folder cannot be read: " + why});
    }

  private:
    ImageListData& data_;
};

ImageListData list_folder(const std::string& path) {
    ImageListData data;
    data.root = path;
    ListedFolder visitor(data);
    walk_folder(data.root, std::numeric_limits<int>::max(), visitor);
    if (data.names.empty()) throw_no_images(path, data.passed_over);
    tbb::parallel_sort(data.names.begin(), data.names.end(), [&](NameArena::Span a, NameArena::Span b) {
        return natural_compare(data.arena.get(a), data.arena.get(b)) < 0;
    });
    std::sort(data.skipped.begin(), data.skipped.end(), [](const SkippedInput& a, const SkippedInput& b) {
        return natural_compare(a.name, b.name) < 0;
    });
    return data;
}

class ListedNames final : public NameVisitor {
  public:
    explicit ListedNames(ImageListData& data) : data_(data), table_(data.arena, data.names) {}

    void image(const ListedName& name) override {
        const std::filesystem::path given = data_.root / std::filesystem::path(name.given);
        // An archive that is not there is an image that cannot be read, as any other file.
        const bool is_archive = is_archive_name(name.key) && is_file(given);
        data_.add_path(is_archive ? entry_name(name.key) : name.key, given);
        const std::size_t number = data_.names.size() - 1;
        const std::size_t known = table_.add(number);
        if (known == number) {
            positions_.push_back(name.position);
            return;
        }
        repeated_.add(name.key, positions_[known], name.position);
        data_.names.pop_back();
        if (!data_.places.empty()) data_.places.resize(data_.names.size());
    }

    const RepeatedNames& repeated() const { return repeated_; }

  private:
    ImageListData& data_;
    NameIndex table_;
    std::vector<int> positions_;
    RepeatedNames repeated_;
};

template <class Read>
ImageListData list_names(const std::filesystem::path& root, const Read& read) {
    ImageListData data;
    data.root = root;
    ListedNames visitor(data);
    const NamesRead names = read(visitor);
    data.sources = names.sources;
    if (visitor.repeated().count() > 0) data.warnings.push_back(visitor.repeated().warning(names));
    return data;
}

ImageListData list_files(const std::vector<std::string>& files, const DatasetOptions& options) {
    return list_names(root_of_files(options),
                      [&](NameVisitor& visitor) { return visit_named_files(files, options, visitor); });
}

ImageListData list_of_format(const FormatAndPath& named, const ImageListRequest& request) {
    const DatasetOptions& options = request.options;
    if (named.format == "list") {
        return list_names(root_of_list(named.path, options),
                          [&](NameVisitor& visitor) { return visit_list(named.path, options, visitor); });
    }
    if (named.format == "archive") return list_one_archive(named.path, request.max_unpacker_bytes);
    if (named.format == "video") {
        const std::filesystem::path video = named.path;
        ImageListData data;
        data.root = folder_of(video);
        data.add_path(video.filename().native(), video);
        return data;
    }
    ImageListData data = list_folder(named.path);
    const std::string note = named.is_named ? "" : note_of_unused_annotation(named.path);
    if (!note.empty()) data.warnings.push_back(note);
    return data;
}

/// A video without options. Millions of frames are no samples: a list takes a fraction of their memory.
bool is_one_video(const std::filesystem::path& path) {
    return is_video_name(path.filename().native()) && is_file(path);
}

}  // namespace

bool is_unannotated(const std::string& specification) {
    return dataset_formats().find(format_and_path(specification).format)->holds.images_alone;
}

ImageList read_image_list(const ImageListRequest& request) {
    ImageListData data;
    if (request.specification.empty() && !request.files.empty()) {
        data = list_files(request.files, request.options);
        data.format = "files";
        data.specification = counted(request.files.size(), "file");
    } else {
        const FormatAndPath named = format_and_path(request.specification);
        if (named.format == "image" || (named.format == "video" && !is_one_video(named.path)))
            return ImageList::of(read_dataset(request.specification, request.options));
        data = list_of_format(named, request);
        data.format = named.format;
        data.specification = request.specification;
    }
    expand_archives(data, request.max_unpacker_bytes);
    expand_listed_videos(data, request.options, request.max_unpacker_bytes);
    complete_list(data, request.options);
    return ImageListBuilder::whole(std::move(data));
}

}  // namespace fovea
