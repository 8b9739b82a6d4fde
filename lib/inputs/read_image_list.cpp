#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/listed_names.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/files/folder.hpp"
#include "lib/inputs/archive_names.hpp"
#include "lib/inputs/image_listing.hpp"
#include "lib/inputs/list_file.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

class ListedNames final : public NameVisitor {
  public:
    explicit ListedNames(ImageListData& data) : data_(data), table_(data.arena, data.names) {}

    void image(const ListedName& name) override {
        const std::filesystem::path given = data_.root / std::filesystem::path(name.given);
        // An archive that is not there is an image that cannot be read, as any other file.
        const bool is_archive = is_archive_name(name.key) && is_file(given);
        data_.add_path(is_archive ? name.key + '/' : name.key, given);
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

/// Moves everything that lies below the list's root below another one.
void set_root(ImageListData& data, const std::filesystem::path& root) {
    const std::filesystem::path before = std::exchange(data.root, root);
    const auto moved = [&](const std::filesystem::path& path) {
        const std::filesystem::path below = path.lexically_relative(before);
        return below.empty() || *below.begin() == ".." ? path : root / below;
    };
    for (std::filesystem::path& archive : data.archives) {
        if (!is_archive_command(archive)) archive = moved(archive);
    }
    for (VideoInList& video : data.videos) {
        if (video.member) continue;
        VideoSource source = *video.source;
        source.file = moved(source.file);
        video.source = std::make_shared<const VideoSource>(std::move(source));
    }
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        if (data.has_path(i))
            data.set_place(i, data.arena.add(moved(data.path(i)).native()) | ImageListData::path_bit);
    }
}

/// A list that somebody else made must start nothing unasked.
void refuse_commands(const ImageListData& data, const FormatAndPath& named) {
    const auto found = std::find_if(data.archives.begin(), data.archives.end(), is_archive_command);
    if (found == data.archives.end()) return;
    throw UsageError("the images of '" + named.path + "' are read by commands, such as '" +
                     excerpt(command_of_archive(*found)) + "'; --run-commands allows them");
}

/// \param named the list file that the list was read from
void set_origin(ImageListData& data, const FormatAndPath& named, const ImageListRequest& request) {
    const DatasetOptions& options = request.options;
    if (!request.may_run_commands) refuse_commands(data, named);
    if (options.frames != FrameSelection{}) {
        throw UsageError(
            "'" + named.path +
            "' has the frames of its videos that were selected when it was made; give --every, --fps, "
            "--from and --to to 'fovea list'");
    }
    if (!options.root.empty()) set_root(data, std::filesystem::absolute(options.root));
    data.sources = {named.path};
}

ImageListData list_of_format(const FormatAndPath& named, const ImageListRequest& request) {
    const DatasetOptions& options = request.options;
    if (named.format == "list") {
        return list_names(root_of_list(named.path, options),
                          [&](NameVisitor& visitor) { return visit_list(named.path, options, visitor); });
    }
    if (named.format == "archive") return list_one_archive(named.path, request.max_unpacker_bytes);
    if (named.format == "pipe") return list_archive_commands(named.path, request.max_unpacker_bytes);
    if (named.format == "video") {
        const std::filesystem::path video = named.path;
        ImageListData data;
        data.root = folder_of(video);
        data.add_path(video.filename().native(), video);
        return data;
    }
    ImageListData data = ListFile(named.path).whole();
    set_origin(data, named, request);
    return data;
}

/// A video without options. Millions of frames are no samples: a list takes a fraction of their memory.
bool is_one_video(const std::filesystem::path& path) {
    return is_video_name(path.filename().native()) && is_file(path);
}

}  // namespace

bool is_list_file(const std::string& specification) {
    return format_and_path(specification).format == list_file_format;
}

bool is_unannotated(const std::string& specification) {
    return dataset_formats().find(format_and_path(specification).format)->holds.images_alone;
}

ImageListing::ImageListing(const ImageListRequest& request)
    : request_(request), rest_(request.options.limit) {
    if (request.specification.empty() && !request.files.empty()) {
        pending_ = list_files(request.files, request.options);
        pending_->format = "files";
        pending_->specification = counted(request.files.size(), "file");
        return;
    }
    const FormatAndPath named = format_and_path(request.specification);
    format_ = named.format;
    if (named.format == "image" || (named.format == "video" && !is_one_video(named.path))) {
        pending_ =
            ImageListBuilder::take(ImageList::of(read_dataset(request.specification, request.options)));
        is_complete_ = true;
    } else if (named.format == "folder") {
        root_ = named.path;
        walk_.emplace(root_);
        if (!named.is_named) note_ = note_of_unused_annotation(named.path);
    } else {
        pending_ = list_of_format(named, request);
        pending_->format = named.format;
        pending_->specification = request.specification;
    }
}

bool ImageListing::next(std::size_t count, ImageListData& data) {
    if (walk_) {
        if (request_.options.limit > 0 && rest_ == 0) return false;
        data.root = root_;
        data.format = format_;
        data.specification = request_.specification;
        const bool any = walk_->next(count, data);
        listed_ += data.names.size();
        std::sort(data.skipped.begin(), data.skipped.end(), [](const SkippedInput& a, const SkippedInput& b) {
            return natural_compare(a.name, b.name) < 0;
        });
        if (!any) return false;
    } else {
        if (!pending_) return false;
        data = std::move(*pending_);
        pending_.reset();
    }
    if (is_complete_) return true;
    if (data.list_sha256.empty()) {
        expand_archives(data, request_.max_unpacker_bytes);
        expand_listed_videos(data, request_.options, request_.max_unpacker_bytes);
    }
    DatasetOptions options = request_.options;
    options.limit = rest_;
    select_images(data, options, names_);
    if (rest_ > 0) rest_ -= data.names.size();
    return true;
}

void ImageListing::finish(ImageListData& data, std::size_t images) {
    if (is_complete_) return;
    if (images == 0) {
        if (names_.seen > 0) throw_none_matches(names_.seen, data.specification, request_.options.pattern);
        if (walk_ && listed_ == 0) throw_no_images(root_.string(), data.passed_over);
        if (data.skipped.empty()) throw_no_frame(data.specification);
        throw UsageError("'" + data.specification + "' holds no image and no video that can be read: " +
                         data.skipped.back().name + " " + data.skipped.back().reason + ".");
    }
    if (!note_.empty()) data.warnings.insert(data.warnings.begin(), note_);
    if (data.list_sha256.empty()) tell_left_out(data, names_);
}

ImageList read_image_list(const ImageListRequest& request) {
    ImageListing listing(request);
    ImageListData data;
    listing.next(std::numeric_limits<std::size_t>::max(), data);
    listing.finish(data, data.names.size());
    return ImageListBuilder::whole(std::move(data));
}

ImageList read_list_part(const ImageListRequest& request, const Shard& shard) {
    if (!request.options.pattern.empty() || request.options.limit > 0) {
        throw UsageError(
            "the parts of a list file are of its whole list; give --pattern and --limit to 'fovea list', "
            "which makes it");
    }
    const FormatAndPath named = format_and_path(request.specification);
    ImageListData data = ImageListBuilder::take(ListFile(named.path).part(shard));
    set_origin(data, named, request);
    data.format = list_file_format;
    data.specification = request.specification;
    return ImageListBuilder::part(std::move(data));
}

}  // namespace fovea
