#include "lib/run/recognition/enrol_dataset.hpp"

#include <filesystem>
#include <unordered_map>

#include "lib/core/text.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/shortage.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

// Faces of each image that were found in this way, but for the image that may not have been finished.
std::unordered_map<std::string, std::size_t> finished_images(const Dataset& dataset, const std::string& way,
                                                             FaceChoice choice,
                                                             const GalleryWriter& gallery) {
    const std::string name = gallery_dataset(dataset);
    std::unordered_map<std::string, std::size_t> faces_of_image;
    const GalleryFace* last = nullptr;
    for (const auto& [number, face] : gallery.faces()) {
        if (face.dataset != name || face.found_by != way) continue;
        ++faces_of_image[face.image];
        last = &face;
    }
    if (choice != FaceChoice::one && last != nullptr) faces_of_image.erase(last->image);
    return faces_of_image;
}

GalleryFace gallery_face(const Sample& sample, const std::string& dataset, const std::string& way,
                         EnrolledFace&& enrolled) {
    GalleryFace face;
    face.subject = enrolled.subject.value_or(sample.subject);
    face.image = sample.image;
    face.dataset = dataset;
    face.box = enrolled.box;
    face.eyes = enrolled.eyes;
    face.quality = std::move(enrolled.quality);
    if (enrolled.from_fallback) face.quality["from_fallback"] = true;
    face.found_by = way;
    face.features = std::move(enrolled.features);
    return face;
}

}  // namespace

std::string gallery_dataset(const Dataset& dataset) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(dataset.root.empty() ? fs::path(".") : dataset.root, error);
    // Under another name all of its faces would be enrolled a second time.
    throw_if_short("The folder '" + dataset.root.string() + "' cannot be looked at", error.value(), ".");
    return valid_utf8(error ? dataset.name : folder.string());
}

std::string found_by(const LoadedFaceFinder& finder) {
    Json json = finder.to_json();
    // The models' contents matter, not where they lie.
    for (const char* model : {"detector", "landmarks"}) {
        if (json.contains(model)) json[model].erase("model");
    }
    const FaceChoice choice = finder.config().choice;
    json["choice"] = choice == FaceChoice::all ? "all" : choice == FaceChoice::named ? "named" : "one";
    return sha256_of(compact_text(json)).substr(0, 16);
}

EnrolDatasetResult enrol_dataset(const Dataset& dataset, const LoadedFaceFinder& finder,
                                 const Recogniser& recogniser, const std::optional<std::string>& subject,
                                 const EnrolmentOptions& options, GalleryWriter& gallery) {
    const std::string way = found_by(finder);
    const std::string name = gallery_dataset(dataset);
    const auto finished = finished_images(dataset, way, finder.config().choice, gallery);
    EnrolDatasetResult outcome;
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const auto found = finished.find(valid_utf8(dataset.samples[i].image));
        if (found == finished.end()) {
            samples.push_back(i);
            continue;
        }
        ++outcome.images;
        outcome.faces_already_there += found->second;
    }
    if (samples.empty()) {
        gallery.finish();
        return outcome;
    }

    const auto take = [&](EnrolledFace&& enrolled) {
        const bool is_fallback = enrolled.from_fallback;
        GalleryFace face = gallery_face(dataset.samples[enrolled.sample], name, way, std::move(enrolled));
        if (subject) face.subject = *subject;
        if (!gallery.append(face)) {
            ++outcome.faces_already_there;
            return;
        }
        ++outcome.faces;
        if (face.subject.empty()) ++outcome.unknown;
        if (is_fallback) ++outcome.fallbacks;
    };
    EnrolmentResult enrolled = enrol_faces(dataset, finder.finder(), recogniser, options, take, samples);
    gallery.finish();
    outcome.images += enrolled.images;
    outcome.interrupted = enrolled.interrupted;
    outcome.pages_left_out = pages_left_out(enrolled.several_pages);
    outcome.failures = std::move(enrolled.failures);
    return outcome;
}

}  // namespace fovea
