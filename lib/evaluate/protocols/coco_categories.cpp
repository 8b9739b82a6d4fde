#include "lib/evaluate/protocols/coco_categories.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/evaluate/protocols/coco_match.hpp"
#include "lib/evaluate/protocols/coco_numbers.hpp"

namespace fovea {
namespace {

/// The faces and detections of a category in an image, in their order.
struct Share {
    std::size_t image = 0;  // among the paired ones
    std::vector<std::uint32_t> faces;
    std::vector<std::uint32_t> detections;
};

using Shares = std::vector<Share>;  // by rising image; images with neither are not in it

class CategoryShares {
  public:
    CategoryShares(const Dataset& dataset, const ImagePairing& pairing) : shares_(dataset.categories.size()) {
        for (std::size_t i = 0; i < dataset.categories.size(); ++i) {
            place_of_[dataset.categories[i].id] = i;
            place_of_text_[std::to_string(dataset.categories[i].id)] = i;
        }
        for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
            add_faces(dataset.samples[pairing.samples[i]], i);
            if (pairing.results[i] != nullptr) add_detections(*pairing.results[i], i);
        }
    }

    const Shares& operator[](std::size_t category) const { return shares_[category]; }

  private:
    Share& share(std::size_t category, std::size_t image) {
        Shares& list = shares_[category];
        if (list.empty() || list.back().image != image) list.push_back({image, {}, {}});
        return list.back();
    }

    void add_faces(const Sample& sample, std::size_t image) {
        for (std::size_t k = 0; k < sample.faces.size(); ++k) {
            const std::string* const id = find_attribute(sample.faces[k].attributes, category_attribute);
            const auto category = id == nullptr ? place_of_text_.end() : place_of_text_.find(*id);
            if (category != place_of_text_.end())
                share(category->second, image).faces.push_back(static_cast<std::uint32_t>(k));
        }
    }

    void add_detections(const ImageResult& result, std::size_t image) {
        if (result.categories.size() != result.detections.size()) {
            throw UsageError("The results do not say of what category the detections in '" + result.image +
                             "' are; of several categories COCO results are evaluated, each with its "
                             "category_id.");
        }
        for (std::size_t k = 0; k < result.detections.size(); ++k) {
            const auto category = place_of_.find(result.categories[k]);
            if (category != place_of_.end())
                share(category->second, image).detections.push_back(static_cast<std::uint32_t>(k));
        }
    }

    std::unordered_map<std::int64_t, std::size_t> place_of_;
    std::unordered_map<std::string, std::size_t> place_of_text_;
    std::vector<Shares> shares_;
};

/// One category's images as if there were no others.
struct CategoryImages {
    std::vector<Sample> samples;
    std::vector<std::vector<Detection>> detections;
    std::vector<ProtocolImage> images;

    CategoryImages(const Dataset& dataset, const ImagePairing& pairing, const Shares& shares)
        : samples(shares.size()), detections(shares.size()) {
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const Sample& whole = dataset.samples[pairing.samples[shares[i].image]];
            samples[i].image = whole.image;
            if (const std::string* const id = find_attribute(whole.attributes, id_attribute))
                samples[i].attributes.push_back({std::string(id_attribute), *id});
            for (const std::uint32_t face : shares[i].faces) samples[i].faces.push_back(whole.faces[face]);
            for (const std::uint32_t detection : shares[i].detections) {
                detections[i].push_back(pairing.results[shares[i].image]->detections[detection]);
            }
            images.push_back({&samples[i], detections[i], std::nullopt});
        }
    }
};

std::vector<std::optional<double>> defined(const std::array<double, 12>& numbers) {
    std::vector<std::optional<double>> values;
    for (const double number : numbers) {
        values.push_back(std::isnan(number) ? std::nullopt : std::optional(number));
    }
    return values;
}

}  // namespace

CategoriesEvaluation evaluate_coco_categories(const Dataset& dataset, const DetectionResults& results,
                                              ProtocolMode mode, const std::string& name) {
    if (!dataset.has_several_categories) {
        throw UsageError("the dataset was read for one category; several are read with ,category=*");
    }
    const ImagePairing pairing = pair_images(dataset, results);
    const CategoryShares shares(dataset, pairing);
    CategoriesEvaluation evaluation;
    evaluation.name = name;
    evaluation.statistics = coco_quantities();
    evaluation.warnings = pairing.warnings;
    evaluation.warnings.insert(evaluation.warnings.end(), results.warnings.begin(), results.warnings.end());
    evaluation.categories.resize(dataset.categories.size());
    std::vector<std::unique_ptr<CocoCurves>> curves(dataset.categories.size());
    tbb::parallel_for(std::size_t{0}, curves.size(), [&](std::size_t i) {
        const CategoryImages category(dataset, pairing, shares[i]);
        const CocoCurve curve(match_coco_images(category.images, {mode}), coco_image_order(category.images),
                              mode);
        curves[i] = std::make_unique<CocoCurves>();
        curve.evaluate(std::vector<std::uint16_t>(category.images.size(), 1), *curves[i]);
        CategoryNumbers& numbers = evaluation.categories[i];
        numbers.category = dataset.categories[i];
        for (const Share& share : shares[i]) {
            numbers.objects += share.faces.size();
            numbers.detections += share.detections.size();
        }
        const CocoCurves* const one = curves[i].get();
        numbers.values = defined(coco_numbers({&one, 1}));
    });
    std::vector<const CocoCurves*> all;
    for (const std::unique_ptr<CocoCurves>& of_category : curves) all.push_back(of_category.get());
    evaluation.mean = defined(coco_numbers(all));
    return evaluation;
}

}  // namespace fovea
