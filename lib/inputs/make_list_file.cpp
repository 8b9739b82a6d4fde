#include "lib/inputs/make_list_file.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/descriptor.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_listing.hpp"
#include "lib/inputs/list_file.hpp"

namespace fovea {
namespace {

/// Enough that a chunk's threads, warnings and tables do not count.
constexpr std::size_t chunk_images = std::size_t{1} << 15;
/// One is listed, one is marked, one is written.
constexpr std::size_t chunks_at_once = 3;

FileMark mark_of(const struct stat& status) {
    return {static_cast<std::uint64_t>(status.st_size), std::int64_t{status.st_mtim.tv_sec}};
}

/// Nothing for a file that is not there: reading it will say so.
FileMark mark_of_file(const std::filesystem::path& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? mark_of(status) : FileMark{};
}

/// Asks for the marks of files below a folder, most of which lie beside the one before: that folder stays
/// open, as finding it takes longer than asking.
class MarksBelow {
  public:
    explicit MarksBelow(const std::filesystem::path& root) : root_(root.native()) {}

    FileMark mark_of_name(std::string_view name) {
        const std::size_t slash = name.rfind('/');
        const bool is_below = slash != std::string_view::npos;
        const std::string_view folder = is_below ? name.substr(0, slash) : std::string_view();
        if (!opened_ || folder != folder_) open(folder);
        file_ = is_below ? name.substr(slash + 1) : name;
        struct stat status {};
        return opened_ && ::fstatat(opened_.get(), file_.c_str(), &status, 0) == 0
                   ? mark_of(status)
                   : mark_of_file(root_ / std::filesystem::path(name));
    }

  private:
    void open(std::string_view folder) {
        folder_ = folder;
        opened_ = FileDescriptor(
            ::open((root_ / std::filesystem::path(folder)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    const std::filesystem::path root_;
    std::string folder_, file_;
    FileDescriptor opened_;
};

void add_marks(ImageListData& data) {
    std::vector<FileMark> videos, archives;
    for (const std::filesystem::path& archive : data.archives) archives.push_back(mark_of_file(archive));
    for (const VideoInList& video : data.videos) {
        videos.push_back(video.member ? FileMark{video.member->size, archives[video.member->archive].seconds}
                                      : mark_of_file(video.source->file));
    }
    data.marks.resize(data.names.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, data.names.size()), [&](const auto& range) {
        MarksBelow below(data.root);
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
            if (const ArchiveMember* const member = data.member(i)) {
                data.marks[i] = {0, archives[member->archive].seconds};  // it knows its size
            } else if (const FrameInList* const frame = data.frame(i)) {
                data.marks[i] = videos[frame->video];
            } else if (data.place(i) == ImageListData::at_root) {
                data.marks[i] = below.mark_of_name(data.name(i));
            } else {
                data.marks[i] = mark_of_file(data.path(i));
            }
        }
    });
}

/// 0 for what cannot be read.
std::uint64_t content_of_image(const ImageInputs& inputs, std::size_t i) {
    try {
        const std::unique_ptr<codec::EncodedFile> file = inputs.open(i);
        std::vector<std::uint8_t> buffer(std::size_t{1} << 18);
        Sha256 digest;
        for (std::size_t got = buffer.size(); got == buffer.size();) {
            got = file->read(buffer.data(), buffer.size());
            digest.add({reinterpret_cast<const char*>(buffer.data()), got});
        }
        file->release();
        constexpr std::size_t digits_of_64_bits = 16;
        return std::max<std::uint64_t>(1,
                                       std::stoull(digest.text().substr(0, digits_of_64_bits), nullptr, 16));
    } catch (const ImageError&) {
        return 0;
    }
}

void add_contents(ImageListData& data) {
    const ImageList list = ImageListBuilder::part(std::move(data));
    const std::unique_ptr<ImageInputs> inputs = list.open_from(0);
    std::vector<std::uint64_t> contents(list.size());
    const auto add = [&](std::size_t i) {
        if (!list.frame(i)) contents[i] = content_of_image(*inputs, i);
    };
    if (inputs->in_order()) {
        for (std::size_t i = 0; i < contents.size(); ++i) add(i);
    } else {
        tbb::parallel_for(std::size_t{0}, contents.size(), add);
    }
    data = ImageListBuilder::take(ImageList(list));
    for (std::size_t i = 0; i < contents.size(); ++i) data.marks[i].content = contents[i];
}

void make_absolute(ImageListRequest& request) {
    if (!request.options.root.empty()) request.options.root = std::filesystem::absolute(request.options.root);
    if (request.specification.empty()) {
        if (request.options.root.empty()) request.options.root = std::filesystem::current_path();
        return;
    }
    const FormatAndPath named = format_and_path(request.specification);
    if (!is_unannotated(request.specification)) {
        throw UsageError("'" + request.specification + "' is an annotated dataset (" + named.format +
                         "), which has a list of its own; name a folder, an archive, a list or files");
    }
    if (named.format == "pipe") return;
    if (named.path == "-") {
        if (request.options.root.empty()) request.options.root = std::filesystem::current_path();
        return;
    }
    request.specification = (named.is_named ? named.format + ":" : std::string()) +
                            std::filesystem::absolute(named.path).lexically_normal().string();
}

}  // namespace

MakeListFileResult make_list_file(ImageListRequest request, const std::filesystem::path& file,
                                  const JobHooks& hooks, bool with_contents) {
    make_absolute(request);
    ImageListing listing(request);
    MakeListFileResult result;
    ListFileWriter writer(file);
    ImageListData head;
    const auto list = [&](tbb::flow_control& flow) {
        ImageListData chunk = std::move(head);
        const bool any = listing.next(chunk_images, chunk);
        head = head_of(chunk);
        if (!any) flow.stop();
        return chunk;
    };
    const auto mark = [&](ImageListData chunk) {
        add_marks(chunk);
        if (with_contents) add_contents(chunk);
        return chunk;
    };
    const auto write = [&](const ImageListData& chunk) {
        writer.add(chunk);
        hooks.tell_or_stop({.done = writer.images()});
    };
    using Mode = tbb::filter_mode;
    tbb::parallel_pipeline(chunks_at_once,
                           tbb::make_filter<void, ImageListData>(Mode::serial_in_order, list) &
                               tbb::make_filter<ImageListData, ImageListData>(Mode::serial_in_order, mark) &
                               tbb::make_filter<ImageListData, void>(Mode::serial_in_order, write));
    result.images = writer.images();
    result.bytes = writer.bytes();
    listing.finish(head, result.images);
    result.sha256 = writer.finish(head);
    result.skipped = std::move(head.skipped);
    result.warnings = std::move(head.warnings);
    return result;
}

}  // namespace fovea
