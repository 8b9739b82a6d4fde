#include "lib/train/face_net/read_photographs.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/train/data_sources.hpp"
#include "lib/train/samples/sample_backgrounds.hpp"

namespace fovea {
namespace {

/// Photographs are kept in smaller sizes down to this, pixels.
constexpr int min_smaller = 48;

Box learned_box(const Box& box, const PhotographSettings& settings, double scale) {
    return {scale * (box.x + settings.left * box.w), scale * (box.y + settings.top * box.h),
            scale * (settings.right - settings.left) * box.w,
            scale * (settings.bottom - settings.top) * box.h};
}

FacePhotograph photograph_of(const Sample& sample, GreyImage image, const PhotographSettings& settings,
                             int max_side) {
    FacePhotograph photograph;
    const int side = std::max(image.width, image.height);
    const int factor = (side + max_side - 1) / max_side;
    photograph.image = factor > 1 ? reduced(image, factor) : std::move(image);
    for (int by = 2; side / factor / by >= min_smaller; by *= 2)
        photograph.smaller.push_back(reduced(photograph.image, by));
    photograph.is_complete = settings.is_complete;
    for (const Face& face : sample.faces) {
        (face.ignore ? photograph.ignored : photograph.faces)
            .push_back(learned_box(face.box, settings, 1.0 / factor));
    }
    return photograph;
}

}  // namespace

ReadPhotographs read_photographs(const FaceNetTrainConfig& config, int threads,
                                 const CountProgress& progress) {
    ReadPhotographs result;
    std::vector<Dataset> datasets;
    for (const PhotographSettings& settings : config.photographs) {
        datasets.push_back(read_dataset(settings.dataset));
        add_inputs(datasets.back(), result.inputs);
        result.images += datasets.back().samples.size();
    }
    std::size_t done = 0, all_faces = 0;
    for (std::size_t d = 0; d < datasets.size(); ++d) {
        const Dataset& dataset = datasets[d];
        PhotographSource source;
        source.share = config.photographs[d].share;
        std::vector<ImageLocation> places;
        for (const Sample& sample : dataset.samples) places.push_back(sample.place());
        ImagePrefetcher prefetcher(std::move(places), {resolve_threads(threads), std::size_t{256} << 20, {}});
        std::size_t faces = 0;
        while (std::optional<LoadedImage> loaded = prefetcher.next()) {
            if (progress) progress(++done, result.images);
            const Sample& sample = dataset.samples[loaded->index];
            if (!loaded->unreadable.empty()) {
                result.unreadable.push_back({sample.image, loaded->unreadable});
                continue;
            }
            source.photographs.push_back(
                photograph_of(sample, std::move(loaded->image), config.photographs[d], config.max_side));
            faces += source.photographs.back().faces.size();
        }
        Json entry = dataset_manifest(dataset);
        entry["faces"] = faces;
        result.manifest.push_back(std::move(entry));
        result.sources.push_back(std::move(source));
        all_faces += faces;
    }
    if (all_faces == 0)
        throw Error("no photograph shows a face: the datasets have no boxes, or all are ignored");
    return result;
}

}  // namespace fovea
