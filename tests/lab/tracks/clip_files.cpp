#include "tests/lab/tracks/clip_files.hpp"

#include <algorithm>
#include <limits>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/track/track_benchmark.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/write/video_writer.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// Faces that must be found.
bool is_visible_enough(const TrueFace& face) {
    return face.visible >= 0.5;
}

std::string mot_text(const Clip& clip) {
    std::string text;
    for (std::size_t f = 0; f < clip.truth.size(); ++f) {
        for (const TrueFace& face : clip.truth[f]) {
            const Box& box = face.face.box;
            text += fmt::format("{},{},{},{},{},{},{},1,{}\n", f + 1, face.number + 1, shortest_number(box.x),
                                shortest_number(box.y), shortest_number(box.w), shortest_number(box.h),
                                is_visible_enough(face) ? 1 : 0, shortest_number(face.visible));
        }
    }
    return text;
}

Dataset dataset_of(const Clip& clip, const fs::path& folder) {
    Dataset dataset;
    dataset.format = "fovea";
    dataset.name = folder.string();
    dataset.root = folder;
    for (std::size_t f = 0; f < clip.truth.size(); ++f) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = frame_name(clip_video_name, static_cast<std::int64_t>(f));
        sample.path = folder / clip_video_name;
        sample.annotated = true;
        sample.size = ImageSize{clip.plan.size.width, clip.plan.size.height};
        for (const TrueFace& face : clip.truth[f]) {
            sample.faces.push_back(face.face);
            sample.faces.back().ignore = !is_visible_enough(face);
            sample.faces.back().attributes = {{"track", std::to_string(face.number + 1)}};
        }
    }
    return dataset;
}

std::string points_text(const std::vector<Point>& points) {
    std::string text = fmt::format("version: 1\nn_points: {}\n{{\n", points.size());
    for (const Point& point : points)
        text += shortest_number(point.x) + " " + shortest_number(point.y) + "\n";
    return text + "}\n";
}

void write_points(const Clip& clip, const fs::path& folder) {
    StagedFiles files(folder, "clip");
    for (std::size_t f = 0; f < clip.truth.size(); ++f)
        files.add(fmt::format("{:06}.pts", f + 1), points_text(clip.truth[f][0].face.landmarks));
    files.publish();
}

/// A rate factor of 0 is exact.
void write_video(const Clip& clip, const fs::path& file, int crf) {
    VideoWriterOptions options;
    options.width = clip.plan.size.width;
    options.height = clip.plan.size.height;
    options.is_full_range = true;
    options.quality = crf;
    VideoWriter writer(file, options);
    ColourFrame colours{options.width, options.height, true, {}, {}, {}};
    const auto chroma_pixels = static_cast<std::size_t>(colours.chroma_width() * colours.chroma_height());
    colours.u.assign(chroma_pixels, 128);
    colours.v = colours.u;
    for (std::size_t f = 0; f < clip.frames.size(); ++f) {
        colours.y = clip.frames[f].pixels;
        writer.write(colours, static_cast<std::int64_t>(f));
    }
    writer.close();
}

}  // namespace

std::string clip_folder_name(const ClipPlan& plan) {
    std::string name = plan.name;
    std::replace(name.begin(), name.end(), ' ', '-');
    return fmt::format("{}-{}", name, plan.seed);
}

fs::path write_clip(const Clip& clip, const fs::path& folder, int crf) {
    const fs::path own = folder / clip_folder_name(clip.plan);
    make_output_folder(folder, "clip");
    make_output_folder(own, "clip");
    write_video(clip, own / clip_video_name, crf);
    std::vector<std::string> losses;
    StagedFiles files(own, "clip");
    for (const auto& [name, bytes] : render_dataset(dataset_of(clip, own), "fovea", {}, losses).files)
        files.add(name.empty() ? "truth.json" : name, bytes);
    files.publish();
    StagedFiles tracks(own / "gt", "clip");
    tracks.add("gt.txt", mot_text(clip));
    tracks.publish();
    if (clip.plan.faces == 1) write_points(clip, own / "annot");
    return own;
}

void read_frames(const fs::path& video, Clip& clip) {
    try {
        std::vector<GreyImage> frames = read_first_frames(video, std::numeric_limits<std::size_t>::max());
        if (frames.size() != clip.frames.size()) {
            throw VideoError(fmt::format("it has {}, and {} were written", counted(frames.size(), "frame"),
                                         clip.frames.size()));
        }
        clip.frames = std::move(frames);
    } catch (const VideoError& error) {
        throw Error("the clip '" + video.string() + "' cannot be read back: " + error.what());
    }
}

}  // namespace fovea
