#include "lib/run/track/frame_sequence.hpp"

#include <set>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace {

std::string_view sequence_name(const ImageList& images, std::size_t i) {
    const std::string_view video = images.video_name(i);
    if (!video.empty()) return video;
    const std::string_view name = images.name(i);
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

}  // namespace

std::vector<FrameSequence> sequences_of(const ImageList& images) {
    std::vector<FrameSequence> sequences;
    std::set<std::string> names;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string_view name = sequence_name(images, i);
        if (sequences.empty() || sequences.back().name != name) {
            if (!names.emplace(name).second) {
                throw UsageError("faces are followed through frames in their order, but those of '" +
                                 std::string(name) +
                                 "' stand apart in the list of images; sort it, or give the video itself");
            }
            sequences.push_back({std::string(name), i, 0});
        }
        ++sequences.back().count;
    }
    return sequences;
}

std::vector<std::string> sequence_stems(std::vector<std::string> names) {
    for (std::string& name : names) {
        if (name.empty()) name = "frames";
    }
    return crop_stems(names);
}

}  // namespace fovea
