#include "lib/run/track/sequence_run.hpp"

#include <cmath>
#include <utility>

#include "lib/evaluate/analysis/face_appearance.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {

SequenceRun::SequenceRun(const TrackingRules& rules, TrackingLane& lane, const ImageList& frames,
                         std::string name, SequenceFiles& files, std::function<void(const ImageResult&)> note)
    : rules_(rules),
      lane_(lane),
      frames_(frames),
      files_(files),
      note_(std::move(note)),
      gatherer_(std::move(name), static_cast<std::size_t>(rules.tracking.tracker.redetect)) {
    if (!rules.recogniser) return;
    describer_ = &lane.describer(*rules.recogniser);
    if (rules.tracking.rejoin) persons_.emplace(*describer_, rules.tracking.max_rejoin_distance);
}

std::vector<TrackSummary> SequenceRun::go(FramePieces& pieces, const std::atomic<bool>* cancel) {
    const TrackingTools tools{lane_.device(), lane_.detector(),   rules_.detection, rules_.landmarks,
                              lane_.flow(),   lane_.flow_ahead(), lane_.limit()};
    SequenceTracker tracker(
        rules_.tracking, tools,
        [this](const Track& track, const ImageView<const std::uint8_t>& image, const std::set<int>& in_use) {
            return number_of(track, image, in_use);
        },
        [this](std::vector<FinishedFrame>& frames) {
            for (FinishedFrame& frame : frames) take(frame);
        });
    tracker.run(pieces, cancel);
    return gatherer_.take();
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

void SequenceRun::take(FinishedFrame& finished) {
    ImageResult frame;
    frame.image = frames_.name(finished.index);
    frame.frame = frame_time(frames_.frame(finished.index));
    frame.is_damaged = finished.is_damaged;
    frame.pages = finished.pages;
    if (finished.unreadable.empty()) {
        frame.width = finished.size.width;
        frame.height = finished.size.height;
        frame.detections = std::move(finished.faces);
    } else {
        frame.status = "unreadable: " + finished.unreadable;
    }
    keep_best_faces(frame, finished.image);
    gatherer_.add(frame);
    files_.write(frame, place_++, finished.decisions);
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
        best.sharpness = measure_face(*image, face.box).sharpness.value_or(0);
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
