#include "lib/pipeline/image_sizes.hpp"

#include "lib/image/prefetch.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {

std::optional<ImageSize> ImageSizes::find(const Sample& sample) const {
    const auto found = by_name.find(sample.image);
    return found == by_name.end() ? std::nullopt : std::optional(found->second);
}

ImageSizes read_image_sizes(const Dataset& dataset, const RunHooks& hooks) {
    std::vector<std::filesystem::path> paths;
    std::vector<std::string> names;
    for (const Sample& sample : dataset.samples) {
        if (sample.size) continue;
        paths.push_back(sample.path);
        names.push_back(sample.image);
    }
    ImageSizes sizes;
    if (paths.empty()) return sizes;
    ImagePrefetcher prefetcher(std::move(paths), {resolve_threads(0), std::size_t{64} << 20, {}});
    if (hooks.stage) hooks.stage("reading the sizes of images");
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        const std::string& name = names[loaded->index];
        if (loaded->unreadable.empty()) {
            sizes.by_name[name] = {loaded->image.width, loaded->image.height};
        } else {
            sizes.unreadable.push_back({name, loaded->unreadable});
        }
        const std::size_t done = loaded->index + 1;
        if (hooks.progress) hooks.progress({done, names.size(), sizes.unreadable.size()});
        sizes.interrupted = hooks.cancel != nullptr && hooks.cancel->load() && done < names.size();
        if (sizes.interrupted) break;
    }
    return sizes;
}

}  // namespace fovea
