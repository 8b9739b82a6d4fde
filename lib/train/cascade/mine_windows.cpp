#include "lib/train/cascade/mine_windows.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <tbb/parallel_for.h>

#include "kernels/boost/sample_integrals.hpp"
#include "kernels/core/device.hpp"
#include "kernels/resize/resize.hpp"
#include "lib/core/overlap.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {
namespace {

/// Images that are searched at once.
constexpr std::size_t batch_images = 32;
constexpr std::size_t min_windows_of_image = 4;
/// Windows that are drawn at once, and for each that is wanted: some are flat, or lie on objects.
constexpr std::uint64_t max_draws_at_once = 4096;
constexpr std::uint64_t max_draws_of_one = 8;

struct Candidate {
    std::uint64_t order = 0;  ///< random
    std::size_t image = 0;
    CascadeWindow window;
};

/// Keeps the first ones of a random order. \return the others
std::vector<Candidate> keep_first(std::vector<Candidate>& candidates, std::size_t count) {
    if (candidates.size() <= count) return {};
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(candidates.begin(), end, candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
    std::vector<Candidate> others(end, candidates.end());
    candidates.erase(end, candidates.end());
    return others;
}

void append(std::vector<Candidate>& to, const std::vector<Candidate>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

class Miner {
  public:
    Miner(CascadeEngine* engine, Size window, bool needs_contrast, const std::vector<BackgroundImage>& images,
          const WindowMiningSettings& settings)
        : engine_(engine),
          window_(window),
          needs_contrast_(needs_contrast),
          images_(images),
          settings_(settings),
          max_of_image_(std::max(
              min_windows_of_image,
              static_cast<std::size_t>(settings.max_image_share * static_cast<double>(settings.count)))) {
        // Every seed sees other sizes.
        parameters_.scale_factor =
            1 + (settings.scale_factor - 1) * (0.9 + 0.2 * unit_interval(settings.seed * 7919));
        order_.resize(images.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            return mixed(settings.seed ^ mixed(a)) < mixed(settings.seed ^ mixed(b));
        });
    }

    MinedWindows mine(const CountProgress& progress) {
        for (std::size_t first = 0; first < order_.size(); first += batch_images) {
            if (candidates_.size() >= 2 * settings_.count) break;
            search(first, std::min(first + batch_images, order_.size()));
            if (progress) progress(std::min(candidates_.size(), settings_.count), settings_.count);
        }
        if (candidates_.size() < settings_.count) {
            keep_first(spare_, settings_.count - candidates_.size());
            append(candidates_, spare_);
        }
        mined_.ran_dry = candidates_.size() < settings_.count;
        keep_first(candidates_, settings_.count);
        std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
            return a.image != b.image ? a.image < b.image : comes_before(a.window, b.window);
        });
        cut();
        return std::move(mined_);
    }

  private:
    std::vector<PyramidLevel> levels_of(std::size_t image) const {
        return cascade_levels({images_[image].image.width, images_[image].image.height}, window_,
                              parameters_);
    }

    static std::uint64_t windows_of(const std::vector<PyramidLevel>& levels) {
        std::uint64_t count = 0;
        for (const PyramidLevel& level : levels) {
            count += static_cast<std::uint64_t>(level.windows_per_row()) *
                     static_cast<std::uint64_t>(level.window_rows());
        }
        return count;
    }

    /// The windows of one image.
    struct Found {
        std::vector<Candidate> own;    ///< its share
        std::vector<Candidate> spare;  ///< some of those that it has beyond
        std::uint64_t searched = 0, passed = 0;
    };

    void search(std::size_t first, std::size_t last) {
        std::vector<CascadeResult> results;
        if (engine_ != nullptr) {
            std::vector<ImageView<const std::uint8_t>> views;
            for (std::size_t i = first; i < last; ++i) views.push_back(images_[order_[i]].image.view());
            results = engine_->detect(views, {parameters_, 0});
        }
        std::vector<Found> found(last - first);
        tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
            const std::size_t image = order_[first + i];
            const std::vector<PyramidLevel> levels = levels_of(image);
            Found& here = found[i];
            here.searched = windows_of(levels);
            if (engine_ != nullptr) {
                for (const CascadeWindow& window : results[i].windows) add(image, levels, window, here.own);
                here.passed = here.own.size();
            } else {
                here.own = drawn(image, levels);
                here.passed = here.searched;
            }
            here.spare = keep_first(here.own, max_of_image_);
            keep_first(here.spare, settings_.count);
        });
        for (const Found& here : found) {
            mined_.windows_searched += here.searched;
            mined_.windows_passed += here.passed;
            ++mined_.images_searched;
            append(spare_, here.spare);
            keep_first(spare_, settings_.count);
            append(candidates_, here.own);
        }
    }

    void add(std::size_t image, const std::vector<PyramidLevel>& levels, const CascadeWindow& window,
             std::vector<Candidate>& candidates) const {
        const PyramidLevel& level = levels[static_cast<std::size_t>(window.level)];
        if (is_on_object(images_[image], level, window, settings_.max_object_iou)) return;
        const std::uint64_t place = (static_cast<std::uint64_t>(window.level) << 38) ^
                                    (static_cast<std::uint64_t>(window.y) << 19) ^
                                    static_cast<std::uint64_t>(window.x);
        candidates.push_back({mixed(place ^ mixed(settings_.seed ^ mixed(image))), image, window});
    }

    /// Windows at random, of all sizes by their number, each once; all of them if there are few.
    std::vector<Candidate> drawn(std::size_t image, const std::vector<PyramidLevel>& levels) const {
        const std::uint64_t count = windows_of(levels);
        // Few images give more windows each.
        const std::uint64_t wanted =
            std::max<std::uint64_t>(max_of_image_, 2 * settings_.count / images_.size() + 1);
        const std::uint64_t draws = max_draws_of_one * wanted;
        const std::uint64_t at_once = std::min(2 * wanted, max_draws_at_once);
        const bool takes_all = count <= draws;
        CounterRandom random(settings_.seed, image);
        std::set<std::uint64_t> seen;
        std::vector<Candidate> candidates;
        const std::uint64_t last = takes_all ? count : draws;
        for (std::uint64_t done = 0; done < last && (takes_all || candidates.size() < wanted);) {
            std::vector<Candidate> fresh;
            for (const std::uint64_t end = std::min(last, done + at_once); done < end; ++done) {
                const std::uint64_t number = takes_all ? done : random.below(count);
                if (takes_all || seen.insert(number).second)
                    add(image, levels, window_at(levels, number), fresh);
            }
            if (needs_contrast_) drop_flat(image, levels, fresh);
            append(candidates, fresh);
            keep_first(candidates, wanted);
        }
        return candidates;
    }

    static CascadeWindow window_at(const std::vector<PyramidLevel>& levels, std::uint64_t number) {
        for (std::size_t l = 0; l < levels.size(); ++l) {
            const PyramidLevel& level = levels[l];
            const auto columns = static_cast<std::uint64_t>(level.windows_per_row());
            const std::uint64_t here = columns * static_cast<std::uint64_t>(level.window_rows());
            if (number < here) {
                return {static_cast<int>(l), static_cast<int>(number % columns) * level.step,
                        static_cast<int>(number / columns) * level.step, 0};
            }
            number -= here;
        }
        return {};
    }

    void drop_flat(std::size_t image, const std::vector<PyramidLevel>& levels,
                   std::vector<Candidate>& candidates) const {
        const std::vector<std::uint8_t> pixels = pixels_of(image, levels, candidates);
        const SampleIntegrals integrals(window_, pixels, false);
        std::size_t number = 0;
        std::erase_if(candidates, [&](const Candidate&) { return !integrals.has_contrast(number++); });
    }

    /// The windows as the scan sees them: in the image scaled by OpenCV's rule.
    std::vector<std::uint8_t> pixels_of(std::size_t image, const std::vector<PyramidLevel>& levels,
                                        std::span<const Candidate> candidates) const {
        const std::size_t bytes =
            static_cast<std::size_t>(window_.width) * static_cast<std::size_t>(window_.height);
        std::vector<std::uint8_t> pixels(bytes * candidates.size());
        std::map<std::size_t, GreyImage> scaled;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const auto number = static_cast<std::size_t>(candidates[i].window.level);
            const PyramidLevel& level = levels[number];
            const auto [entry, is_new] = scaled.try_emplace(number);
            GreyImage& picture = entry->second;
            if (is_new) {
                picture = {level.size.width, level.size.height, {}};
                picture.pixels.resize(static_cast<std::size_t>(level.size.width) *
                                      static_cast<std::size_t>(level.size.height));
                resize_linear(Device::cpu(), images_[image].image.view(),
                              {picture.pixels.data(), picture.width, picture.height, picture.width});
            }
            for (int y = 0; y < window_.height; ++y) {
                std::memcpy(pixels.data() + i * bytes +
                                static_cast<std::size_t>(y) * static_cast<std::size_t>(window_.width),
                            picture.view().row(candidates[i].window.y + y) + candidates[i].window.x,
                            static_cast<std::size_t>(window_.width));
            }
        }
        return pixels;
    }

    void cut() {
        mined_.count = candidates_.size();
        const std::size_t bytes =
            static_cast<std::size_t>(window_.width) * static_cast<std::size_t>(window_.height);
        mined_.pixels.resize(bytes * candidates_.size());
        std::vector<std::size_t> firsts;  // of each image
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (i == 0 || candidates_[i].image != candidates_[i - 1].image) firsts.push_back(i);
        }
        firsts.push_back(candidates_.size());
        tbb::parallel_for(std::size_t{0}, firsts.size() - 1, [&](std::size_t part) {
            const std::size_t first = firsts[part], count = firsts[part + 1] - first;
            const std::size_t image = candidates_[first].image;
            const std::vector<std::uint8_t> pixels =
                pixels_of(image, levels_of(image), std::span(candidates_).subspan(first, count));
            std::copy(pixels.begin(), pixels.end(),
                      mined_.pixels.begin() + static_cast<std::ptrdiff_t>(first * bytes));
        });
    }

    CascadeEngine* const engine_;
    const Size window_;
    const bool needs_contrast_;
    const std::vector<BackgroundImage>& images_;
    const WindowMiningSettings& settings_;
    const std::size_t max_of_image_;
    ScanParameters parameters_;
    std::vector<std::size_t> order_;
    std::vector<Candidate> candidates_;
    std::vector<Candidate> spare_;  // that images have beyond their share
    MinedWindows mined_;
};

}  // namespace

bool is_on_object(const BackgroundImage& image, const PyramidLevel& level, const CascadeWindow& window,
                  double max_iou) {
    const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
    const Box box{double(rect.x), double(rect.y), double(rect.width), double(rect.height)};
    return std::any_of(image.objects.begin(), image.objects.end(),
                       [&](const Box& object) { return intersection_over_union(object, box) > max_iou; });
}

MinedWindows mine_windows(CascadeEngine* engine, Size window, bool needs_contrast,
                          const std::vector<BackgroundImage>& images, const WindowMiningSettings& settings,
                          const CountProgress& progress) {
    return Miner(engine, window, needs_contrast, images, settings).mine(progress);
}

}  // namespace fovea
