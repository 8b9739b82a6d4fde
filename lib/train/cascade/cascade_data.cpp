#include "lib/train/cascade/cascade_data.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/train/data_sources.hpp"
#include "lib/train/samples/cut_samples.hpp"
#include "lib/train/samples/sample_backgrounds.hpp"
#include "lib/train/samples/sample_split.hpp"
#include "lib/train/samples/vec_file.hpp"

namespace fovea {
namespace {

using Progress = std::function<void(std::size_t, std::size_t)>;

constexpr std::string_view vec_prefix = "vec:";
/// Tiles that follow each other are often alike: up to so many are of one source.
constexpr std::size_t max_tiles_of_source = 100;

/// Few tiles still make ten sources, so that some can be held out.
std::size_t tiles_of_source(std::size_t tiles) {
    return std::clamp<std::size_t>(tiles / 10, 1, max_tiles_of_source);
}

class Loader {
  public:
    Loader(const CascadeTrainConfig& config, int threads, const Progress& progress)
        : config_(config), threads_(threads), progress_(progress) {}

    CascadeData load() {
        data_.manifest = {{"positives", Json::array()}, {"backgrounds", Json::array()}};
        read_backgrounds_for_copies();
        WindowSamples all;
        all.window = config_.window();
        for (const std::string& positive : config_.positives) {
            if (positive.starts_with(vec_prefix))
                add_vec(positive.substr(vec_prefix.size()), all);
            else
                add_dataset(positive, all);
        }
        for (const SampleStrip& strip : config_.strips) add_strip(strip, all);
        if (all.count() == 0) throw Error("there are no positives: the sources have none");
        SampleSplit split = split_by_source(all, config_.stages.held_out, config_.seed);
        if (split.training.count() == 0 || (config_.stages.held_out > 0 && split.held_out.count() == 0)) {
            throw UsageError(
                fmt::format("the positives come from {}, too few to hold out a share of {}; put \"stages\": "
                            "{{\"held_out\": 0}} into the configuration (--config), and the training samples "
                            "decide when a stage is done",
                            counted(all.sources.size(), "source"), config_.stages.held_out));
        }
        data_.positives = std::move(split.training);
        data_.held_out = std::move(split.held_out);
        for (const std::string& background : config_.backgrounds) add_background(background);
        if (data_.backgrounds.empty()) throw Error("no background can be read");
        data_.manifest["training_samples"] = data_.positives.count();
        data_.manifest["held_out_samples"] = data_.held_out.count();
        data_.manifest["unreadable_images"] = data_.unreadable;
        data_.manifest["boxes_left_out"] = data_.left_out;
        return std::move(data_);
    }

  private:
    void read_backgrounds_for_copies() {
        if (config_.samples.copies == 0) return;
        for (const std::string& background : config_.backgrounds) {
            Dataset dataset = read_dataset(background);
            // A piece of another object would be pasted beside the object.
            std::erase_if(dataset.samples, [](const Sample& sample) { return !sample.faces.empty(); });
            if (dataset.samples.empty()) continue;
            SampleBackgrounds read = read_backgrounds(dataset, {.threads = threads_}, progress_);
            for (GreyImage& image : read.images) pasted_.push_back(std::move(image));
        }
    }

    CutOptions cut_options() const {
        CutOptions options;
        options.window = config_.window();
        options.margin = config_.samples.margin;
        options.distorted = config_.samples.distorted;
        options.min_box = config_.samples.min_box;
        options.mirrored = config_.samples.mirrored;
        options.plain = config_.samples.plain;
        options.copies = config_.samples.copies;
        options.augment = config_.samples.augment;
        options.seed = config_.seed;
        options.threads = threads_;
        return options;
    }

    void add_dataset(const std::string& specification, WindowSamples& all) {
        const Dataset dataset = read_dataset(specification);
        CutResult cut = cut_samples(dataset, cut_options(), pasted_, progress_);
        data_.unreadable += cut.unreadable.size();
        data_.left_out += cut.ignored + cut.too_small + cut.unusable;
        Json entry = dataset_manifest(dataset);
        entry["objects"] = cut.objects;
        data_.manifest["positives"].push_back(std::move(entry));
        all.append(cut.samples);
    }

    void add_copies(WindowSamples samples, WindowSamples& all) {
        if (config_.samples.mirrored) {
            WindowSamples both;
            both.window = samples.window;
            both.sources = samples.sources;
            for (std::size_t i = 0; i < samples.count(); ++i) {
                const auto pixels = samples.pixels_of_sample(i);
                std::vector<std::uint8_t> mirrored(pixels.begin(), pixels.end());
                mirror(mirrored, samples.window);
                both.add(pixels, samples.source[i]);
                both.add(mirrored, samples.source[i]);
            }
            samples = std::move(both);
        }
        if (config_.samples.plain) all.append(samples);
        if (config_.samples.copies == 0) return;
        all.append(augmented_samples(samples, static_cast<std::size_t>(config_.samples.copies),
                                     config_.samples.augment, pasted_, config_.seed));
    }

    void add_vec(const std::string& file, WindowSamples& all) {
        const std::size_t count = VecReader(file, config_.window()).count();
        WindowSamples samples =
            read_vec(file, config_.window(), {.samples_per_source = tiles_of_source(count)});
        data_.manifest["positives"].push_back({{"vec", std::filesystem::path(file).filename().string()},
                                               {"objects", samples.count()},
                                               {"sha256", sha256_of_file(file)}});
        add_copies(std::move(samples), all);
    }

    void add_strip(const SampleStrip& strip, WindowSamples& all) {
        const GreyImage image = read_grey_image(strip.path);
        if (image.height % strip.tile_height != 0) {
            throw Error(fmt::format("'{}' has {} rows, which are no tiles of {} rows", strip.path,
                                    image.height, strip.tile_height));
        }
        const std::string name = std::filesystem::path(strip.path).filename().string();
        WindowSamples samples;
        samples.window = config_.window();
        SourceNumbers numbers(samples);
        const int tiles = image.height / strip.tile_height;
        const int of_source = static_cast<int>(tiles_of_source(static_cast<std::size_t>(tiles)));
        for (int tile = 0; tile < tiles; ++tile) {
            const ImageView<const std::uint8_t> view{image.view().row(tile * strip.tile_height), image.width,
                                                     strip.tile_height, image.width};
            const Box whole{0, 0, static_cast<double>(image.width), static_cast<double>(strip.tile_height)};
            const Box region =
                sample_region(whole, config_.window(), strip.margin, config_.samples.distorted);
            const std::vector<std::uint8_t> pixels =
                rounded(resampled(view, region, config_.window(), Resampling::area));
            samples.add(pixels, numbers.number_of(fmt::format("{}#{}", name, tile / of_source)));
        }
        data_.manifest["positives"].push_back(
            {{"strip", name}, {"objects", tiles}, {"sha256", sha256_of_file(strip.path)}});
        add_copies(std::move(samples), all);
    }

    void add_background(const std::string& specification) {
        const Dataset dataset = read_dataset(specification);
        std::vector<ImageLocation> places;
        for (const Sample& sample : dataset.samples) places.push_back(sample.place());
        ImagePrefetcher images(std::move(places), {resolve_threads(threads_), std::size_t{256} << 20, {}});
        std::size_t done = 0;
        while (std::optional<LoadedImage> loaded = images.next()) {
            if (progress_) progress_(++done, dataset.samples.size());
            if (!loaded->unreadable.empty()) {
                ++data_.unreadable;
                continue;
            }
            const Sample& sample = dataset.samples[loaded->index];
            BackgroundImage background{sample.image, std::move(loaded->image), {}};
            for (const Face& face : sample.faces) background.objects.push_back(face.box);
            data_.backgrounds.push_back(std::move(background));
        }
        data_.manifest["backgrounds"].push_back(dataset_manifest(dataset));
    }

    const CascadeTrainConfig& config_;
    const int threads_;
    const Progress& progress_;
    std::vector<GreyImage> pasted_;
    CascadeData data_;
};

}  // namespace

CascadeData load_cascade_data(const CascadeTrainConfig& config, int threads, const Progress& progress) {
    return Loader(config, threads, progress).load();
}

}  // namespace fovea
