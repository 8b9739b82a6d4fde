#include "lib/results/formats/write_results.hpp"

#include <algorithm>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/losses.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "lib/results/image_names.hpp"

namespace fovea {
namespace {

/// Results in the order in which they are written.
using Images = std::vector<ImageResult>;

/// The results of a dataset's images, one for each sample and named as it. \param is_recorded parallel
/// to them.
Images results_of_samples(const DetectionResults& results, const Dataset& dataset,
                          std::vector<bool>& is_recorded, std::vector<std::string>& losses) {
    Images images(dataset.samples.size());
    std::vector<std::string> sample_names;
    for (std::size_t i = 0; i < images.size(); ++i) {
        images[i].image = dataset.samples[i].image;
        sample_names.push_back(dataset.samples[i].image);
        if (!dataset.samples[i].size) continue;
        images[i].width = dataset.samples[i].size->width;
        images[i].height = dataset.samples[i].size->height;
    }
    std::vector<std::string> result_names;
    for (const ImageResult& image : results.images) result_names.push_back(image.image);
    const NamePairing pairing = pair_names(sample_names, result_names);
    LossCounter unknown;
    is_recorded.assign(images.size(), false);
    for (std::size_t i = 0; i < results.images.size(); ++i) {
        const std::size_t sample = pairing.sample_of[i];
        unknown.add(sample == no_image);
        if (sample == no_image) continue;
        const std::string name = images[sample].image;
        images[sample] = results.images[i];
        images[sample].image = name;
        is_recorded[sample] = true;
    }
    if (!results.images.empty() && unknown.count() == results.images.size()) {
        throw Error("The results and the dataset '" + dataset.name +
                    "' have no image in common: the results name, for example, '" +
                    excerpt(results.images.front().image) + "', the dataset '" +
                    excerpt(sample_names.empty() ? "" : sample_names.front()) + "'.");
    }
    if (pairing.is_loose) {
        losses.push_back(
            "No image name in the results equals one in the dataset; they were paired without folders "
            "and extensions.");
    }
    unknown.report(losses, "image of the results is", "images of the results are",
                   "not in the dataset and left out.");
    return images;
}

/// The losses of the records themselves.
void report_lost_fields(const Images& images, const ResultsFields& held, std::vector<std::string>& losses) {
    LossCounter unreadable, sizes, crops;
    for (const ImageResult& image : images) {
        unreadable.add(!image.ok());
        sizes.add(!held.sizes && image.width > 0);
        for (const std::string& crop : image.crops) crops.add(!crop.empty());
    }
    unreadable.report(losses, "image was", "images were",
                      "unreadable, which the format cannot tell from showing nothing.");
    sizes.report(losses, "image loses", "images lose", "the size.");
    using Details = DetectionDetails;
    const auto report = [&](const char* what, bool (*has)(const Details&)) {
        LossCounter lost;
        for (const ImageResult& image : images)
            for (const Detection& detection : image.detections) lost.add(has(*detection.details));
        lost.report(losses, "detection loses", "detections lose", what);
    };
    report("the number of neighbors.", [](const Details& d) { return d.neighbors.has_value(); });
    report("the stage and its sum.", [](const Details& d) { return d.stage || d.stage_sum; });
    report("the yaw and the sharpness.", [](const Details& d) { return d.yaw || d.sharpness; });
    report("the landmarks.", [](const Details& d) { return !d.landmarks.empty(); });
    if (!held.ellipses)
        report("the ellipse, of which the box is kept.",
               [](const Details& d) { return d.ellipse.has_value(); });
    report("the number of the person.", [](const Details& d) { return d.person || !d.apart.empty(); });
    if (held.identities) {
        report("the distance to the gallery.", [](const Details& d) { return d.distance.has_value(); });
    } else {
        report("the identity and its distance.",
               [](const Details& d) { return d.distance || !d.identity.empty(); });
    }
    if (!held.tracks)
        report("the number of its track.", [](const Details& d) { return d.track.has_value(); });
    report("the frames since it was detected.", [](const Details& d) { return d.followed.has_value(); });
    crops.report(losses, "detection loses", "detections lose", "the name of its crop.");
}

const ResultsFormat& written_format(std::string_view format) {
    const ResultsFormat* const found = results_formats().find(format);
    if (found == nullptr || !found->is_written())
        throw UsageError("'" + std::string(format) + "' is no format that results are written in.");
    return *found;
}

}  // namespace

std::vector<ImageResult> images_to_write(const DetectionResults& results, const Dataset* dataset,
                                         std::string_view format, std::vector<std::string>& losses) {
    const ResultsFields& held = written_format(format).holds;
    if (held.needs_dataset && dataset == nullptr) {
        throw UsageError("Results in the format " + std::string(format) +
                         " follow the images of a dataset, in its order; name it as DATASET.");
    }
    Images images;
    if (dataset == nullptr) {
        images = results.images;
    } else {
        std::vector<bool> is_recorded;
        images = results_of_samples(results, *dataset, is_recorded, losses);
        LossCounter lacking;
        for (const bool recorded : is_recorded) lacking.add(!recorded && results.records_every_image);
        lacking.report(
            losses, "image of the dataset has", "images of the dataset have",
            held.everything ? "no result and no line." : "no result, which reads as no detection.");
        if (held.everything && results.records_every_image) {
            std::size_t i = 0;
            std::erase_if(images, [&](const ImageResult&) { return !is_recorded[i++]; });
        }
    }
    if (!held.everything) report_lost_fields(images, held, losses);
    return images;
}

OutputFiles render_results(const DetectionResults& results, const Dataset* dataset, std::string_view format,
                           std::vector<std::string>& losses) {
    const ResultsFormat& written = written_format(format);
    if (written.write == nullptr) throw std::logic_error("a table is not rendered as a whole");
    OutputFiles files = written.write(images_to_write(results, dataset, format, losses), dataset, losses);
    if (files.is_folder) require_unique_files(files, format);
    return files;
}

}  // namespace fovea
