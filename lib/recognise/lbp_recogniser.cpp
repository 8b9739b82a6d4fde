#include "lib/recognise/lbp_recogniser.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "kernels/core/scratch.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "kernels/histogram_search/search_plan.hpp"
#include "kernels/lbp/lbp_histograms.hpp"
#include "kernels/lbp/mirror.hpp"
#include "lib/core/text.hpp"
#include "lib/recognise/lbp_config.hpp"

namespace fovea {
namespace {

class LbpDescriber : public CropDescriber {
  public:
    LbpDescriber(const RecogniserConfig& config, const Device& device)
        : device_(device),
          size_(config.geometry.size),
          is_mirrored_(config.mirror),
          histograms_(device, size_, config.features) {}

    void describe(const std::uint8_t* faces, std::size_t count, std::uint16_t* words) override {
        histograms_.compute(faces, count, words);
        if (!is_mirrored_) return;
        const std::size_t pixels =
            static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
        std::uint8_t* mirrored = mirrored_.of_size(device_, count * pixels);
        mirror_faces(device_, faces, count, size_, mirrored);
        const std::size_t all = count * histograms_.layout().bins;
        std::uint16_t* more = mirrored_counts_.of_size(device_, all);
        histograms_.compute(mirrored, count, more);
        add_counts(device_, words, more, all);
    }

  private:
    const Device& device_;
    const Size size_;
    const bool is_mirrored_;
    LbpHistograms histograms_;
    Scratch<std::uint8_t> mirrored_;
    Scratch<std::uint16_t> mirrored_counts_;
};

class LbpGallery : public FeatureGallery {
  public:
    explicit LbpGallery(HistogramGallery gallery) : gallery_(std::move(gallery)) {}

    void add(const std::uint16_t* rows, std::size_t count) override { gallery_.add(rows, count); }
    std::size_t size() const override { return gallery_.size(); }
    void clear() override { gallery_.clear(); }
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count,
                                  std::size_t k) const override {
        return gallery_.search(queries, count, k);
    }
    void distances(const std::uint16_t* queries, std::size_t count, double* out) const override {
        gallery_.distances(queries, count, out);
    }

  private:
    HistogramGallery gallery_;
};

std::unique_ptr<CropDescriber> lbp_describer(const RecogniserConfig& config, const Device& device) {
    return std::make_unique<LbpDescriber>(config, device);
}

std::string lbp_description(const RecogniserConfig& config) {
    std::vector<std::string> operators;
    for (const RegionalLbp& feature : config.features) {
        operators.push_back(fmt::format("LBP({},{}){} in {}", feature.lbp.points,
                                        shortest_number(feature.lbp.radius), feature.lbp.uniform ? "u2" : "",
                                        counted(feature.regions.size(), "region")));
    }
    return fmt::format("{}{}, {}, {}{}", fmt::join(operators, " and "),
                       config.mirror ? " of the face and its mirror image" : "",
                       counted(histogram_layout(config).bins, "bin"),
                       config.weights.empty() ? "" : "weighted ", to_string(config.distance));
}

FeatureMetric lbp_metric(const RecogniserConfig& config) {
    return histogram_metric(histogram_layout(config), config.distance);
}

}  // namespace

FeatureMetric histogram_metric(const HistogramLayout& layout, HistogramDistance distance) {
    check_histogram_layout(layout);
    return {.length = layout.bins,
            .check = [layout](const std::uint16_t* rows, std::size_t count, const char* what,
                              std::size_t first) { check_counts(layout, rows, count, what, first); },
            .distance =
                [layout, distance](const std::uint16_t* first, const std::uint16_t* second) {
                    return histogram_distance(layout, distance, first, second);
                },
            .gallery = [layout, distance](const Device& device) -> std::unique_ptr<FeatureGallery> {
                return std::make_unique<LbpGallery>(HistogramGallery(device, layout, distance));
            }};
}

RecogniserKind lbp_recognisers() {
    return {.name = "local binary patterns",
            .key = "features",
            .features = "counts of labels in regions of the face",
            .distance = "chi-square, intersection, L1, L2 or cosine, by the weights of the regions",
            .describe_features = describe_lbp_features,
            .describe_distance = describe_lbp_distance,
            .description = lbp_description,
            .describer = lbp_describer,
            .metric = lbp_metric};
}

}  // namespace fovea
