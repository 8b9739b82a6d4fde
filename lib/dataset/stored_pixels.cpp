#include "lib/dataset/stored_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>

#include "kernels/orient/orient_body.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace {

/// A picture that is turned or mirrored for display.
struct TurnedPicture {
    Sample* sample = nullptr;
    StoredSize stored;

    OrientRule rule() const { return orient_rule(stored.orientation); }
    bool is_on_its_side() const { return rule().transposed; }
    ImageSize displayed() const {
        const Size size = displayed_size(rule(), {stored.size.width, stored.size.height});
        return {size.width, size.height};
    }
    /// The annotation states the size of the stored pixels, and it is not the displayed one.
    bool states_stored() const { return sample->size == stored.size && displayed() != stored.size; }
    bool states_displayed() const { return sample->size == displayed() && displayed() != stored.size; }
    bool states_another() const {
        return sample->size && sample->size != stored.size && sample->size != displayed();
    }
};

std::vector<TurnedPicture> turned_pictures(Dataset& dataset) {
    std::vector<TurnedPicture> pictures;
    for (Sample& sample : dataset.samples)
        if (!sample.frame && (sample.size || sample.eyes || !sample.faces.empty()))
            pictures.push_back({&sample, {}});
    tbb::parallel_for(std::size_t{0}, pictures.size(), [&](std::size_t i) {
        const std::filesystem::path& file = pictures[i].sample->path;
        if (!is_there(file)) return;
        if (const std::optional<StoredSize> stored = read_stored_size(file)) pictures[i].stored = *stored;
    });
    std::erase_if(pictures, [](const TurnedPicture& picture) { return picture.stored.orientation == 1; });
    return pictures;
}

bool holds(const ImageSize& size, const Point& point) {
    return point.x >= 0 && point.y >= 0 && point.x <= size.width && point.y <= size.height;
}

/// Faces that lie in one of the two pictures alone.
struct Votes {
    std::size_t faces = 0, stored = 0, displayed = 0;

    void add(const TurnedPicture& picture) {
        for (const Face& face : picture.sample->faces) {
            const Point centre{face.box.x + face.box.w / 2, face.box.y + face.box.h / 2};
            const bool in_stored = holds(picture.stored.size, centre);
            const bool in_displayed = holds(picture.displayed(), centre);
            ++faces;
            stored += in_stored && !in_displayed ? 1 : 0;
            displayed += in_displayed && !in_stored ? 1 : 0;
        }
    }
};

/// Moves what was marked in the stored picture to its place in the displayed one.
class Turn {
  public:
    explicit Turn(const TurnedPicture& picture)
        : orientation_(picture.stored.orientation),
          rule_(picture.rule()),
          width_(picture.stored.size.width),
          height_(picture.stored.size.height) {}

    void apply(Sample& sample) const {
        if (sample.eyes) turn(*sample.eyes);
        for (Face& face : sample.faces) {
            face.box = displayed_box(face.box, orientation_, width_, height_);
            if (face.eyes) turn(*face.eyes);
            for (Point& point : face.landmarks) turn(point);
            if (!face.keypoints->empty())
                for (Keypoint& keypoint : face.keypoints.edit())
                    if (keypoint.visibility != Keypoint::Visibility::unlabelled) turn(keypoint.point);
            if (face.ellipse) turn(*face.ellipse);
        }
    }

  private:
    /// (0, 0) is the centre of a pixel.
    void turn(Point& point) const {
        if (rule_.last_column_first) point.x = width_ - 1 - point.x;
        if (rule_.last_row_first) point.y = height_ - 1 - point.y;
        if (rule_.transposed) std::swap(point.x, point.y);
    }
    void turn(Eyes& eyes) const {
        turn(eyes.left);
        turn(eyes.right);
        // The left eye is the one on the image's left.
        if (eyes.left.x > eyes.right.x) std::swap(eyes.left, eyes.right);
    }
    void turn(Ellipse& ellipse) const {
        turn(ellipse.centre);
        if (rule_.last_column_first != rule_.last_row_first) ellipse.angle_rad = -ellipse.angle_rad;
        if (rule_.transposed) ellipse.angle_rad = std::numbers::pi / 2 - ellipse.angle_rad;
    }

    int orientation_;
    OrientRule rule_;
    double width_, height_;
};

void mirror(Box& box, const OrientRule& rule, double width, double height) {
    if (rule.last_column_first) box.x = width - box.x - box.w;
    if (rule.last_row_first) box.y = height - box.y - box.h;
}

void transpose(Box& box, const OrientRule& rule) {
    if (!rule.transposed) return;
    std::swap(box.x, box.y);
    std::swap(box.w, box.h);
}

std::string example_of(const TurnedPicture& picture) {
    return "for example '" + excerpt(picture.sample->image) + "', stored as " +
           std::to_string(picture.stored.size.width) + "x" + std::to_string(picture.stored.size.height) +
           ", EXIF orientation " + std::to_string(picture.stored.orientation);
}

}  // namespace

Box displayed_box(Box stored, int orientation, double width, double height) {
    const OrientRule rule = orient_rule(orientation);
    mirror(stored, rule, width, height);
    transpose(stored, rule);
    return stored;
}

Box stored_box(Box displayed, int orientation, double width, double height) {
    const OrientRule rule = orient_rule(orientation);
    transpose(displayed, rule);
    mirror(displayed, rule, width, height);
    return displayed;
}

void turn_stored_annotations(Dataset& dataset) {
    const std::vector<TurnedPicture> pictures = turned_pictures(dataset);
    Votes votes;
    std::size_t stating_stored = 0, stating_displayed = 0, silent = 0;
    for (const TurnedPicture& picture : pictures) {
        if (!picture.is_on_its_side()) continue;
        stating_stored += picture.states_stored() ? 1 : 0;
        stating_displayed += picture.states_displayed() ? 1 : 0;
        if (picture.states_displayed() || picture.states_another()) continue;
        if (!picture.sample->size && !picture.sample->faces.empty()) ++silent;
        votes.add(picture);
    }
    const bool is_undecided = votes.stored == votes.displayed;
    const bool is_stored = is_undecided ? stating_stored > 0 : votes.stored > votes.displayed;
    std::size_t turned = 0, resized = 0;
    const TurnedPicture* example = nullptr;
    for (const TurnedPicture& picture : pictures) {
        // Pictures that are mirrored or upside down keep their size, which tells nothing.
        const bool follows = picture.is_on_its_side() ? !picture.states_displayed() : stating_displayed == 0;
        const bool is_turned = is_stored && follows && !picture.states_another();
        if (!is_turned && !picture.states_stored()) continue;
        if (example == nullptr) example = &picture;
        ++(is_turned ? turned : resized);
        if (is_turned) Turn(picture).apply(*picture.sample);
        if (picture.sample->size) picture.sample->size = picture.displayed();
    }
    if (turned > 0)
        dataset.warnings.push_back(
            "The annotation of " + counted(turned, "photograph") +
            " was made on stored pixels, which EXIF turns for display, and is turned with "
            "them: " +
            example_of(*example) + ".");
    if (resized > 0)
        dataset.warnings.push_back(
            "The annotation states the size of the stored pixels of " + counted(resized, "photograph") +
            ", which EXIF turns for display, but marks faces as displayed; the displayed size counts: " +
            example_of(*example) + ".");
    if (is_undecided && !is_stored && silent > 0)
        dataset.warnings.push_back(
            "EXIF turns " + counted(silent, "photograph") +
            " for display; neither sizes nor boxes in the annotation say whether it was made on stored "
            "pixels, so it counts as made on displayed ones. If not, state the stored sizes in it.");
}

}  // namespace fovea
