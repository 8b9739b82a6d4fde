#include "lib/run/track/sequence_run.hpp"

#include <cmath>
#include <exception>
#include <thread>
#include <utility>

#include "lib/core/bounded_queue.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/image/face_sharpness.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {

/// A piece with what was detected in some of its frames.
struct SequenceRun::DetectedPiece {
    std::vector<LoadedImage> images;
    std::vector<TrackerFrame> frames;  ///< parallel
    KnownAhead known;
};

SequenceRun::SequenceRun(const TrackingRules& rules, TrackingLane& lane, const ImageList& frames,
                         std::string name, SequenceFiles& files, std::function<void(const ImageResult&)> note)
    : rules_(rules),
      lane_(lane),
      frames_(frames),
      files_(files),
      note_(std::move(note)),
      gatherer_(std::move(name), static_cast<std::size_t>(rules.tracking.tracker.redetect)),
      tracker_(
          rules.tracking.tracker, lane.flow(), landmarks(), lane.gpu(),
          [this](const Track& track, const ImageView<const std::uint8_t>& image,
                 const std::set<int>& in_use) { return number_of(track, image, in_use); },
          [this](std::span<TrackedFrame> tracked) {
              for (TrackedFrame& frame : tracked) take(frame);
          },
          // Called by the tracker, within the lane's limit.
          [this](const ImageView<const std::uint8_t>& image) {
              return std::move(detect(std::span(&image, 1)).at(0));
          }),
      rhythm_(rules.tracking.tracker.redetect) {
    if (rules.tracking.explain) tracker_.explain();
    if (lane.flow_ahead() != nullptr)
        look_ahead_.emplace(
            rules.tracking.tracker, *lane.flow_ahead(), landmarks(), lane.gpu(),
            [this](std::span<const ImageView<const std::uint8_t>> images) { return detect(images); });
    if (!rules.recogniser) return;
    describer_ = &lane.describer(*rules.recogniser);
    if (rules.tracking.rejoin) persons_.emplace(*describer_, rules.tracking.max_rejoin_distance);
}

std::vector<TrackSummary> SequenceRun::go(FramePieces& pieces, const std::atomic<bool>* cancel) {
    constexpr std::size_t detected_pieces_ahead = 1;
    BoundedQueue<DetectedPiece> queue(detected_pieces_ahead);
    std::exception_ptr failure;
    std::thread detector([&] {
        try {
            while (!is_cancelled(cancel)) {
                std::optional<FramePiece> piece = pieces.next();
                if (!piece || !queue.push(detect(std::move(*piece)))) break;
            }
        } catch (...) {
            failure = std::current_exception();
        }
        queue.close();
    });
    try {
        while (std::optional<DetectedPiece> piece = queue.pop()) {
            if (is_cancelled(cancel)) break;
            for (LoadedImage& image : piece->images) in_tracker_.push_back(std::move(image));
            lane_.limit().run([&] {
                tracker_.know(std::move(piece->known));
                tracker_.add(piece->frames);
            });
        }
    } catch (...) {
        queue.abandon();
        detector.join();
        throw;
    }
    queue.abandon();
    detector.join();
    if (failure) std::rethrow_exception(failure);
    lane_.limit().run([&] { tracker_.finish(); });
    return gatherer_.take();
}

SequenceRun::DetectedPiece SequenceRun::detect(FramePiece piece) {
    DetectedPiece detected;
    std::vector<std::size_t> places;
    std::vector<ImageView<const std::uint8_t>> views;
    for (std::size_t i = 0; i < piece.images.size(); ++i) {
        detected.frames.push_back({piece.views[i], piece.memory});
        if (!rhythm_.runs_in_next({piece.views[i].width, piece.views[i].height})) continue;
        places.push_back(i);
        views.push_back(piece.views[i]);
    }
    detected.images = std::move(piece.images);
    lane_.limit().run([&] {
        if (!places.empty()) {
            std::vector<std::vector<Detection>> found = detect(views);
            for (std::size_t i = 0; i < places.size(); ++i)
                detected.frames[places[i]].detections = std::move(found[i]);
        }
        if (look_ahead_) detected.known = look_ahead_->find(detected.frames);
    });
    return detected;
}

std::vector<std::vector<Detection>> SequenceRun::detect(
    std::span<const ImageView<const std::uint8_t>> views) const {
    return lane_.detector().detect({views, lane_.gpu()}, rules_.detection);
}

int SequenceRun::number_of(const Track& track, const ImageView<const std::uint8_t>& image,
                           const std::set<int>& in_use) {
    if (!persons_) return ++last_number_;
    std::vector<std::vector<Detection>> faces(1);
    faces[0].push_back({track.last_box, track.score});
    if (rules_.landmarks) add_landmarks(*rules_.landmarks, {std::span(&image, 1), lane_.gpu()}, faces);
    std::vector<std::uint16_t> look =
        describer_->describe(host_copy_.bring(lane_.device(), image), faces[0][0].details->landmarks);
    int person = persons_->find(look, in_use);
    if (person == 0) person = ++last_number_;
    persons_->add(person, std::move(look));
    return person;
}

void SequenceRun::take(TrackedFrame& tracked) {
    const LoadedImage loaded = std::move(in_tracker_.front());
    in_tracker_.pop_front();
    ImageResult frame = result_without_faces(frames_, loaded);
    if (frame.ok()) frame.detections = std::move(tracked.faces);
    keep_best_faces(frame, tracked.image);
    gatherer_.add(frame);
    files_.write(frame, place_++, tracked.decisions);
    note_(frame);
}

/// Detections alone are looked at: their boxes are surest.
void SequenceRun::keep_best_faces(const ImageResult& frame, const ImageView<const std::uint8_t>& view) {
    const GreyImage* image = nullptr;
    for (const Detection& face : frame.detections) {
        if (face.details->followed) continue;
        if (image == nullptr) image = &host_copy_.bring(lane_.device(), view);
        BestFace best;
        best.image = frame.image;
        best.frame = frame.frame;
        best.box = face.box;
        best.score = face.score;
        best.size = std::sqrt(face.box.area());
        best.frontal = frontal_measure(face.details->landmarks);
        best.sharpness = face_sharpness(image->view(), face.box).value_or(0);
        best.quality = quality_of_face(best);
        const int track = face.details->track.value();
        const BestFace* before = gatherer_.best_of(track);
        const bool is_better = before == nullptr || before->quality < best.quality;
        FaceStrip& strip = gatherer_.strip_of(track);
        const bool is_shown = strip.wants_next();
        if (!is_better && !is_shown) continue;
        GreyImage crop = face_crops(image->view(), std::span(&face, 1)).at(0);
        if (is_shown && !crop.empty())
            strip.add({frame.image, frame.frame, jpeg_of(crop), crop.width, crop.height});
        if (!is_better) continue;
        best.crop = std::move(crop);
        if (describer_ != nullptr) best.features = describer_->describe(*image, face.details->landmarks);
        if (persons_) persons_->add(track, best.features);
        gatherer_.set_best(track, std::move(best));
    }
}

}  // namespace fovea
