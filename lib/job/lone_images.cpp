#include "lib/job/lone_images.hpp"

#include <algorithm>
#include <utility>

namespace fovea {
namespace {

/// Readers are not so far ahead of what is written.
constexpr std::size_t max_lone_images = 64;
constexpr std::size_t kills_to_give_up = 2;

// The results of an image that is not tried again.
DetectImagesResult give_up(const std::string& image, const std::vector<DetectorTask>& tasks) {
    const std::string reason = "the program was killed twice for its memory while this image was in work";
    DetectImagesResult result;
    result.images = 1;
    result.unreadable.push_back({image, reason});
    result.tasks.resize(tasks.size());
    for (const DetectorTask& task : tasks) {
        ImageResult line;
        line.image = image;
        line.status = "unreadable: " + reason;
        task.writer->write(line);
    }
    return result;
}

}  // namespace

std::size_t lone_images(const DetectionJob& job) {
    const std::optional<ResumeState>& earlier = job.images.earlier;
    if (!earlier || earlier->kills_for_memory == 0 || job.images.dataset || !job.files.crops.empty())
        return 0;
    return std::min(max_lone_images, job.images.images.size() - earlier->mark.images);
}

DetectImagesResult detect_lone_images(const DetectionJob& job, const std::vector<DetectorTask>& tasks,
                                      const DetectImagesOptions& options, std::size_t count,
                                      JobFiles& files) {
    const ImageList images = job.images.images.part(
        [&](std::size_t i) { return i >= options.first && i < options.first + count; });
    DetectImagesOptions alone = options;
    alone.first = 0;
    alone.written = {};
    alone.hooks = {};
    DetectImagesResult all;
    all.tasks.resize(tasks.size());
    for (std::size_t k = 0; k < images.size() && !all.interrupted; ++k) {
        const bool is_given_up = k == 0 && job.images.earlier->kills_for_memory >= kills_to_give_up;
        DetectImagesResult one =
            is_given_up ? give_up(std::string(images.name(k)), tasks)
                        : detect_images(images.part([&](std::size_t i) { return i == k; }), tasks, alone);
        std::swap(one, all);
        add_images(std::move(one), all);
        files.written_alone(options.first + k + 1, all.unreadable.size());
        all.interrupted = all.interrupted || options.hooks.is_cancelled();
    }
    return all;
}

void add_images(DetectImagesResult&& before, DetectImagesResult& later) {
    ImageCounts counts = std::move(static_cast<ImageCounts&>(before));
    counts.add(later);
    static_cast<ImageCounts&>(later) = std::move(counts);
    for (std::size_t t = 0; t < later.tasks.size(); ++t) {
        later.tasks[t].detections += before.tasks[t].detections;
        later.tasks[t].detect_seconds += before.tasks[t].detect_seconds;
        later.tasks[t].counters += before.tasks[t].counters;
    }
    later.decoded.cpu += before.decoded.cpu;
    later.decoded.nvjpeg += before.decoded.nvjpeg;
    later.decoded.nvdec += before.decoded.nvdec;
    later.decoded.refused_by_nvjpeg += before.decoded.refused_by_nvjpeg;
    later.decoded.reduced += before.decoded.reduced;
    later.pixels += before.pixels;
    later.total_seconds += before.total_seconds;
    later.set_up_seconds += before.set_up_seconds;
}

}  // namespace fovea
