#include <algorithm>
#include <array>

#include "lib/core/text.hpp"
#include "lib/report/comparison/comparison_content.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/gallery.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

bool holds(const std::vector<std::size_t>& list, std::size_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// The smallest box around all that changed.
Box changed_region(const Sample& sample, const ImageEvaluation& a, const ImageEvaluation& b,
                   const ImageChange& change) {
    std::vector<Box> boxes;
    for (const std::size_t i : change.faces_gained) boxes.push_back(sample.faces[i].box);
    for (const std::size_t i : change.faces_lost) boxes.push_back(sample.faces[i].box);
    for (const std::size_t i : change.alarms_gained) boxes.push_back(b.detections[i].box);
    for (const std::size_t i : change.alarms_lost) boxes.push_back(a.detections[i].box);
    double left = boxes[0].x;
    double top = boxes[0].y;
    double right = left + boxes[0].w;
    double bottom = top + boxes[0].h;
    for (const Box& box : boxes) {
        left = std::min(left, box.x);
        top = std::min(top, box.y);
        right = std::max(right, box.x + box.w);
        bottom = std::max(bottom, box.y + box.h);
    }
    return {left, top, right - left, bottom - top};
}

/// One side's picture: the faces, its detections; what changed is the subject.
Exhibit side_of(const Sample& sample, const ImageEvaluation& outcome, const ImageChange& change,
                const std::vector<std::size_t>& own_alarms, const Box& focus) {
    Exhibit exhibit{outcome.sample, focus, {}, {}};
    for (std::size_t i = 0; i < sample.faces.size(); ++i) {
        const Face& face = sample.faces[i];
        const bool changed = holds(change.faces_gained, i) || holds(change.faces_lost, i);
        const bool found = outcome.face_match[i] >= 0;
        const bool ignored = is_ignored(outcome, i);
        exhibit.boxes.push_back({ignored ? DrawnBox::Kind::ignored_face : DrawnBox::Kind::face, face.box,
                                 changed,
                                 ignored ? "face that does not count"
                                 : found ? "face, found"
                                         : "face, missed"});
    }
    for (std::size_t i = 0; i < outcome.detections.size(); ++i) {
        const bool alarm = holds(own_alarms, i);
        exhibit.boxes.push_back({DrawnBox::Kind::detection, outcome.detections[i].box, alarm,
                                 "detection, score " + compact(outcome.detections[i].score) +
                                     (alarm ? ", false positive of this side alone" : "")});
    }
    std::stable_partition(exhibit.boxes.begin(), exhibit.boxes.end(),
                          [](const DrawnBox& box) { return !box.subject; });
    return exhibit;
}

}  // namespace

std::string change_summary(const ImageChange& change) {
    std::string text;
    const auto add = [&](const std::vector<std::size_t>& list, const char* sign, const char* noun) {
        if (list.empty()) return;
        text += (text.empty() ? "" : ", ") + std::string(sign) +
                number_of(static_cast<long long>(list.size()), noun);
    };
    add(change.faces_gained, "+", "face");
    add(change.faces_lost, "−", "face");
    add(change.alarms_gained, "+", "false positive");
    add(change.alarms_lost, "−", "false positive");
    return text;
}

Gallery changed_images(const ComparedDetections& detections, int limit, const DecodeOptions& decode) {
    const std::vector<ImageChange>& changes = detections.changes.images;
    const std::size_t shown = std::min(changes.size(), static_cast<std::size_t>(std::max(0, limit)));
    std::vector<std::array<Exhibit, 2>> sides;
    std::vector<Exhibit> of_first;
    for (std::size_t i = 0; i < shown; ++i) {
        const ImageEvaluation& a = detections.kept[0].image_outcomes[changes[i].image];
        const ImageEvaluation& b = detections.kept[1].image_outcomes[changes[i].image];
        const Sample& sample = detections.dataset.samples[a.sample];
        Box focus = changed_region(sample, a, b, changes[i]);
        // Thumbnails show 2.4 times what they are about; here that is many boxes, which need less around
        // them.
        const Point centre = focus.centre();
        focus = {centre.x - focus.w / 4, centre.y - focus.h / 4, focus.w / 2, focus.h / 2};
        sides.push_back({side_of(sample, a, changes[i], changes[i].alarms_lost, focus),
                         side_of(sample, b, changes[i], changes[i].alarms_gained, focus)});
        of_first.push_back(sides.back()[0]);
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(detections.dataset, of_first, decode);
    Gallery gallery{"change", "",
                    grouped(static_cast<long long>(shown)) + " of " +
                        number_of(static_cast<long long>(changes.size()), "image") + " that changed " +
                        detections.at + ", largest change first. Each image stands twice: A, then B."};
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string& image = detections.dataset.samples[of_first[i].sample].image;
        for (std::size_t side = 0; side < 2; ++side) {
            Exhibit& exhibit = sides[i][side];
            exhibit.facts = {std::string(side == 0 ? "A" : "B") + "; B has " + change_summary(changes[i])};
            gallery.pictures.push_back(picture_of(image, exhibit, thumbnails[i]));
        }
    }
    return gallery;
}

}  // namespace fovea::report
