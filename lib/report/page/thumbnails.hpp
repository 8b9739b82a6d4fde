#pragma once

#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/report/page/exhibits.hpp"

namespace fovea::report {

/// The longer side of a thumbnail in pixels, at most.
constexpr int thumbnail_side = 320;

/// Images decoded at once: bounds the memory that photographs take.
constexpr int images_at_once = 4;

/// An image as JPEG, at most `side` pixels wide and high, never enlarged.
/// \throws cv::Exception if OpenCV refuses to scale or encode it.
std::string small_jpeg(const cv::Mat& image, int quality, int side = thumbnail_side);

/// A piece of an image around a box, as JPEG.
struct Thumbnail {
    Box region;  ///< what is shown, in image pixels: whole numbers, within the image
    /// The file's bytes; at most thumbnail_side wide and high, never enlarged. Empty if unreadable.
    std::string jpeg;
    std::string unreadable;  ///< why
};

/// The part of a width × height image shown around `focus`: a square of 2.4 times the larger side of `focus`
/// (at least 64 pixels, to show the surroundings), moved into the image, and cut if the image is smaller.
Box thumbnail_region(const Box& focus, int width, int height);

/// Cuts one thumbnail per exhibit, in their order. Every image is read once, by read_picture() with the
/// detector's options; several on threads. The thumbnail of a picture that fails says why.
std::vector<Thumbnail> cut_thumbnails(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                                      const DecodeOptions& options);

/// "3 of 48 pictures are missing from the report; the first, of a.jpg: why." Empty if all are there.
/// \param exhibits those of the thumbnails.
std::string missing_pictures(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                             const std::vector<Thumbnail>& thumbnails);

}  // namespace fovea::report
