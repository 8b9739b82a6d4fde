#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/recognise/gallery_file.hpp"

namespace fovea::test {

/// LBP(8,1)u2 in one region of a small face: 59 bins.
inline RecogniserConfig small_recogniser(int width = 18) {
    RecogniserConfig config;
    config.name = "small";
    config.geometry = {{width, 20}, {{4, 6}, {13, 6}}};
    config.normalisation.mask = false;
    config.features = {{{8, 1, true}, {{0, 0, width, 20}}}};
    return config;
}

/// A face with everything that can be known of it.
inline GalleryFace gallery_face(const std::string& subject, const std::string& image,
                                std::uint16_t first = 7) {
    GalleryFace face;
    face.subject = subject;
    face.image = image;
    face.dataset = "folder:photos";
    face.box = {10, 20.5, 0.1, 40};
    face.eyes = {{1.0 / 3, 2}, {30, 4}};
    face.quality = {{"eye_distance", 29.5}};
    face.found_by = "abc";
    face.features.assign(59, 0);
    face.features[0] = first;
    face.features[58] = 200;
    return face;
}

inline bool same_faces(const std::vector<GalleryFace>& first, const std::vector<GalleryFace>& second) {
    const auto same = [](const GalleryFace& a, const GalleryFace& b) {
        return a.subject == b.subject && a.image == b.image && a.dataset == b.dataset && a.box == b.box &&
               a.eyes == b.eyes && a.quality == b.quality && a.found_by == b.found_by &&
               a.features == b.features;
    };
    return std::equal(first.begin(), first.end(), second.begin(), second.end(), same);
}

/// Makes a gallery of these faces and finishes it.
inline void write_gallery(const std::filesystem::path& file, const std::vector<GalleryFace>& faces,
                          const RecogniserConfig& recogniser = small_recogniser()) {
    GalleryWriter writer(file, recogniser);
    for (const GalleryFace& face : faces) writer.append(face);
    writer.finish();
}

}  // namespace fovea::test
