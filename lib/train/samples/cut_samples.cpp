#include "lib/train/samples/cut_samples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

constexpr std::size_t read_ahead_bytes = std::size_t{256} << 20;

void check_range(const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw UsageError("'" + std::string(name) + "' of the samples is " + shortest_number(value) +
                     "; it must be from " + shortest_number(least) + " to " + shortest_number(most) + ".");
}

void check_options(const CutOptions& options) {
    constexpr double max_pixels = 1e6;
    check_window(options.window);
    check_range("margin", options.margin, -0.4, 5);
    check_range("min_box", options.min_box, 0, max_pixels);
    check_range("copies", options.copies, 0, 10'000);
    check_augment_options(options.augment);
    if (!options.plain && options.copies == 0) {
        throw UsageError(
            "Neither plain samples nor augmented copies are asked for; set 'plain', or 'copies' above 0.");
    }
}

// Far beyond any image, and few enough that the arithmetic stays exact.
bool has_extent(const Box& box) {
    constexpr double most = 1e7;
    return std::abs(box.x) <= most && std::abs(box.y) <= most && box.w > 0 && box.w <= most && box.h > 0 &&
           box.h <= most;
}

bool touches(const Box& box, const GreyImage& image) {
    return box.x < image.width && box.y < image.height && box.x + box.w > 0 && box.y + box.h > 0;
}

/// The outcome of one image.
struct CutImage {
    std::vector<std::uint8_t> pixels;
    std::size_t samples = 0;
    std::size_t objects = 0, ignored = 0, too_small = 0, unusable = 0;
};

class Cutter {
  public:
    Cutter(const CutOptions& options, std::span<const GreyImage> backgrounds, bool has_boxes)
        : options_(options), backgrounds_(backgrounds), has_boxes_(has_boxes) {}

    CutImage cut(const GreyImage& image, const Sample& sample) const {
        CutImage result;
        const std::string source = source_of(sample);
        if (!has_boxes_) {
            const Box whole{0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
            if (is_usable(whole, image, result)) add_object(image, sample, source, whole, 0, 0, result);
            return result;
        }
        for (std::size_t i = 0; i < sample.faces.size(); ++i) {
            const Face& face = sample.faces[i];
            if (face.ignore) {
                ++result.ignored;
            } else if (is_usable(face.box, image, result)) {
                add_object(image, sample, source, face.box, options_.margin, i, result);
            }
        }
        return result;
    }

  private:
    bool is_usable(const Box& box, const GreyImage& image, CutImage& result) const {
        if (!has_extent(box) || !touches(box, image)) {
            ++result.unusable;
            return false;
        }
        if (box.w < options_.min_box || box.h < options_.min_box) {
            ++result.too_small;
            return false;
        }
        return true;
    }

    void add_object(const GreyImage& image, const Sample& sample, const std::string& source, const Box& box,
                    double margin, std::size_t number, CutImage& result) const {
        const ObjectPlace place{image.view(),
                                sample_region(box, options_.window, margin, options_.distorted)};
        if (options_.plain) {
            add(rounded(resampled(place.image, place.region, options_.window, options_.resampling)), result);
        }
        // The frames of a video have one source, and their objects differ by the frame.
        const auto frame = sample.frame ? static_cast<std::size_t>(sample.frame->number) : 0;
        constexpr std::size_t objects_of_frame = 1 << 20;
        const std::size_t object = frame * objects_of_frame + number;
        for (int copy = 0; copy < options_.copies; ++copy) {
            const auto random = random_of_copy(options_.seed, source, object, static_cast<std::size_t>(copy));
            add(augmented_sample(place, options_.window, options_.resampling, options_.augment, backgrounds_,
                                 random),
                result);
        }
        ++result.objects;
    }

    void add(std::vector<std::uint8_t> pixels, CutImage& result) const {
        result.pixels.insert(result.pixels.end(), pixels.begin(), pixels.end());
        ++result.samples;
        if (!options_.mirrored) return;
        mirror(pixels, options_.window);
        result.pixels.insert(result.pixels.end(), pixels.begin(), pixels.end());
        ++result.samples;
    }

    const CutOptions& options_;
    std::span<const GreyImage> backgrounds_;
    bool has_boxes_;
};

class DatasetCutter {
  public:
    DatasetCutter(const Dataset& dataset, const CutOptions& options, std::span<const GreyImage> backgrounds,
                  const CountProgress& progress)
        : dataset_(dataset),
          progress_(progress),
          limit_(options.threads),
          cutter_(options, backgrounds, dataset.has_ground_truth()),
          sources_(result_.samples) {
        result_.samples.window = options.window;
        std::vector<ImageLocation> places;
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
            const Sample& sample = dataset.samples[i];
            if (dataset.has_ground_truth() && sample.faces.empty()) continue;
            wanted_.push_back(i);
            places.push_back(sample.place());
        }
        PrefetchOptions reading{limit_.threads(), read_ahead_bytes, options.decode};
        reading.decode.largest_reduction = 1;
        prefetcher_.emplace(std::move(places), reading);
    }

    CutResult run() {
        while (fill_batch()) {
            std::vector<CutImage> cut(batch_.size());
            limit_.run([&] {
                tbb::parallel_for(std::size_t{0}, batch_.size(), [&](std::size_t i) {
                    cut[i] = cutter_.cut(batch_[i].image, sample_of(batch_[i]));
                });
            });
            for (std::size_t i = 0; i < batch_.size(); ++i) take(cut[i], sample_of(batch_[i]));
            if (progress_) progress_(result_.images + result_.unreadable.size(), wanted_.size());
        }
        if (result_.samples.count() == 0) fail_without_samples();
        return std::move(result_);
    }

  private:
    const Sample& sample_of(const LoadedImage& loaded) const {
        return dataset_.samples[wanted_[loaded.index]];
    }

    bool fill_batch() {
        batch_.clear();
        const auto most = static_cast<std::size_t>(std::clamp(2 * limit_.threads(), 4, 64));
        while (batch_.size() < most) {
            std::optional<LoadedImage> loaded = prefetcher_->next();
            if (!loaded) break;
            if (loaded->unreadable.empty()) {
                batch_.push_back(std::move(*loaded));
            } else {
                result_.unreadable.push_back({sample_of(*loaded).image, loaded->unreadable});
            }
        }
        return !batch_.empty();
    }

    void take(const CutImage& cut, const Sample& sample) {
        ++result_.images;
        result_.objects += cut.objects;
        result_.ignored += cut.ignored;
        result_.too_small += cut.too_small;
        result_.unusable += cut.unusable;
        if (cut.samples == 0) return;
        WindowSamples& samples = result_.samples;
        samples.pixels.insert(samples.pixels.end(), cut.pixels.begin(), cut.pixels.end());
        samples.source.insert(samples.source.end(), cut.samples, sources_.number_of(source_of(sample)));
    }

    [[noreturn]] void fail_without_samples() const {
        std::string text = "The dataset '" + dataset_.name + "' gives no sample.";
        const auto add = [&](std::size_t count, const std::string& what) {
            if (count > 0) text += " " + counted(count, "box", "boxes") + " " + what + ".";
        };
        if (wanted_.empty()) text += " It has no box.";
        if (!result_.unreadable.empty()) {
            text += " " + counted(result_.unreadable.size(), "image") +
                    " cannot be read, first: " + result_.unreadable.front().image + ": " +
                    result_.unreadable.front().reason + ".";
        }
        add(result_.ignored, result_.ignored == 1 ? "is marked ignore" : "are marked ignore");
        add(result_.too_small, result_.too_small == 1 ? "is too small" : "are too small");
        add(result_.unusable, result_.unusable == 1 ? "has no extent or lies beyond its image"
                                                    : "have no extent or lie beyond their images");
        throw Error(text + " Give a dataset with boxes, or a folder of crops.");
    }

    const Dataset& dataset_;
    const CountProgress& progress_;
    ThreadLimit limit_;
    Cutter cutter_;
    CutResult result_;
    SourceNumbers sources_;
    std::vector<std::size_t> wanted_;  // samples of the dataset
    std::optional<ImagePrefetcher> prefetcher_;
    std::vector<LoadedImage> batch_;
};

}  // namespace

Box sample_region(const Box& box, Size window, double margin, bool distorted) {
    const Point centre = box.centre();
    double width = box.w * (1 + 2 * margin), height = box.h * (1 + 2 * margin);
    if (!distorted) {
        // Compared without a division, so that boxes of the window's shape stay as they are.
        const double wide = width * window.height, high = height * window.width;
        if (wide < high) width = high / window.height;
        if (high < wide) height = wide / window.width;
    }
    return {centre.x - width / 2, centre.y - height / 2, width, height};
}

std::string source_of(const Sample& sample) {
    const std::optional<FrameName> frame = sample.frame ? split_frame_name(sample.image) : std::nullopt;
    return frame ? std::string(frame->video) : sample.image;
}

CutResult cut_samples(const Dataset& dataset, const CutOptions& options,
                      std::span<const GreyImage> backgrounds, const CountProgress& progress) {
    check_options(options);
    return DatasetCutter(dataset, options, backgrounds, progress).run();
}

}  // namespace fovea
