#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lib/core/error.hpp"
#include "lib/dataset/face_names.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/formats/results_formats.hpp"

// The writers of results that are written as a whole; those of tables are in lib/results/tables.
namespace fovea {

DatasetWriter write_xmp;  // lib/dataset/writers/write_xmp.cpp

namespace {

/// Results in the order in which they are written.
using Images = std::vector<ImageResult>;

/// "x y w h".
std::string box_text(const Box& box, const std::string& image) {
    return coordinate(box.x, image) + " " + coordinate(box.y, image) + " " + coordinate(box.w, image) + " " +
           coordinate(box.h, image);
}

void require_score(const Detection& detection, const std::string& image) {
    if (std::isfinite(detection.score)) return;
    throw Error("A score of '" + excerpt(image) + "' is not a finite number and cannot be written.");
}

std::string score_text(const Detection& detection, const std::string& image) {
    require_score(detection, image);
    return shortest_number(detection.score);
}

std::string ellipse_text(const Ellipse& ellipse) {
    return shortest_number(ellipse.major_radius) + " " + shortest_number(ellipse.minor_radius) + " " +
           shortest_number(ellipse.angle_rad) + " " + shortest_number(ellipse.centre.x) + " " +
           shortest_number(ellipse.centre.y);
}

/// Name, count, "x y w h score" lines; where `with_ellipses`, "major minor angle x y score" of what has
/// an ellipse.
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

}  // namespace

/// The lines of results.jsonl.
OutputFiles write_jsonl_results(const Images& images, const Dataset*, Losses&) {
    std::string text;
    for (const ImageResult& image : images) text += to_json_line(image) + "\n";
    return {false, {{"", std::move(text)}}};
}

/// A list of {"image_id", "category_id": 1, "bbox", "score"}; image_id is coco_image_ids of the dataset,
/// without one the image's place, from 1.
OutputFiles write_coco_results(const Images& images, const Dataset* dataset, Losses& losses) {
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
    if (dataset == nullptr && !images.empty()) {
        losses.push_back(
            "the format coco knows images by numbers, which are counted from 1 here, in the order of the "
            "results: '" +
            excerpt(images[0].image) + "' is 1; name a COCO dataset to write its own image ids");
    }
    return {false, {{"", text + "\n]\n"}}};
}

/// Lines "name x y w h score".
OutputFiles write_text_results(const Images& images, const Dataset*, Losses&) {
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

/// For each image of the dataset its name without extension, the number of detections and lines "x y w h
/// score", or those of ellipses; "0" where there is none.
OutputFiles write_fddb_results(const Images& images, const Dataset*, Losses&) {
    std::string text;
    for (const ImageResult& image : images) {
        text += block(name_without_extension(line_name(image.image, "fddb")), image, in_order(image), true);
    }
    return {false, {{"", std::move(text)}}};
}

/// EVENT/NAME.txt for each image EVENT/NAME.jpg: name, number of detections, lines "x y w h score" by falling
/// score, equal scores in their order. Whole files: an image without detections has one with 0.
OutputFiles write_wider_results(const Images& images, const Dataset*, Losses&) {
    OutputFiles files{true, {}};
    for (const ImageResult& image : images) {
        const std::string& path = line_name(image.image, "wider");
        files.files.push_back({path_beside(path, ".txt"),
                               block(path.substr(path.rfind('/') + 1), image, by_falling_score(image))});
    }
    return files;
}

/// Lines "name score xmin ymin xmax ymax", names without extension, the inclusive range of pixels counted
/// from 1 (xmin = x + 1, xmax = x + w).
OutputFiles write_voc_results(const Images& images, const Dataset*, Losses&) {
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

/// NAME.txt of each image NAME.jpg: lines "0 cx cy w h score", and the track behind it where there is one, in
/// shares of the image.
OutputFiles write_yolo_results(const Images& images, const Dataset* dataset, Losses& losses) {
    OutputFiles files{true, {}};
    bool look_like_tracks = true, has_tracks = false;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const ImageResult& image = images[i];
        ImageSize size{image.width, image.height};
        if (size.width <= 0 && !image.detections.empty())
            size = results_detail::size_of_shares(image.image,
                                                  dataset != nullptr ? &dataset->samples[i] : nullptr);
        std::string text;
        std::set<double> scores;
        for (const Detection& detection : image.detections) {
            const Box& box = detection.box;
            text += "0";
            for (const double share : {(box.x + box.w / 2) / size.width, (box.y + box.h / 2) / size.height,
                                       box.w / size.width, box.h / size.height})
                text += " " + coordinate(share, image.image);
            text += " " + score_text(detection, image.image);
            if (detection.details->track) text += " " + std::to_string(*detection.details->track);
            text += "\n";
            has_tracks = has_tracks || detection.details->track.has_value();
            look_like_tracks = look_like_tracks && detection.score >= 1 &&
                               detection.score == std::floor(detection.score) &&
                               scores.insert(detection.score).second;
        }
        files.files.push_back({path_beside(line_name(image.image, "yolo"), ".txt"), std::move(text)});
    }
    const bool has_detections = std::any_of(
        images.begin(), images.end(), [](const ImageResult& image) { return !image.detections.empty(); });
    if (has_detections && look_like_tracks && !has_tracks) {
        losses.emplace_back(
            "All scores are whole numbers from 1, none twice in an image: readers of yolo take them for "
            "tracks.");
    }
    return files;
}

/// SEQUENCE.txt of each sequence of the dataset (video_sequences): lines
/// "frame,track,x,y,w,h,score,-1,-1,-1", frames from 1.
OutputFiles write_mot_results(const Images& images, const Dataset* dataset, Losses&) {
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
    return files;
}

/// NAME.jpg.xmp of each image with faces, as write_xmp() writes those of a dataset.
OutputFiles write_xmp_results(const Images& images, const Dataset* dataset, Losses& losses) {
    Dataset found;
    found.name = dataset->name;
    found.root = dataset->root;
    LossCounter scores, flat;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const ImageResult& image = images[i];
        Sample sample;
        sample.image = image.image;
        sample.path = dataset->samples[i].path;
        sample.frame = dataset->samples[i].frame;
        sample.size = dataset->samples[i].size;
        if (image.width > 0) sample.size = ImageSize{image.width, image.height};
        sample.annotated = image.ok();
        for (const Detection& detection : image.detections) {
            require_score(detection, image.image);
            Face face;
            face.box = detection.box;
            const std::string& name = detection.details->identity;
            if (!name.empty()) face.attributes.push_back({std::string(name_attribute), name});
            scores.add();
            flat.add(face.box.area() <= 0);
            if (face.box.area() > 0) sample.faces.push_back(std::move(face));
        }
        found.samples.push_back(std::move(sample));
    }
    scores.report(losses, "detection loses", "detections lose", "the score.");
    flat.report(losses, "face is", "faces are", "left out: the box has no area.");
    return write_xmp(found, {}, losses);
}

}  // namespace fovea
