#include <algorithm>
#include <cmath>

#include "lib/core/error.hpp"
#include "lib/dataset/face_names.hpp"
#include "lib/dataset/stored_pixels.hpp"
#include "lib/dataset/writers/writers.hpp"
#include "lib/dataset/xmp/xmp_packet.hpp"
#include "lib/files/folder.hpp"
#include "lib/image/image_size.hpp"

namespace fovea {
namespace {

/// A picture as displayed, and how it is stored.
struct SidecarPicture {
    ImageSize displayed;
    int orientation = 1;

    ImageSize stored() const {
        return orientation >= 5 ? ImageSize{displayed.height, displayed.width} : displayed;
    }
};

/// Nothing if the size is not known.
std::optional<SidecarPicture> picture_of(const Sample& sample, const ImageSizeLookup& size_of,
                                         bool is_file_there) {
    std::optional<StoredSize> stored;
    if (is_file_there) stored = read_stored_size(sample.path);
    std::optional<ImageSize> size = size_of_sample(sample, size_of);
    const int orientation = stored ? stored->orientation : 1;
    if (!size && stored)
        size = orientation >= 5 ? ImageSize{stored->size.height, stored->size.width} : stored->size;
    if (!size || size->width <= 0 || size->height <= 0) return std::nullopt;
    return SidecarPicture{*size, orientation};
}

struct XmpLosses {
    LossCounter clipped, outside, characters;
    std::string odd_name;  ///< the first image whose names hold characters that XML cannot
};

/// The part of a face within the picture, as it is stored; nothing if there is none. Other programs take
/// shares below 0 and above 1 for faults.
std::optional<Box> stored_area(const Box& box, const SidecarPicture& picture, const std::string& image,
                               XmpLosses& lost) {
    const double width = picture.displayed.width, height = picture.displayed.height;
    if (!std::isfinite(box.x + box.w) || !std::isfinite(box.y + box.h))
        throw Error("A coordinate of '" + excerpt(image) + "' is not a finite number and cannot be written.");
    const double left = std::max(box.x, 0.0), right = std::min(box.x + box.w, width);
    const double top = std::max(box.y, 0.0), bottom = std::min(box.y + box.h, height);
    if (right <= left || bottom <= top) {
        lost.outside.add();
        return std::nullopt;
    }
    lost.clipped.add(left != box.x || top != box.y || right != box.x + box.w || bottom != box.y + box.h);
    const Box shares{left / width, top / height, (right - left) / width, (bottom - top) / height};
    return stored_box(shares, picture.orientation, 1, 1);
}

/// The name of a face: its own, else the subject of an image that shows this face alone.
std::string name_in(const Sample& sample, const Face& face) {
    const std::string name(name_of(face));
    return name.empty() && sample.faces.size() == 1 ? sample.subject : name;
}

}  // namespace

/// NAME.jpg.xmp for each image with faces: the names of digiKam and darktable, which tell photo.jpg from
/// photo.nef; Lightroom has photo.xmp. Regions count in the stored picture, faces here in the displayed one.
WrittenDataset write_xmp(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses) {
    OutputFiles files{true, {}};
    XmpLosses lost;
    LossCounter frames, faceless, unknown_size, gone, other_subject;
    std::size_t faces = 0;
    for (const Sample& sample : dataset.samples) {
        if (!sample.annotated) continue;
        frames.add(sample.frame.has_value());
        faceless.add(!sample.frame && sample.faces.empty());
        if (sample.frame || sample.faces.empty()) continue;
        const bool is_file_there = is_there(sample.path);
        const std::optional<SidecarPicture> picture = picture_of(sample, size_of, is_file_there);
        unknown_size.add(!picture);
        if (!picture) continue;
        gone.add(!is_file_there);
        std::vector<xmp::MarkedFace> marked;
        for (const Face& face : sample.faces) {
            const std::optional<Box> area = stored_area(face.box, *picture, sample.image, lost);
            if (!area) continue;
            const std::string name = name_in(sample, face);
            const std::string held = xmp::xml_characters(name);
            if (held != name && lost.odd_name.empty()) lost.odd_name = sample.image;
            lost.characters.add(held != name);
            marked.push_back({*area, held});
        }
        faceless.add(marked.empty());
        if (marked.empty()) continue;
        other_subject.add(!sample.subject.empty() &&
                          (marked.size() != 1 || marked[0].name != sample.subject));
        faces += marked.size();
        files.files.push_back({path_behind(sample.image, ".xmp"), xmp::xmp_of(marked, picture->stored())});
    }
    if (files.files.empty()) {
        throw Error(
            "No image of '" + dataset.name +
            "' shows a face whose place in it is known, which is what sidecars hold; nothing can be written "
            "as xmp.");
    }
    frames.report(losses, "image is", "images are", "left out: frames of videos have no sidecars.");
    faceless.report(losses, "image is", "images are", "left out: there is no face, and so no sidecar.");
    unknown_size.report(losses, "image is", "images are",
                        "left out: regions are shares of the image's size, which is not known.");
    gone.report(
        losses, "image is", "images are",
        "not there: nobody knows whether EXIF turns it, so its regions are those of an unturned one.");
    lost.clipped.report(losses, "box is", "boxes are", "clipped to the image.");
    lost.outside.report(losses, "face is", "faces are", "left out: wholly outside of the image.");
    other_subject.report(losses, "image loses", "images lose",
                         "the subject: it is not the name of its one face.");
    lost.characters.report(
        losses, "face has", "faces have",
        "a name with characters that XML cannot hold, for which U+FFFD stands, first in '" +
            excerpt(lost.odd_name) + "'.");
    const std::size_t images = files.files.size();
    return {std::move(files), images, faces};
}

}  // namespace fovea
