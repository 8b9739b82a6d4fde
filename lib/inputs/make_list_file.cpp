#include "lib/inputs/make_list_file.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_listing.hpp"
#include "lib/inputs/list_file.hpp"

namespace fovea {
namespace {

/// Enough that a chunk's threads, warnings and tables do not count.
constexpr std::size_t chunk_images = std::size_t{1} << 16;

/// Nothing for a file that is not there: reading it will say so.
FileMark mark_of(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return {};
    return {static_cast<std::uint64_t>(status.st_size), std::int64_t{status.st_mtim.tv_sec}};
}

void add_marks(ImageListData& data) {
    std::vector<FileMark> videos, archives;
    for (const std::filesystem::path& archive : data.archives) archives.push_back(mark_of(archive));
    for (const VideoInList& video : data.videos) {
        videos.push_back(video.member ? FileMark{video.member->size, archives[video.member->archive].seconds}
                                      : mark_of(video.source->file));
    }
    data.marks.resize(data.names.size());
    tbb::parallel_for(std::size_t{0}, data.names.size(), [&](std::size_t i) {
        if (const ArchiveMember* const member = data.member(i)) {
            data.marks[i] = {0, archives[member->archive].seconds};  // it knows its size
        } else if (const FrameInList* const frame = data.frame(i)) {
            data.marks[i] = videos[frame->video];
        } else {
            data.marks[i] = mark_of(data.path(i));
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

void remove_images(ImageListData& data) {
    data.arena = {};
    data.names.clear();
    data.places.clear();
    data.marks.clear();
    data.members.clear();
    data.frames.clear();
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
    ImageListData data;
    while (listing.next(chunk_images, data)) {
        add_marks(data);
        if (with_contents) add_contents(data);
        writer.add(data);
        remove_images(data);
        hooks.tell_or_stop({.done = writer.images()});
    }
    result.images = writer.images();
    result.bytes = writer.bytes();
    listing.finish(data, result.images);
    result.sha256 = writer.finish(data);
    result.skipped = std::move(data.skipped);
    result.warnings = std::move(data.warnings);
    return result;
}

}  // namespace fovea
