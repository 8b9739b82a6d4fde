#include "lib/inputs/image_list.hpp"

#include <utility>

#include "lib/core/text.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/sha256.hpp"
#include "lib/inputs/image_list_data.hpp"

namespace fovea {

class ImageList::Implementation {
  public:
    ImageListData data;
};

// --- data ------------------------------------------------------------------------------------------

std::filesystem::path ImageListData::path(std::size_t i) const {
    if (const ArchiveMember* const found = member(i)) return archives[found->archive];
    if (const FrameInList* const found = frame(i)) return videos[found->video].source->file;
    if (has_path(i)) return std::filesystem::path(arena.get(place(i) & ~path_bit));
    return root / std::filesystem::path(name(i));
}

void ImageListData::set_place(std::size_t i, Place place) {
    if (place == at_root && places.empty()) return;
    // Most lists need no places.
    if (places.size() < names.size()) places.resize(names.size(), at_root);
    places[i] = place;
}

void ImageListData::add(std::string_view name, Place place) {
    names.push_back(arena.add(name));
    if (place != at_root || !places.empty()) set_place(names.size() - 1, place);
}

void ImageListData::add_path(std::string_view name, const std::filesystem::path& path) {
    const bool is_usual = (root / std::filesystem::path(name)).native() == path.native();
    add(name, is_usual ? at_root : arena.add(path.native()) | path_bit);
}

void ImageListData::add_frame(std::string_view name, const FrameInList& frame) {
    add(name, frames.size() | frame_bits);
    frames.push_back(frame);
}

std::uint32_t ImageListData::video_number(std::string_view name,
                                          const std::shared_ptr<const VideoSource>& source,
                                          const ArchiveMember* member) {
    // Frames of one video follow one another.
    for (std::size_t i = videos.size(); i-- > 0;) {
        if (videos[i].source == source && videos[i].name == name) return static_cast<std::uint32_t>(i);
    }
    videos.push_back({std::string(name), source, {}});
    if (member != nullptr) videos.back().member = *member;
    return static_cast<std::uint32_t>(videos.size() - 1);
}

ImageListData head_of(const ImageListData& from) {
    ImageListData to;
    to.format = from.format;
    to.specification = from.specification;
    to.root = from.root;
    to.sources = from.sources;
    to.skipped = from.skipped;
    to.passed_over = from.passed_over;
    to.warnings = from.warnings;
    to.names_sha256 = from.names_sha256;
    to.list_sha256 = from.list_sha256;
    to.archives = from.archives;
    to.prefixes = from.prefixes;
    to.videos = from.videos;
    return to;
}

std::string sha256_of_names(const ImageListData& data) {
    Sha256 digest;
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        digest.add(data.name(i));
        digest.add(std::string_view("", 1));
    }
    return digest.text();
}

ImageList ImageListBuilder::whole(ImageListData&& data) {
    data.names_sha256 = sha256_of_names(data);
    return part(std::move(data));
}

ImageList ImageListBuilder::part(ImageListData&& data) {
    ImageList list;
    list.implementation_->data = std::move(data);
    return list;
}

const ImageListData& ImageListBuilder::data(const ImageList& list) {
    return list.implementation_->data;
}

ImageListData ImageListBuilder::take(ImageList&& list) {
    return std::move(list.implementation_->data);
}

// --- the list --------------------------------------------------------------------------------------

ImageList::ImageList() : implementation_(std::make_shared<Implementation>()) {}

std::size_t files_of(const std::vector<SkippedInput>& skipped) {
    std::size_t files = 0;
    for (const SkippedInput& input : skipped) files += input.files;
    return files;
}

std::vector<SkippedInput> skipped_pictures(const PassedOver& passed_over) {
    std::vector<SkippedInput> list;
    for (const auto& [extension, files] : passed_over.pictures())
        list.push_back({"*." + extension, counted(files, "file") + " in a format that is not read", files});
    for (const auto& [extension, files] : passed_over.misnamed()) {
        const bool has_dot = extension != PassedOver::no_extension;
        list.push_back(
            {has_dot ? "*." + extension : extension,
             counted(files, "picture or video", "pictures and videos") +
                 " by content, but not by name; rename such a file, or name it on the command line",
             files});
    }
    return list;
}

ImageList ImageList::of(const Dataset& dataset) {
    ImageListData data;
    data.format = dataset.format;
    data.specification = dataset.name;
    data.root = dataset.root;
    data.sources = dataset.sources;
    data.warnings = dataset.warnings;
    data.passed_over = dataset.passed_over;
    data.skipped = skipped_pictures(dataset.passed_over);
    for (const Sample& sample : dataset.samples) {
        if (!sample.frame) {
            data.add_path(sample.image, sample.path);
            continue;
        }
        const std::optional<FrameName> name = split_frame_name(sample.image);
        const std::uint32_t video = data.video_number(name ? name->video : sample.image, sample.frame->video);
        data.add_frame(sample.image, {video, sample.frame->number, sample.frame->time_stamp});
    }
    return ImageListBuilder::whole(std::move(data));
}

ImageList ImageList::of(const std::vector<std::filesystem::path>& files) {
    ImageListData data;
    data.format = "files";
    data.specification = counted(files.size(), "file");
    for (const auto& file : files) data.add_path(to_utf8(file.native()), file);
    return ImageListBuilder::whole(std::move(data));
}

std::size_t ImageList::size() const {
    return implementation_->data.names.size();
}

std::string_view ImageList::name(std::size_t i) const {
    return implementation_->data.name(i);
}

std::string ImageList::place(std::size_t i) const {
    const ImageListData& data = implementation_->data;
    const std::string path = data.path(i).string();
    if (const FrameInList* const frame = data.frame(i)) return frame_name(path, frame->number);
    const ArchiveMember* const member = data.member(i);
    if (member == nullptr) return path;
    return path + ": " + std::string(data.name(i).substr(data.prefixes[member->archive].size()));
}

const std::string& ImageList::format() const {
    return implementation_->data.format;
}

const std::string& ImageList::specification() const {
    return implementation_->data.specification;
}

const std::vector<std::filesystem::path>& ImageList::sources() const {
    return implementation_->data.sources;
}

const std::vector<std::filesystem::path>& ImageList::archives() const {
    return implementation_->data.archives;
}

const std::vector<SkippedInput>& ImageList::skipped() const {
    return implementation_->data.skipped;
}

std::size_t ImageList::skipped_files() const {
    return files_of(skipped());
}

const std::map<std::string, std::size_t>& ImageList::passed_over() const {
    return implementation_->data.passed_over.others();
}

const std::vector<std::string>& ImageList::warnings() const {
    return implementation_->data.warnings;
}

const std::string& ImageList::list_sha256() const {
    return implementation_->data.list_sha256;
}

const std::string& ImageList::names_sha256() const {
    return implementation_->data.names_sha256;
}

std::filesystem::path ImageList::file(std::size_t i) const {
    return implementation_->data.path(i);
}

std::optional<VideoFrame> ImageList::frame(std::size_t i) const {
    const ImageListData& data = implementation_->data;
    const FrameInList* const frame = data.frame(i);
    return frame == nullptr ? std::nullopt : std::optional(data.video_frame(*frame));
}

bool ImageList::has_frames() const {
    return !implementation_->data.frames.empty();
}

std::size_t ImageList::max_video_packets() const {
    std::int64_t packets = 0;
    for (const VideoInList& video : implementation_->data.videos)
        packets = std::max(packets, video.source->facts.packets);
    return static_cast<std::size_t>(packets);
}

std::string_view ImageList::video_name(std::size_t i) const {
    const ImageListData& data = implementation_->data;
    const FrameInList* const frame = data.frame(i);
    return frame == nullptr ? std::string_view{} : data.videos[frame->video].name;
}

ImageList ImageList::part(const std::function<bool(std::size_t i)>& belongs) const {
    const ImageListData& from = implementation_->data;
    ImageListData to = head_of(from);
    to.is_part = true;
    to.whole_size = whole_size();
    for (std::size_t i = 0; i < size(); ++i) {
        if (!belongs(i)) continue;
        to.positions.push_back(position(i));
        if (!from.marks.empty()) to.marks.push_back(from.marks[i]);
        if (const ArchiveMember* const member = from.member(i)) {
            to.add(name(i), to.members.size() | ImageListData::member_bit);
            to.members.push_back(*member);
        } else if (const FrameInList* const frame = from.frame(i)) {
            to.add_frame(name(i), *frame);
        } else if (from.has_path(i)) {
            const auto path = from.arena.get(from.place(i) & ~ImageListData::path_bit);
            to.add(name(i), to.arena.add(path) | ImageListData::path_bit);
        } else {
            to.add(name(i), ImageListData::at_root);
        }
    }
    return ImageListBuilder::part(std::move(to));
}

std::size_t ImageList::position(std::size_t i) const {
    return is_part() ? implementation_->data.positions[i] : i;
}

std::size_t ImageList::whole_size() const {
    return is_part() ? implementation_->data.whole_size : size();
}

bool ImageList::is_part() const {
    return implementation_->data.is_part;
}

void add_inputs(const ImageList& images, InputFiles& inputs) {
    for (const std::filesystem::path& source : images.sources()) inputs.add(source);
    inputs.add(images.size(), [images](std::size_t i) { return images.file(i); });
}

}  // namespace fovea
