#include "lib/run/detection/image_sizes.hpp"

#include <mutex>

#include <tbb/parallel_for.h>

#include "lib/core/job_hooks.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace {

struct ReadSize {
    std::optional<ImageSize> size;
    std::string unreadable;  // why; empty if it is readable, or was not read
};

// Parallel to the samples.
std::vector<ReadSize> read_sizes(const std::vector<const Sample*>& samples, const JobHooks& hooks) {
    std::vector<ReadSize> sizes(samples.size());
    if (samples.empty()) return sizes;
    hooks.begin_stage("reading the sizes of images");
    std::mutex mutex;
    std::size_t done = 0;
    std::size_t unreadable = 0;
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t i) {
        if (hooks.is_cancelled()) return;
        try {
            sizes[i].size = read_image_size(samples[i]->path);
        } catch (const ImageError& error) {
            sizes[i].unreadable = error.what();
        }
        const std::lock_guard lock(mutex);
        unreadable += sizes[i].size ? 0 : 1;
        hooks.tell({++done, samples.size(), unreadable});
    });
    return sizes;
}

}  // namespace

std::optional<ImageSize> ImageSizes::find(const Sample& sample) const {
    const auto found = by_name.find(sample.image);
    return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

ImageSizes read_image_sizes(const Dataset& dataset, const JobHooks& hooks) {
    std::vector<const Sample*> samples;
    for (const Sample& sample : dataset.samples) {
        if (!sample.size) samples.push_back(&sample);
    }
    std::vector<ReadSize> read = read_sizes(samples, hooks);
    ImageSizes sizes;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (read[i].size) {
            sizes.by_name[samples[i]->image] = *read[i].size;
        } else if (!read[i].unreadable.empty()) {
            sizes.unreadable.push_back({samples[i]->image, std::move(read[i].unreadable)});
        } else {
            sizes.interrupted = true;
        }
    }
    return sizes;
}

bool add_image_sizes(Dataset& dataset, const JobHooks& hooks) {
    std::vector<const Sample*> samples;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const Sample& sample = dataset.samples[i];
        if (sample.size || !is_there(sample.path)) continue;
        samples.push_back(&sample);
        places.push_back(i);
    }
    const std::vector<ReadSize> read = read_sizes(samples, hooks);
    for (std::size_t i = 0; i < places.size(); ++i) dataset.samples[places[i]].size = read[i].size;
    return !hooks.is_cancelled();
}

}  // namespace fovea
