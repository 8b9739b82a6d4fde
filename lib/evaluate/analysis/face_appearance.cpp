#include "lib/evaluate/analysis/face_appearance.hpp"

#include <numeric>

#include "lib/image/face_sharpness.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

constexpr std::size_t prefetched_bytes = std::size_t{256} << 20;

}  // namespace

FaceAppearance measure_face(const GreyImage& image, const Box& box) {
    const std::optional<Rect> pixels = pixels_of(box, {image.width, image.height});
    if (!pixels) return {};
    std::uint64_t sum = 0;
    for (int y = pixels->y; y < pixels->y + pixels->height; ++y) {
        const std::uint8_t* const row = image.view().row(y) + pixels->x;
        sum += std::accumulate(row, row + pixels->width, std::uint64_t{0});
    }
    const double count = static_cast<double>(pixels->width) * pixels->height;
    return {face_sharpness(image.view(), box), static_cast<double>(sum) / count / 255};
}

DatasetAppearance measure_faces(const Dataset& dataset, const MeasureFacesOptions& options) {
    DatasetAppearance appearance;
    std::vector<std::size_t> samples;
    std::vector<ImageLocation> places;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const Sample& sample = dataset.samples[i];
        appearance.faces.emplace_back(sample.faces.size());
        if (!sample.annotated || sample.faces.empty()) continue;
        samples.push_back(i);
        places.push_back(sample.place());
    }
    ImagePrefetcher prefetcher(std::move(places), {options.threads, prefetched_bytes, options.decode});
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        const std::size_t index = samples[loaded->index];
        const Sample& sample = dataset.samples[index];
        if (loaded->unreadable.empty()) {
            for (std::size_t f = 0; f < sample.faces.size(); ++f) {
                appearance.faces[index][f] = measure_face(loaded->image, sample.faces[f].box);
            }
        } else {
            appearance.unreadable.push_back({sample.image, loaded->unreadable});
        }
        const std::size_t done = loaded->index + 1;
        options.hooks.tell({done, samples.size(), appearance.unreadable.size()});
        if (options.hooks.is_cancelled()) {
            appearance.interrupted = done < samples.size();
            break;
        }
    }
    return appearance;
}

}  // namespace fovea
