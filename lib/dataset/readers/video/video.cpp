#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/video/frame_truth.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/files/folder.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

std::optional<int> stream_of(const DatasetSpecification& specification) {
    const std::string text = specification.option("stream");
    if (text.empty()) return std::nullopt;
    const auto stream = spelled_whole(text, 0, std::numeric_limits<int>::max());
    if (!stream)
        specification.fail("has the stream '" + text + "', expected its number in the file, from 0 on");
    return static_cast<int>(*stream);
}

std::vector<fs::path> video_files(const DatasetSpecification& specification) {
    std::vector<fs::path> files = files_of_paths(specification.paths(), [](const fs::path& folder) {
        return files_of(folder, [](const std::string& name) { return is_video_name(name); });
    });
    if (files.empty()) specification.fail("holds no video");
    return files;
}

BoxNumbers numbers_of_boxes(const DatasetSpecification& specification) {
    const std::string corners = specification.option("corners");
    if (corners.empty() || corners == "yes") return BoxNumbers::corners;
    if (corners != "no") specification.fail("has corners=" + corners + ", expected yes or no.");
    return BoxNumbers::corner_and_size;
}

/// Puts the annotated frames in the place of the video.
void annotate(Dataset& dataset, const fs::path& boxes, BoxNumbers numbers) {
    const Sample video = std::move(dataset.samples.front());
    dataset.samples.clear();
    FramesOfFaces frames = read_frame_boxes(boxes, numbers);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        Sample& sample = dataset.samples.emplace_back(video);
        sample.image = frame_name(video.image, static_cast<std::int64_t>(i));
        sample.faces = std::move(frames[i]);
        sample.annotated = true;
    }
    dataset.sources.push_back(boxes);
}

}  // namespace

Certainty recognise_video(const PathFacts& facts) {
    return certain_if(!facts.is_folder() && is_video_name(facts.name()));
}

Dataset read_video_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("video", path,
                                             {"FILE", "stream=NUMBER", "boxes=FILE", "corners=yes|no"});
    Dataset dataset;
    dataset.format = "video";
    dataset.root = specification.folder();
    const fs::path boxes = specification.option_path("boxes");
    const BoxNumbers numbers = numbers_of_boxes(specification);
    if (boxes.empty() && !specification.option("corners").empty())
        specification.fail("has corners=, which says how boxes=FILE is read; add that.");
    const std::vector<fs::path> files = video_files(specification);
    if (!boxes.empty() && files.size() > 1)
        specification.fail("names several videos, but boxes= gives the boxes of one; name that one.");
    for (const fs::path& file : files) {
        Sample& sample = dataset.samples.emplace_back();
        sample.path = file;
        sample.image = image_key(fs::absolute(file), dataset.root, fs::absolute(dataset.root));
    }
    if (boxes.empty()) {
        expand_whole_videos(dataset, options.frames, stream_of(specification),
                            options.pattern.empty() ? options.limit : 0);
    } else {
        annotate(dataset, boxes, numbers);
        expand_annotated_frames(dataset, options.frames, stream_of(specification));
    }
    // One that is named as a video becomes a result that says so.
    for (const Sample& sample : dataset.samples) {
        if (sample.frame || is_video_name(sample.path.filename().string())) continue;
        try {
            index_video(sample.path);
        } catch (const VideoError& error) {
            specification.fail("names '" + sample.path.string() +
                               "', which cannot be read as a video: " + error.what());
        }
    }
    if (dataset.samples.empty()) throw_no_frame("video:" + path);
    return dataset;
}

}  // namespace fovea
