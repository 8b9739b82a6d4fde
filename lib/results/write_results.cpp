#include "lib/results/write_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/losses.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/dataset/writers/coco_json.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/image_names.hpp"

namespace fovea {
namespace {

/// Results in the order in which they are written.
using Images = std::vector<ImageResult>;

/// "x y w h".
std::string box_text(const Box& box, const std::string& image) {
    return coordinate(box.x, image) + " " + coordinate(box.y, image) + " " + coordinate(box.w, image) + " " +
           coordinate(box.h, image);
}

std::string score_text(const Detection& detection, const std::string& image) {
    if (!std::isfinite(detection.score)) {
        throw Error("A score of '" + excerpt(image) + "' is not a finite number and cannot be written.");
    }
    return shortest_number(detection.score);
}

OutputFiles write_jsonl(const Images& images, const Dataset*) {
    std::string text;
    for (const ImageResult& image : images) text += to_json_line(image) + "\n";
    return {false, {{"", std::move(text)}}};
}

OutputFiles write_coco_results(const Images& images, const Dataset* dataset) {
    // The images are the samples of the dataset, if there is one, one by one.
    const std::vector<RecordId> ids = dataset != nullptr ? coco_image_ids(*dataset) : std::vector<RecordId>{};
    std::string text = "[";
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string& name = images[i].image;
        // Those of the dataset: pycocotools knows an image by its id alone.
        const RecordId given = dataset != nullptr ? ids[i] : RecordId{static_cast<std::int64_t>(i) + 1, {}};
        const std::string id = given.text.empty() ? given.shown() : compact_text(Json(given.text));
        for (const Detection& detection : images[i].detections) {
            const Box& box = detection.box;
            text += text.size() > 1 ? ",\n" : "\n";
            text += "{\"image_id\":" + id + ",\"category_id\":1,\"bbox\":[" + coordinate(box.x, name) + "," +
                    coordinate(box.y, name) + "," + coordinate(box.w, name) + "," + coordinate(box.h, name) +
                    "],\"score\":" + score_text(detection, name) + "}";
        }
    }
    return {false, {{"", text + "\n]\n"}}};
}

OutputFiles write_text_results(const Images& images, const Dataset*) {
    std::string text;
    for (const ImageResult& image : images) {
        if (image.detections.empty()) continue;
        const std::string& name = line_name(image.image, "text");
        for (const Detection& detection : image.detections) {
            text += name + " " + box_text(detection.box, name) + " " + score_text(detection, name) + "\n";
        }
    }
    return {false, {{"", std::move(text)}}};
}

std::string ellipse_text(const Ellipse& ellipse) {
    return shortest_number(ellipse.major_radius) + " " + shortest_number(ellipse.minor_radius) + " " +
           shortest_number(ellipse.angle_rad) + " " + shortest_number(ellipse.centre.x) + " " +
           shortest_number(ellipse.centre.y);
}

/// Name, count, "x y w h score" lines; where `with_ellipses`, "major minor angle x y score" of what has an
/// ellipse.
std::string block(const std::string& name, const ImageResult& image, const std::vector<std::size_t>& order,
                  bool with_ellipses = false) {
    std::string text = name + "\n" + std::to_string(order.size()) + "\n";
    for (const std::size_t i : order) {
        const Detection& detection = image.detections[i];
        text += (with_ellipses && detection.details->ellipse ? ellipse_text(*detection.details->ellipse)
                                                             : box_text(detection.box, image.image)) +
                " " + score_text(detection, image.image) + "\n";
    }
    return text;
}

std::vector<std::size_t> in_order(const ImageResult& image) {
    std::vector<std::size_t> order(image.detections.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

std::vector<std::size_t> by_falling_score(const ImageResult& image) {
    std::vector<std::size_t> order = in_order(image);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return image.detections[a].score > image.detections[b].score;
    });
    return order;
}

OutputFiles write_fddb_results(const Images& images, const Dataset*) {
    std::string text;
    for (const ImageResult& image : images) {
        text += block(name_without_extension(line_name(image.image, "fddb")), image, in_order(image), true);
    }
    return {false, {{"", std::move(text)}}};
}

OutputFiles write_wider_results(const Images& images, const Dataset*) {
    OutputFiles files{true, {}};
    for (const ImageResult& image : images) {
        const std::string& path = line_name(image.image, "wider");
        files.files.push_back({path_beside(path, ".txt"),
                               block(path.substr(path.rfind('/') + 1), image, by_falling_score(image))});
    }
    require_unique_files(files, "wider");
    return files;
}

OutputFiles write_voc_results(const Images& images, const Dataset*) {
    std::string text;
    std::set<std::string> names;
    for (const ImageResult& image : images) {
        const std::string name = name_without_extension(field_name(image.image, "voc"));
        if (!names.insert(name).second) {
            throw Error("Two images share the name '" + excerpt(name) +
                        "' in the format voc, which names them without extension; rename one.");
        }
        for (const Detection& detection : image.detections) {
            const Box& box = detection.box;
            text += name + " " + score_text(detection, image.image);
            for (const double value : {box.x + 1, box.y + 1, box.x + box.w, box.y + box.h}) {
                text += " " + coordinate(value, image.image);
            }
            text += "\n";
        }
    }
    return {false, {{"", std::move(text)}}};
}

OutputFiles write_mot_results(const Images& images, const Dataset* dataset) {
    OutputFiles files{true, {}};
    for (const VideoSequence& sequence : video_sequences(*dataset)) {
        std::string text;
        for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
            const ImageResult& image = images[sequence.samples[i]];
            for (const Detection& detection : image.detections) {
                if (!detection.details->track) {
                    throw Error(
                        "A detection in '" + excerpt(image.image) +
                        "' has no track, which each line of the format mot states; write text or coco.");
                }
                const Box& box = detection.box;
                text += std::to_string(sequence.frames[i] + 1) + "," +
                        std::to_string(*detection.details->track) + "," + coordinate(box.x, image.image) +
                        "," + coordinate(box.y, image.image) + "," + coordinate(box.w, image.image) + "," +
                        coordinate(box.h, image.image) + "," + score_text(detection, image.image) +
                        ",-1,-1,-1\n";
            }
        }
        files.files.push_back({line_name(sequence.name, "mot") + ".txt", std::move(text)});
    }
    require_unique_files(files, "mot");
    return files;
}

using Writer = OutputFiles (*)(const Images&, const Dataset*);

constexpr std::array formats{
    ResultsOutputFormat{"jsonl", false, false},
    ResultsOutputFormat{"coco", false, false},
    ResultsOutputFormat{"text", false, false},
    ResultsOutputFormat{"fddb", false, true},
    ResultsOutputFormat{"wider", true, false},
    ResultsOutputFormat{"voc", false, false},
    ResultsOutputFormat{"mot", true, true},
    ResultsOutputFormat{"csv", false, false, true},
    ResultsOutputFormat{"sqlite", false, false, true},
};

constexpr std::array<Writer, formats.size()> writers{write_jsonl,
                                                     write_coco_results,
                                                     write_text_results,
                                                     write_fddb_results,
                                                     write_wider_results,
                                                     write_voc_results,
                                                     write_mot_results,
                                                     nullptr,
                                                     nullptr};

/// The results of a dataset's images, one for each sample and named as it. \param is_recorded parallel to
/// them.
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

/// The losses of the records themselves in a format that holds boxes and scores only.
void report_lost_fields(const Images& images, bool holds_ellipses, bool holds_tracks,
                        std::vector<std::string>& losses) {
    LossCounter unreadable, sizes, neighbors, stages, landmarks, ellipses, identities, tracks, followed,
        crops;
    for (const ImageResult& image : images) {
        unreadable.add(!image.ok());
        sizes.add(image.width > 0);
        for (const std::string& crop : image.crops) crops.add(!crop.empty());
        for (const Detection& detection : image.detections) {
            neighbors.add(detection.details->neighbors.has_value());
            stages.add(detection.details->stage || detection.details->stage_sum);
            landmarks.add(!detection.details->landmarks.empty());
            identities.add(detection.details->distance.has_value() || !detection.details->identity.empty());
            tracks.add(!holds_tracks && detection.details->track.has_value());
            followed.add(detection.details->followed.has_value());
            ellipses.add(!holds_ellipses && detection.details->ellipse.has_value());
        }
    }
    unreadable.report(losses, "image was", "images were",
                      "unreadable, which the format cannot tell from showing nothing.");
    sizes.report(losses, "image loses", "images lose", "the size.");
    neighbors.report(losses, "detection loses", "detections lose", "the number of neighbors.");
    stages.report(losses, "detection loses", "detections lose", "the stage and its sum.");
    landmarks.report(losses, "detection loses", "detections lose", "the landmarks.");
    ellipses.report(losses, "detection loses", "detections lose", "the ellipse, of which the box is kept.");
    identities.report(losses, "detection loses", "detections lose", "the identity and its distance.");
    tracks.report(losses, "detection loses", "detections lose", "the number of its track.");
    followed.report(losses, "detection loses", "detections lose", "the frames since it was detected.");
    crops.report(losses, "detection loses", "detections lose", "the name of its crop.");
}

const ResultsOutputFormat& find_format(std::string_view format) {
    const auto* const found =
        std::find_if(formats.begin(), formats.end(),
                     [&](const ResultsOutputFormat& known) { return known.name == format; });
    if (found == formats.end())
        throw UsageError("'" + std::string(format) + "' is no format that results are written in.");
    return *found;
}

}  // namespace

std::span<const ResultsOutputFormat> results_output_formats() {
    return formats;
}

std::vector<ImageResult> images_to_write(const DetectionResults& results, const Dataset* dataset,
                                         std::string_view format, std::vector<std::string>& losses) {
    const ResultsOutputFormat& written = find_format(format);
    if (written.needs_dataset && dataset == nullptr) {
        throw UsageError("Results in the format " + std::string(format) +
                         " follow the images of a dataset, in its order; name it as DATASET.");
    }
    const bool names_every_image = format == "jsonl" || written.is_table;
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
            names_every_image ? "no result and no line." : "no result, which reads as no detection.");
        if (names_every_image && results.records_every_image) {
            std::size_t i = 0;
            std::erase_if(images, [&](const ImageResult&) { return !is_recorded[i++]; });
        }
    }
    if (format == "coco" && dataset == nullptr && !images.empty()) {
        losses.push_back(
            "the format coco knows images by numbers, which are counted from 1 here, in the order of the "
            "results: '" +
            excerpt(images[0].image) + "' is 1; name a COCO dataset to write its own image ids");
    }
    if (!names_every_image) report_lost_fields(images, format == "fddb", format == "mot", losses);
    return images;
}

OutputFiles render_results(const DetectionResults& results, const Dataset* dataset, std::string_view format,
                           std::vector<std::string>& losses) {
    const ResultsOutputFormat& written = find_format(format);
    if (written.is_table) throw std::logic_error("a table is not rendered as a whole");
    const Images images = images_to_write(results, dataset, format, losses);
    return writers[static_cast<std::size_t>(&written - formats.data())](images, dataset);
}

}  // namespace fovea
