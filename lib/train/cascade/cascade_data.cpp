#include "lib/train/cascade/cascade_data.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/train/data_sources.hpp"
#include "lib/train/samples/cut_samples.hpp"
#include "lib/train/samples/sample_backgrounds.hpp"
#include "lib/train/samples/sample_split.hpp"
#include "lib/train/samples/vec_file.hpp"

namespace fovea {
namespace {

constexpr std::string_view vec_prefix = "vec:";
/// Tiles that follow each other are often alike: up to so many are of one source.
constexpr std::size_t max_tiles_of_source = 100;

/// Few tiles still make ten sources, so that some can be held out.
std::size_t tiles_of_source(std::size_t tiles) {
    return std::clamp<std::size_t>(tiles / 10, 1, max_tiles_of_source);
}

/// The part that the samples of a file go to.
enum class Part { training, test, none };

bool is_object(const Face& face, double min_box) {
    return !face.ignore && face.box.w >= min_box && face.box.h >= min_box;
}

/// The dataset with the samples that are wanted.
Dataset with_samples(const Dataset& dataset, const std::function<bool(const Sample&)>& is_wanted) {
    Dataset some = dataset;
    std::erase_if(some.samples, [&](const Sample& sample) { return !is_wanted(sample); });
    return some;
}

std::filesystem::path true_path(const std::filesystem::path& path) {
    std::error_code failed;
    const std::filesystem::path found = std::filesystem::canonical(path, failed);
    return failed ? path : found;
}

/// Positives before they are cut and copied.
struct PositiveSource {
    std::optional<Dataset> dataset;  ///< else samples, of a .vec file or a strip
    WindowSamples samples;
    Json manifest;
    std::filesystem::path file;  ///< of the samples
};

class Loader {
  public:
    Loader(const CascadeTrainConfig& config, int threads, const CountProgress& progress,
           bool with_backgrounds)
        : config_(config), threads_(threads), progress_(progress), with_backgrounds_(with_backgrounds) {}

    CascadeData load() {
        data_.manifest = {{"positives", Json::array()}, {"backgrounds", Json::array()}};
        std::vector<PositiveSource> sources = read_sources(config_.positives);
        for (const SampleStrip& strip : config_.strips) sources.push_back(strip_source(strip));
        test_sources_ = read_sources(config_.test.positives);
        refuse_shared_positives(sources);
        find_parts(sources);
        read_backgrounds(sources);
        const WindowSamples all =
            at_most(cut(sources, Part::training, config_.samples.copies, data_.manifest["positives"]),
                    config_.samples.max_count);
        if (all.count() == 0) throw Error("there are no positives: the sources have none");
        hold_out(all);
        if (config_.has_test()) cut_test(sources);
        if (with_backgrounds_) load_backgrounds();
        data_.manifest["training_samples"] = data_.positives.count();
        data_.manifest["held_out_samples"] = data_.held_out.count();
        data_.manifest["unreadable_images"] = data_.unreadable;
        data_.manifest["boxes_left_out"] = data_.left_out;
        return std::move(data_);
    }

  private:
    Dataset read(const std::string& specification) {
        Dataset dataset = read_dataset(specification);
        add_inputs(dataset, data_.inputs);
        return dataset;
    }

    // --- which file is for what ---

    static void add_files(const Dataset& dataset, std::set<std::filesystem::path>& files) {
        for (const Sample& sample : dataset.samples) files.insert(true_path(sample.path));
    }

    static void refuse_shared(const Dataset& tested, const std::set<std::filesystem::path>& trained,
                              const std::string& what) {
        for (const Sample& sample : tested.samples) refuse_shared(sample.path, trained, what);
    }

    static void refuse_shared(const std::filesystem::path& tested,
                              const std::set<std::filesystem::path>& trained, const std::string& what) {
        if (trained.count(true_path(tested)) == 0) return;
        throw UsageError(fmt::format(
            "'{}' is among the {} to train on and those to test on; name others with --test-{}, or leave it "
            "out to test on a share of the files",
            tested.string(), what, what));
    }

    void refuse_shared_positives(const std::vector<PositiveSource>& sources) const {
        if (test_sources_.empty()) return;
        std::set<std::filesystem::path> trained;
        for (const PositiveSource& source : sources) {
            if (source.dataset)
                add_files(*source.dataset, trained);
            else
                trained.insert(true_path(source.file));
        }
        for (const PositiveSource& source : test_sources_) {
            if (source.dataset)
                refuse_shared(*source.dataset, trained, "positives");
            else
                refuse_shared(source.file, trained, "positives");
        }
    }

    std::vector<PositiveSource> read_sources(const std::vector<std::string>& specifications) {
        std::vector<PositiveSource> sources;
        for (const std::string& specification : specifications) {
            if (specification.starts_with(vec_prefix))
                sources.push_back(vec_source(specification.substr(vec_prefix.size())));
            else
                sources.push_back({read(specification), {}, {}, {}});
        }
        return sources;
    }

    /// Calls with the name of each file of positives, some more than once.
    template <class Action>
    void for_each_name(const std::vector<PositiveSource>& sources, const Action& action) const {
        for (const PositiveSource& source : sources) {
            for (const std::string& name : source.samples.sources) action(name);
            if (!source.dataset) continue;
            const bool has_boxes = source.dataset->has_ground_truth();
            for (const Sample& sample : source.dataset->samples) {
                const bool has_objects =
                    std::any_of(sample.faces.begin(), sample.faces.end(),
                                [&](const Face& face) { return is_object(face, config_.samples.min_box); });
                if (!has_boxes || has_objects) action(source_of(sample));
            }
        }
    }

    bool splits_positives() const { return config_.test_share() > 0 && config_.test.positives.empty(); }
    bool splits_backgrounds() const {
        return config_.test_share() > 0 && config_.test.backgrounds.empty() && !config_.backgrounds.empty();
    }

    void find_parts(const std::vector<PositiveSource>& sources) {
        std::vector<std::string> names;
        std::set<std::string> seen;
        for_each_name(sources, [&](const std::string& name) {
            if (seen.insert(name).second) names.push_back(name);
        });
        has_parts_ = splits_positives() || config_.samples.max_sources > 0;
        if (!has_parts_) return;
        const std::size_t wanted =
            config_.samples.max_sources > 0 ? config_.samples.max_sources : names.size();
        std::vector<std::string> used;
        for (const std::size_t i : evenly_picked(names.size(), wanted)) used.push_back(names[i]);
        const std::vector<char> tested =
            held_out_sources(used, splits_positives() ? config_.test_share() : 0, config_.seed);
        std::size_t tested_files = 0;
        for (std::size_t i = 0; i < used.size(); ++i) {
            parts_[used[i]] = tested[i] != 0 ? Part::test : Part::training;
            if (tested[i] != 0) ++tested_files;
        }
        if (splits_positives()) check_split(tested_files, used.size(), "positives", "source");
    }

    /// Both parts need something.
    void check_split(std::size_t tested, std::size_t all, const std::string& what,
                     const std::string& noun) const {
        if (tested > 0 && tested < all) return;
        throw UsageError(
            fmt::format("the {} come from {}, too few to keep a share of {} for the test; name others with "
                        "--test-{}, or change --test-share",
                        what, counted(all, noun), config_.test_share(), what));
    }

    Part part_of(const std::string& name) const {
        if (!has_parts_) return Part::training;
        const auto found = parts_.find(name);
        return found == parts_.end() ? Part::none : found->second;
    }

    // --- backgrounds ---

    void read_backgrounds(const std::vector<PositiveSource>& sources) {
        std::vector<Dataset> all;
        for (const std::string& background : config_.backgrounds) {
            all.push_back(read(background));
            if (with_backgrounds_) data_.manifest["backgrounds"].push_back(dataset_manifest(all.back()));
        }
        if (splits_backgrounds()) {
            split_backgrounds(sources, all);
        } else {
            backgrounds_ = std::move(all);
            for (const std::string& background : config_.test.backgrounds)
                test_backgrounds_.push_back(read(background));
            std::set<std::filesystem::path> mined;
            for (const Dataset& dataset : backgrounds_) add_files(dataset, mined);
            for (const Dataset& dataset : test_backgrounds_) refuse_shared(dataset, mined, "backgrounds");
        }
        if (config_.samples.copies > 0) pasted_ = read_pasted(backgrounds_);
        if (config_.has_test() && test_copies() > 0) test_pasted_ = read_pasted(test_backgrounds_);
    }

    /// Images of positives go with these; of the others a share is for the test.
    void split_backgrounds(const std::vector<PositiveSource>& sources, const std::vector<Dataset>& all) {
        std::map<std::filesystem::path, Part> part_of_file;
        std::vector<std::string> free;
        for (const PositiveSource& source : test_sources_) {
            if (!source.dataset) continue;
            for (const Sample& sample : source.dataset->samples)
                part_of_file.emplace(true_path(sample.path), Part::test);
        }
        for (const PositiveSource& source : sources) {
            if (!source.dataset) continue;
            for (const Sample& sample : source.dataset->samples) {
                const Part part = part_of(source_of(sample));
                if (part != Part::none) part_of_file.emplace(true_path(sample.path), part);
            }
        }
        const auto known_part = [&](const Sample& sample) {
            const auto found = part_of_file.find(true_path(sample.path));
            return found == part_of_file.end() ? Part::none : found->second;
        };
        std::size_t images = 0, tested = 0;
        for (const Dataset& dataset : all) {
            images += dataset.samples.size();
            for (const Sample& sample : dataset.samples) {
                if (known_part(sample) == Part::none) free.push_back(source_of(sample));
            }
        }
        const std::vector<char> held_out = held_out_sources(free, config_.test_share(), config_.seed);
        std::set<std::string> tested_names;
        for (std::size_t i = 0; i < free.size(); ++i) {
            if (held_out[i] != 0) tested_names.insert(free[i]);
        }
        for (const Dataset& dataset : all) {
            const auto is_tested = [&](const Sample& sample) {
                const Part part = known_part(sample);
                return part == Part::test ||
                       (part == Part::none && tested_names.count(source_of(sample)) > 0);
            };
            test_backgrounds_.push_back(with_samples(dataset, is_tested));
            backgrounds_.push_back(
                with_samples(dataset, [&](const Sample& sample) { return !is_tested(sample); }));
            tested += test_backgrounds_.back().samples.size();
        }
        check_split(tested, images, "backgrounds", "image");
    }

    std::vector<GreyImage> read_pasted(const std::vector<Dataset>& datasets) const {
        std::vector<GreyImage> pasted;
        for (const Dataset& dataset : datasets) {
            // A piece of another object would be pasted beside the object.
            const Dataset free =
                with_samples(dataset, [](const Sample& sample) { return sample.faces.empty(); });
            if (free.samples.empty()) continue;
            SampleBackgrounds read = fovea::read_backgrounds(free, {.threads = threads_}, progress_);
            for (GreyImage& image : read.images) pasted.push_back(std::move(image));
        }
        return pasted;
    }

    void load_backgrounds() {
        for (const Dataset& dataset : backgrounds_) load_images(dataset, data_.backgrounds);
        for (const Dataset& dataset : test_backgrounds_) load_images(dataset, data_.test_backgrounds);
        if (data_.backgrounds.empty()) throw Error("no background can be read");
        if (config_.has_test() && data_.test_backgrounds.empty())
            throw Error("no background of the test can be read");
        if (!config_.has_test()) return;
        Json& test = data_.manifest["test"];
        test["background_images"] = data_.test_backgrounds.size();
        if (config_.test.backgrounds.empty()) return;
        for (const Dataset& dataset : test_backgrounds_)
            test["backgrounds"].push_back(dataset_manifest(dataset));
    }

    void load_images(const Dataset& dataset, std::vector<BackgroundImage>& images) {
        std::vector<ImageLocation> places;
        for (const Sample& sample : dataset.samples) places.push_back(sample.place());
        ImagePrefetcher prefetcher(std::move(places),
                                   {resolve_threads(threads_), std::size_t{256} << 20, {}});
        std::size_t done = 0;
        while (std::optional<LoadedImage> loaded = prefetcher.next()) {
            if (progress_) progress_(++done, dataset.samples.size());
            if (!loaded->unreadable.empty()) {
                ++data_.unreadable;
                continue;
            }
            const Sample& sample = dataset.samples[loaded->index];
            BackgroundImage background{sample.image, std::move(loaded->image), {}};
            for (const Face& face : sample.faces) background.objects.push_back(face.box);
            images.push_back(std::move(background));
        }
    }

    // --- positives ---

    CutOptions cut_options(int copies) const {
        CutOptions options;
        options.window = config_.window();
        options.margin = config_.samples.margin;
        options.distorted = config_.samples.distorted;
        options.min_box = config_.samples.min_box;
        options.mirrored = config_.samples.mirrored;
        options.plain = config_.samples.plain;
        options.copies = copies;
        options.augment = config_.samples.augment;
        options.seed = config_.seed;
        options.threads = threads_;
        return options;
    }

    int test_copies() const { return config_.test.copies.value_or(config_.samples.copies); }

    /// The samples of one part, cut and copied. \param manifest gets an entry of each source.
    WindowSamples cut(const std::vector<PositiveSource>& sources, Part part, int copies, Json& manifest) {
        WindowSamples all;
        all.window = config_.window();
        const std::vector<GreyImage>& pasted = part == Part::test ? test_pasted_ : pasted_;
        for (const PositiveSource& source : sources) {
            if (!source.dataset) {
                manifest.push_back(source.manifest);
                add_copies(samples_of(source.samples, part), copies, pasted, all);
                continue;
            }
            Json entry = dataset_manifest(*source.dataset);
            entry["objects"] = cut_dataset(*source.dataset, part, copies, pasted, all);
            manifest.push_back(std::move(entry));
        }
        return all;
    }

    WindowSamples samples_of(const WindowSamples& samples, Part part) const {
        if (!has_parts_ || reads_named_test_) return samples;
        WindowSamples some{samples.window, {}, {}, {}};
        SourceNumbers numbers(some);
        for (std::size_t i = 0; i < samples.count(); ++i) {
            const std::string& name = samples.sources[samples.source[i]];
            if (part_of(name) == part) some.add(samples.pixels_of_sample(i), numbers.number_of(name));
        }
        return some;
    }

    /// \return objects that became samples.
    std::size_t cut_dataset(const Dataset& dataset, Part part, int copies,
                            const std::vector<GreyImage>& pasted, WindowSamples& all) {
        std::optional<Dataset> some;
        if (has_parts_ && !reads_named_test_) {
            some = with_samples(dataset,
                                [&](const Sample& sample) { return part_of(source_of(sample)) == part; });
            if (some->samples.empty()) return 0;
        }
        CutResult cut = cut_samples(some ? *some : dataset, cut_options(copies), pasted, progress_);
        data_.unreadable += cut.unreadable.size();
        data_.left_out += cut.ignored + cut.too_small + cut.unusable;
        all.append(cut.samples);
        return cut.objects;
    }

    void add_copies(WindowSamples samples, int copies, const std::vector<GreyImage>& pasted,
                    WindowSamples& all) const {
        if (samples.count() == 0) return;
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
        if (copies == 0) return;
        all.append(augmented_samples(samples, static_cast<std::size_t>(copies), config_.samples.augment,
                                     pasted, config_.seed));
    }

    static WindowSamples at_most(WindowSamples samples, std::size_t count) {
        if (count == 0 || samples.count() <= count) return samples;
        return samples.picked(evenly_picked(samples.count(), count));
    }

    void hold_out(const WindowSamples& all) {
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
    }

    void cut_test(const std::vector<PositiveSource>& sources) {
        Json entries = Json::array();
        WindowSamples cut_out;
        if (config_.test.positives.empty()) {
            cut_out = cut(sources, Part::test, test_copies(), entries);
        } else {
            reads_named_test_ = true;
            cut_out = cut(test_sources_, Part::test, test_copies(), entries);
            data_.manifest["test"]["positives"] = std::move(entries);
        }
        data_.test_positives = at_most(std::move(cut_out), config_.test.max_positives);
        if (data_.test_positives.count() == 0) throw Error("there are no positives to test on");
        data_.manifest["test"]["samples"] = data_.test_positives.count();
    }

    PositiveSource vec_source(const std::string& file) {
        data_.inputs.add(file);
        const std::size_t count = VecReader(file, config_.window()).count();
        WindowSamples samples =
            read_vec(file, config_.window(), {.samples_per_source = tiles_of_source(count)});
        Json manifest = {{"vec", std::filesystem::path(file).filename().string()},
                         {"objects", samples.count()},
                         {"sha256", sha256_of_file(file)}};
        return {std::nullopt, std::move(samples), std::move(manifest), file};
    }

    Box region_of_tile(const SampleStrip& strip, int tile_width) const {
        if (!strip.side) {
            const Box whole{0, 0, static_cast<double>(tile_width), static_cast<double>(strip.tile_height)};
            return sample_region(whole, config_.window(), 0, config_.samples.distorted);
        }
        const double width = *strip.side;
        const double height = width * config_.height / config_.width;
        return {*strip.x - width / 2, *strip.y - height / 2, width, height};
    }

    PositiveSource strip_source(const SampleStrip& strip) {
        data_.inputs.add(strip.path);
        const GreyImage image = read_strip(strip.path);
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
            const Box region = region_of_tile(strip, image.width);
            const std::vector<std::uint8_t> pixels =
                rounded(resampled(view, region, config_.window(), Resampling::area));
            samples.add(pixels, numbers.number_of(fmt::format("{}#{}", name, tile / of_source)));
        }
        Json manifest = {{"strip", name}, {"objects", tiles}, {"sha256", sha256_of_file(strip.path)}};
        return {std::nullopt, std::move(samples), std::move(manifest), strip.path};
    }

    const CascadeTrainConfig& config_;
    const int threads_;
    const CountProgress& progress_;
    const bool with_backgrounds_;
    bool has_parts_ = false;         // files of positives that are not all trained on
    bool reads_named_test_ = false;  // all of them are for the test
    std::map<std::string, Part> parts_;
    std::vector<PositiveSource> test_sources_;  // that the test names
    std::vector<Dataset> backgrounds_, test_backgrounds_;
    std::vector<GreyImage> pasted_, test_pasted_;
    CascadeData data_;
};

}  // namespace

CascadeData load_cascade_data(const CascadeTrainConfig& config, int threads, const CountProgress& progress,
                              bool with_backgrounds) {
    return Loader(config, threads, progress, with_backgrounds).load();
}

}  // namespace fovea
