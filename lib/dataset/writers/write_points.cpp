// The formats of points without boxes: .pts files and CSU's eye coordinates.
#include <algorithm>
#include <set>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/points_file.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

/// Eyes follow from 68 points; others lose them.
constexpr std::size_t points_with_eyes = 68;

/// The eyes of the one face shown.
std::optional<Eyes> eyes_of(const Sample& sample) {
    if (sample.eyes) return sample.eyes;
    return sample.faces.size() == 1 ? sample.faces.front().eyes : std::nullopt;
}

}  // namespace

/// A folder with NAME.pts for each image that shows one face with landmarks; coordinates as they are.
WrittenDataset write_pts(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    OutputFiles files{true, {}};
    LossCounter faceless, other_box, face_eyes, image_eyes;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        const bool is_single = sample.faces.size() == 1;
        faceless.add(sample.faces.empty());
        image_eyes.add(sample.eyes && !(is_single && sample.eyes == sample.faces.front().eyes));
        for (std::size_t i = 0; i < sample.faces.size(); ++i) {
            const Face& face = sample.faces[i];
            other_box.add(face.box != box_around(face.landmarks));
            face_eyes.add(face.eyes && face.landmarks.size() != points_with_eyes);
            std::string text = "version: 1\nn_points: " + std::to_string(face.landmarks.size()) + "\n{\n";
            for (const Point& point : face.landmarks) {
                text += coordinate(point.x, sample.image) + " " + coordinate(point.y, sample.image) + "\n";
            }
            const std::string extension = (is_single ? "" : "_" + std::to_string(i + 1)) + ".pts";
            files.files.push_back({path_beside(sample.image, extension), text + "}\n"});
        }
    }
    if (files.files.empty()) {
        throw Error(
            "No image of '" + dataset.name +
            "' shows a face with landmarks, which is what .pts files hold; nothing can be written as pts.");
    }
    faceless.report(losses, "image is", "images are", "left out: there is no face with landmarks.");
    other_box.report(losses, "face loses", "faces lose", "the box, which is not that of the landmarks.");
    image_eyes.report(losses, "image loses", "images lose", "the eyes given for the image as a whole.");
    face_eyes.report(losses, "face loses", "faces lose", "the eyes.");
    WrittenDataset written = counted_dataset(std::move(files), dataset);
    written.images -= faceless.count();
    return written;
}

/// CSU coordinates: "name lx ly rx ry", name without folder and extension.
WrittenDataset write_feret(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    std::string text;
    std::set<std::string> names;
    LossCounter without_eyes, faces, faceless, other_subject;
    for (const Sample& sample : dataset.samples) {
        const std::optional<Eyes> eyes = eyes_of(sample);
        without_eyes.add(!eyes);
        if (!eyes) continue;
        faces.add(!sample.faces.empty());
        faceless.add(sample.annotated && sample.faces.empty());
        const std::string name = image_stem(std::filesystem::path(sample.image).filename().string());
        if (!names.insert(field_name(name, "feret")).second) {
            throw Error("Two images share the name '" + excerpt(name) +
                        "' in the format feret, which names them without folder and extension; rename one.");
        }
        text += name;
        for (const double value : {eyes->left.x, eyes->left.y, eyes->right.x, eyes->right.y}) {
            text += " " + coordinate(value, sample.image);
        }
        text += "\n";
        // The reader takes the subject from the name, by FERET's rule.
        const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
        const std::string by_name = digits == 0 ? name : name.substr(0, digits);
        other_subject.add(!sample.subject.empty() && sample.subject != by_name);
    }
    if (text.empty()) {
        throw Error("No image of '" + dataset.name +
                    "' has eyes (one pair for the image); nothing can be written as "
                    "feret coordinates.");
    }
    without_eyes.report(losses, "image is", "images are",
                        "left out: there are no eyes of the one face shown.");
    faces.report(losses, "image loses", "images lose", "the faces, of which only the eyes are kept.");
    faceless.report(losses, "image loses", "images lose", "the statement that it shows no face.");
    other_subject.report(losses, "image loses", "images lose",
                         "the subject: it differs from the one in the name.");
    return {{false, {{"", std::move(text)}}}, names.size(), 0};
}

}  // namespace fovea
