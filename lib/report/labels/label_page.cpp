#include "lib/report/labels/label_page.hpp"

#include <algorithm>

#include <opencv2/core/mat.hpp>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/json/json.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/report/viewer/viewer_files.hpp"
#include "lib/report/write/page.hpp"
#include "lib/report/write/view_json.hpp"
#include "lib/results/image_names.hpp"

namespace fovea::report {
namespace {

constexpr int label_quality = 80;

VideoSequence only_sequence(const Dataset& dataset) {
    std::vector<VideoSequence> sequences = video_sequences(dataset);
    if (sequences.empty()) throw UsageError("The dataset '" + dataset.name + "' has no image.");
    if (sequences.size() > 1) {
        throw UsageError("The dataset '" + dataset.name + "' has " + std::to_string(sequences.size()) +
                         " sequences, first '" + sequences[0].name + "' and '" + sequences[1].name +
                         "'; a page shows one: name that alone.");
    }
    return std::move(sequences.front());
}

/// The number of a person; nothing if the track is no number.
std::optional<std::int64_t> person_of(const Face& face) {
    const std::string* const track = find_attribute(face.attributes, "track");
    if (track == nullptr) return std::nullopt;
    const std::optional<std::int64_t> number = track_number(*track);
    return number && *number >= 0 ? number : std::nullopt;
}

void add(LabelFrame& frame, std::optional<std::int64_t> person, const Box& box, bool is_ignored) {
    const auto place = static_cast<std::int64_t>(frame.boxes.size()) + 1;
    frame.boxes.push_back({person.value_or(place), box, is_ignored});
}

/// The results of each sample; null where there are none.
std::vector<const ImageResult*> results_of_samples(const Dataset& dataset, const DetectionResults* results) {
    std::vector<const ImageResult*> of_samples(dataset.samples.size(), nullptr);
    if (results == nullptr || results->images.empty()) return of_samples;
    std::vector<std::string> samples, images;
    for (const Sample& sample : dataset.samples) samples.push_back(normalised_image_name(sample.image));
    for (const ImageResult& image : results->images) images.push_back(normalised_image_name(image.image));
    const NamePairing pairing = pair_names(samples, images);
    bool is_any_paired = false;
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (pairing.sample_of[i] == no_image) continue;
        of_samples[pairing.sample_of[i]] = &results->images[i];
        is_any_paired = true;
    }
    if (!is_any_paired) {
        throw UsageError("The results and the dataset '" + dataset.name +
                         "' have no image in common: the results name, for example, '" + images.front() +
                         "', the dataset '" + samples.front() + "'.");
    }
    return of_samples;
}

LabelFrame frame_of(const Sample& sample, std::int64_t number, const ImageResult* result) {
    LabelFrame frame;
    frame.number = number;
    frame.is_annotated = sample.annotated;
    if (sample.size) frame.size = *sample.size;
    if (sample.annotated) {
        for (const Face& face : sample.faces)
            add(frame, person_of(face), face.box, face.ignore || face.crowd);
    } else if (result != nullptr) {
        for (const Detection& detection : result->detections) {
            const std::optional<int> track = detection.details->track;
            add(frame, track ? std::optional<std::int64_t>(*track) : std::nullopt, detection.box, false);
        }
    }
    return frame;
}

void set_picture(LoadedImage& loaded, LabelFrame& frame) {
    frame.unreadable = loaded.unreadable;
    if (!frame.unreadable.empty()) {
        // The page still has a place for its boxes.
        if (frame.size.width <= 0 || frame.size.height <= 0) frame.size = {640, 480};
        return;
    }
    frame.size = {loaded.image.width, loaded.image.height};
    const cv::Mat picture(loaded.image.height, loaded.image.width, CV_8UC1, loaded.image.pixels.data());
    frame.jpeg = small_jpeg(picture, label_quality, label_side);
}

Json box_json(const LabelBox& box) {
    Json json{{"person", box.person}, {"x", box.box.x}, {"y", box.box.y}, {"w", box.box.w}, {"h", box.box.h}};
    if (box.is_ignored) json["ignored"] = true;
    return json;
}

Json frame_json(const LabelFrame& frame) {
    Json json{{"number", frame.number}, {"width", frame.size.width}, {"height", frame.size.height}};
    if (!frame.jpeg.empty()) json["jpeg"] = base64(frame.jpeg);
    if (!frame.unreadable.empty()) json["unreadable"] = valid_utf8(frame.unreadable);
    if (frame.is_annotated) json["annotated"] = true;
    for (const LabelBox& box : frame.boxes) json["boxes"].push_back(box_json(box));
    return json;
}

}  // namespace

LabelSequence read_label_sequence(const Dataset& dataset, const DetectionResults* results,
                                  const ShareProgress& progress, const std::atomic<bool>* cancel) {
    const VideoSequence sequence = only_sequence(dataset);
    const std::vector<const ImageResult*> of_samples = results_of_samples(dataset, results);
    LabelSequence labels{sequence.name, {}};
    std::vector<ImageLocation> places;
    for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
        const std::size_t sample = sequence.samples[i];
        labels.frames.push_back(
            frame_of(dataset.samples[sample], sequence.frames[i] + 1, of_samples[sample]));
        places.push_back(dataset.samples[sample].place());
    }
    std::size_t bytes = 0, done = 0;
    ImagePrefetcher prefetcher(std::move(places), {resolve_threads(0), std::size_t{64} << 20, {}});
    while (std::optional<LoadedImage> loaded = prefetcher.next()) {
        LabelFrame& frame = labels.frames[loaded->index];
        set_picture(*loaded, frame);
        bytes += frame.jpeg.size();
        if (bytes > max_label_bytes) {
            throw UsageError("The pictures of " + counted(labels.frames.size(), "frame") +
                             " take more than a browser can hold; take fewer of them, e.g. with --every 10.");
        }
        ++done;
        if (progress) progress(static_cast<double>(done) / static_cast<double>(labels.frames.size()));
        if (is_cancelled(cancel)) break;
    }
    labels.frames.resize(done);
    std::stable_sort(labels.frames.begin(), labels.frames.end(),
                     [](const LabelFrame& a, const LabelFrame& b) { return a.number < b.number; });
    return labels;
}

std::string label_page(const LabelSequence& sequence) {
    Json data{{"name", valid_utf8(sequence.name)}, {"frames", Json::array()}};
    for (const LabelFrame& frame : sequence.frames) data["frames"].push_back(frame_json(frame));
    const std::string style = std::string(viewer_style()) + std::string(label_style());
    return filled_page(label_skeleton(), sequence.name, style, data, label_scripts());
}

}  // namespace fovea::report
