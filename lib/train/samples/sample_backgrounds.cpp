#include "lib/train/samples/sample_backgrounds.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {
namespace {

constexpr std::size_t background_bytes = std::size_t{256} << 20;  // that are read ahead

}  // namespace

SampleBackgrounds read_backgrounds(const Dataset& dataset, const BackgroundReading& reading,
                                   const CountProgress& progress) {
    const std::vector<std::size_t> picked =
        evenly_picked(dataset.samples.size(), std::max<std::size_t>(reading.max_images, 1));
    std::vector<ImageLocation> places;
    for (const std::size_t i : picked) places.push_back(dataset.samples[i].place());
    SampleBackgrounds backgrounds;
    PrefetchOptions options{resolve_threads(reading.threads), background_bytes, reading.decode};
    options.decode.largest_reduction = 1;
    ImagePrefetcher prefetcher(std::move(places), options);
    while (std::optional<LoadedImage> loaded = prefetcher.next()) {
        if (loaded->unreadable.empty()) {
            const GreyImage& image = loaded->image;
            const int longest = std::max(image.width, image.height), side = std::max(reading.max_side, 1);
            const int factor = longest / side + (longest % side > 0 ? 1 : 0);
            backgrounds.images.push_back(factor > 1 ? reduced(image, factor) : std::move(loaded->image));
        } else {
            backgrounds.unreadable.push_back(
                {dataset.samples[picked[loaded->index]].image, loaded->unreadable});
        }
        if (progress) progress(loaded->index + 1, picked.size());
    }
    if (backgrounds.images.empty()) {
        const std::string first = backgrounds.unreadable.empty()
                                      ? std::string()
                                      : ", first: " + backgrounds.unreadable.front().image + ": " +
                                            backgrounds.unreadable.front().reason;
        throw Error("None of the " + counted(picked.size(), "background") + " of '" + dataset.name +
                    "' can be read" + first + "; give images without objects.");
    }
    return backgrounds;
}

WindowPlane random_piece(std::span<const GreyImage> images, Size window, CounterRandom& random) {
    const GreyImage& image = images[random.below(images.size())];
    const double largest = std::min(static_cast<double>(image.width) / window.width,
                                    static_cast<double>(image.height) / window.height);
    const double size = random.unit(), x = random.unit(), y = random.unit();
    const double scale = largest > 1 ? 1 + size * size * (largest - 1) : largest;
    const double width = scale * window.width, height = scale * window.height;
    return resampled(image.view(), {x * (image.width - width), y * (image.height - height), width, height},
                     window, Resampling::area);
}

GreyImage reduced(const GreyImage& image, int factor) {
    GreyImage small{std::max(image.width / factor, 1), std::max(image.height / factor, 1), {}};
    small.pixels.reserve(static_cast<std::size_t>(small.width) * static_cast<std::size_t>(small.height));
    const int across = std::min(factor, image.width), down = std::min(factor, image.height);
    const std::int64_t pixels = std::int64_t{across} * down;
    for (int y = 0; y < small.height; ++y) {
        for (int x = 0; x < small.width; ++x) {
            std::int64_t sum = 0;
            for (int v = 0; v < down; ++v) {
                const std::uint8_t* const row = image.view().row(y * factor + v) + std::ptrdiff_t{x} * factor;
                for (int u = 0; u < across; ++u) sum += row[u];
            }
            small.pixels.push_back(static_cast<std::uint8_t>((2 * sum + pixels) / (2 * pixels)));
        }
    }
    return small;
}

}  // namespace fovea
