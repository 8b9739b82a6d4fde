#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/evaluate/tracks/tracks.hpp"

namespace fovea {
namespace {

const std::string* track_of(const Face& face) {
    return find_attribute(face.attributes, "track");
}

/// The numbers of the tracks of a dataset's faces.
class TruthTracks {
  public:
    explicit TruthTracks(const Dataset& dataset) : dataset_(dataset) {
        std::set<std::string> names;
        for (const Sample& sample : dataset.samples) {
            if (!sample.annotated) continue;
            for (const Face& face : sample.faces) {
                const std::string* const track = track_of(face);
                if (track == nullptr) {
                    first_without_ = first_without_ != nullptr ? first_without_ : &sample;
                    continue;
                }
                has_tracks_ = true;
                if (!track_number(*track)) names.insert(*track);
            }
            if (sample.faces.size() > 1 && first_with_several_ == nullptr) first_with_several_ = &sample;
        }
        require_tracks();
        // Behind all numbers that a dataset may have given.
        std::int64_t number = std::int64_t{1} << 40;
        for (const std::string& name : names) number_of_name_[name] = number++;
    }

    std::int64_t number(const Face& face) const {
        const std::string* const track = track_of(face);
        if (track == nullptr) return 0;
        const std::optional<std::int64_t> number = track_number(*track);
        return number ? *number : number_of_name_.at(*track);
    }

  private:
    void require_tracks() const {
        if (has_tracks_ && first_without_ != nullptr) {
            throw Error("A face of '" + excerpt(first_without_->image) + "' in the dataset '" +
                        dataset_.name +
                        "' has no track, but others have one; give every face the attribute \"track\".");
        }
        if (!has_tracks_ && first_with_several_ != nullptr) {
            throw Error("The faces of the dataset '" + dataset_.name + "' have no tracks, and '" +
                        excerpt(first_with_several_->image) +
                        "' shows several; give a dataset with tracks, such as mot:, or faces with the "
                        "attribute \"track\".");
        }
    }

    const Dataset& dataset_;
    const Sample* first_without_ = nullptr;
    const Sample* first_with_several_ = nullptr;
    bool has_tracks_ = false;
    std::map<std::string, std::int64_t> number_of_name_;
};

bool is_finite(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h);
}

TruthUse use_of(const Face& face, TrackMode mode) {
    if (!face.ignore && !face.crowd) return TruthUse::counts;
    return mode == TrackMode::strict && find_attribute(face.attributes, "confidence") != nullptr
               ? TruthUse::left_out
               : TruthUse::ignored;
}

void add_truth(const Sample& sample, const TruthTracks& tracks, TrackMode mode, BoxesByFrame& truth) {
    truth.begin_frame();
    for (const Face& face : sample.faces) {
        if (!is_finite(face.box)) {
            throw Error("A face of '" + excerpt(sample.image) +
                        "' in the dataset has a box that is not finite; correct it.");
        }
        truth.add({tracks.number(face), face.box, use_of(face, mode)});
    }
}

void add_results(const ImageResult* result, BoxesByFrame& boxes) {
    // Differences and products of such coordinates stay finite.
    constexpr double farthest = 1e100;
    boxes.begin_frame();
    if (result == nullptr) return;
    for (const Detection& detection : result->detections) {
        const Box& box = detection.box;
        if (!detection.details->track) {
            throw Error("A detection in the results of '" + excerpt(result->image) +
                        "' has no \"track\": results of a detector cannot be judged as tracks. Follow the "
                        "faces first, or name files of tracks as mot:PATH.");
        }
        if (!is_finite(box) ||
            std::abs(box.x) + std::abs(box.y) + std::abs(box.w) + std::abs(box.h) > farthest)
            throw Error("A detection in the results of '" + excerpt(result->image) +
                        "' has a box that is not finite or far beyond any image; correct it.");
        boxes.add({*detection.details->track, box, TruthUse::counts});
    }
}

}  // namespace

std::vector<TrackVideo> track_videos(const Dataset& dataset,
                                     const std::vector<const ImageResult*>& results_of_samples,
                                     TrackMode mode) {
    const TruthTracks tracks(dataset);
    std::vector<TrackVideo> videos;
    for (const VideoSequence& sequence : video_sequences(dataset)) {
        TrackVideo video;
        video.name = sequence.name;
        for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
            const std::size_t sample = sequence.samples[i];
            if (!dataset.samples[sample].annotated) continue;
            add_truth(dataset.samples[sample], tracks, mode, video.truth);
            add_results(results_of_samples[sample], video.results);
            video.numbers.push_back(sequence.frames[i]);
        }
        if (video.truth.frames() > 0) videos.push_back(std::move(video));
    }
    std::sort(videos.begin(), videos.end(),
              [](const TrackVideo& a, const TrackVideo& b) { return a.name < b.name; });
    return videos;
}

}  // namespace fovea
