#include "tests/lab/tracks/cut_out.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

/// Pixels; smaller faces would be enlarged too much.
constexpr double min_face_width = 32;

/// The most that a photograph is kept with.
constexpr std::size_t max_pixels = 2'000'000;

/// The ellipse in widths of the landmarks' box, and its centre above theirs: brows to chin are the lower part
/// of a head.
constexpr double head_radius_x = 0.85, head_radius_y = 1.1, head_rise = 0.15;

/// Squared relative distance from the centre over which the head's edge fades.
constexpr double fading = 0.3;

double squared_distance(const CutOut& head, const Point& place) {
    const double x = (place.x - head.centre.x) / head.radius_x;
    const double y = (place.y - head.centre.y) / head.radius_y;
    return x * x + y * y;
}

bool can_be_cut_out(const Face& face, std::size_t landmarks) {
    return counts_for_landmarks(face) && face.landmarks.size() == landmarks &&
           tight_box(face.landmarks).w >= min_face_width && tight_box(face.landmarks).h > 0;
}

bool holds_another_face(const CutOut& head, const std::vector<Face>& faces, std::size_t own) {
    for (std::size_t i = 0; i < faces.size(); ++i) {
        if (i != own && squared_distance(head, faces[i].box.centre()) < 1) return true;
    }
    return false;
}

/// A photograph with its faces.
struct AnnotatedPhoto {
    GreyImage image;
    std::vector<Face> faces;
};

/// A face in a photograph of half the size: the middle of its first pixel was the corner of four.
void halve_face(Face& face) {
    face.box = {face.box.x / 2, face.box.y / 2, face.box.w / 2, face.box.h / 2};
    for (Point& point : face.landmarks) point = {(point.x + 0.5) / 2 - 0.5, (point.y + 0.5) / 2 - 0.5};
}

/// Large photographs are kept smaller: no clip shows so much of them.
AnnotatedPhoto read_annotated_photo(const Sample& sample) {
    AnnotatedPhoto photo{read_grey_image(sample.place()), sample.faces};
    while (photo.image.pixels.size() > max_pixels) {
        photo.image = halved_photo(photo.image);
        std::for_each(photo.faces.begin(), photo.faces.end(), halve_face);
    }
    return photo;
}

void add_cut_outs(AnnotatedPhoto photo, std::size_t landmarks, std::size_t max_faces, CutOuts& cut_outs) {
    const auto levels = std::make_shared<const PhotoLevels>(std::move(photo.image));
    cut_outs.photos.push_back(levels);
    for (std::size_t f = 0; f < photo.faces.size() && cut_outs.faces.size() < max_faces; ++f) {
        if (!can_be_cut_out(photo.faces[f], landmarks)) continue;
        CutOut head = cut_out_face(levels, photo.faces[f]);
        if (!holds_another_face(head, photo.faces, f)) cut_outs.faces.push_back(std::move(head));
    }
}

UsageError no_faces(const Dataset& dataset, std::size_t landmarks) {
    return UsageError("'" + dataset.name + "' has no face of " + std::to_string(landmarks) +
                      " landmarks that is at least " + std::to_string(static_cast<int>(min_face_width)) +
                      " pixels wide; name a dataset that has some, as dlib:FILE.xml or pts:FOLDER");
}

}  // namespace

double CutOut::opacity(const Point& place) const {
    const GreyImage& image = photo->photo();
    if (place.x < 0 || place.y < 0 || place.x > image.width - 1 || place.y > image.height - 1) return 0;
    return std::clamp((1 - squared_distance(*this, place)) / fading, 0.0, 1.0);
}

CutOut cut_out_face(std::shared_ptr<const PhotoLevels> photo, const Face& face) {
    const Box box = tight_box(face.landmarks);
    CutOut head;
    head.photo = std::move(photo);
    head.face = face;
    head.centre = {box.centre().x, box.centre().y - head_rise * box.w};
    head.radius_x = head_radius_x * box.w;
    head.radius_y = head_radius_y * box.w;
    head.face_width = box.w;
    return head;
}

CutOuts cut_out_faces(const Dataset& dataset, std::size_t landmarks, std::size_t max_faces) {
    CutOuts cut_outs;
    bool has_faces = false;
    for (const Sample& sample : dataset.samples) {
        if (cut_outs.faces.size() >= max_faces) break;
        const bool is_wanted = std::any_of(sample.faces.begin(), sample.faces.end(),
                                           [&](const Face& face) { return can_be_cut_out(face, landmarks); });
        if (!is_wanted) continue;
        has_faces = true;
        try {
            add_cut_outs(read_annotated_photo(sample), landmarks, max_faces, cut_outs);
        } catch (const ImageError& error) {
            cut_outs.unreadable.push_back({sample.image, error.what()});
        }
    }
    if (has_faces && cut_outs.photos.empty()) {
        const UnreadableImage& first = cut_outs.unreadable.front();
        throw Error("cannot read the image " + first.image + ": " + first.reason);
    }
    if (cut_outs.faces.empty()) throw no_faces(dataset, landmarks);
    return cut_outs;
}

}  // namespace fovea
