#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/recognise/recogniser.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A file of results with the features of its faces.
struct DescribedPart {
    std::filesystem::path results;
    std::filesystem::path features;
};

/// A face of an archive.
struct ArchiveFace {
    std::uint32_t image = 0;  ///< in the list
    std::uint32_t place = 0;  ///< among the detections of the image that are faces of the archive
    Box box;
    double score = 0;
    const char* apart = "";  ///< why it is in no group whoever it is: see why_apart(); else empty
    std::size_t row = 0;     ///< of its features, in its part
};

/// The faces of which a network's vector tells who they are.
struct FaceLimits {
    double min_side = 32;       ///< pixels of a box's shorter side
    double min_sharpness = 15;  ///< as face_sharpness(); 0: all
    double max_yaw_deg = 40;    ///< as yaw_of_landmarks()
};

/// Why a face cannot be grouped with others: "small", "blurred", "turned", or "" if it can. A face without
/// sharpness is taken for sharp, one without 68 landmarks for frontal.
const char* why_apart(const Detection& detection, const FaceLimits& limits);

/// Takes detections that are no faces of the archive out of a result, and may add to the details of the
/// others. It is asked of every result whenever that is read. \return the places that those which stay had
/// among all detections, rising.
using ChooseFaces = std::function<std::vector<std::uint32_t>(std::size_t part, ImageResult& result)>;

/// The places of all detections of a result: 0, 1, ...
std::vector<std::uint32_t> all_places(const ImageResult& result);

class ResultsLines;

/// The faces of the images of a list, gathered from several files of results: that of an image is the last
/// one that has it.
class ArchiveFaces {
  public:
    /// The results of an archive whose files are not larger than this are kept. Memory holds them in about
    /// as many bytes as the files.
    static constexpr std::uintmax_t max_kept_bytes = std::uintmax_t{64} << 20;

    /// Reads the files. \param is_wanted tells whether the results of an image in a part still hold.
    /// \param length of the features of a face, words. \param choose empty: all detections stay.
    /// \param max_kept results of files up to so many bytes in all are read once, those of larger ones by
    /// for_each_result() again.
    /// \throws Error if a file is broken, or its features are not those of its faces.
    ArchiveFaces(const ImageList& images, std::vector<DescribedPart> parts,
                 const std::function<bool(std::size_t part, std::size_t image)>& is_wanted,
                 std::size_t length, const FaceLimits& limits, ChooseFaces choose = {},
                 std::uintmax_t max_kept = max_kept_bytes);

    /// In the order of the list, and of detections in an image.
    const std::vector<ArchiveFace>& faces() const { return faces_; }
    /// Parallel to faces().
    const FaceFeatures& features() const { return features_; }
    /// The part that has an image's result, which must be there.
    std::size_t part_of(std::size_t image) const { return places_[image].part; }

    /// Calls `take` with the result of each image of the list, in its order, and the number of its first
    /// face. Images without results are passed over. The results name no crops.
    /// \throws Error if a file has changed.
    void for_each_result(const std::function<void(ImageResult&& result, std::size_t first_face)>& take) const;

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// The place of an image's result.
    struct Place {
        std::uint32_t part = none;
        std::uint64_t offset = 0;  ///< of the line
    };

    std::optional<ImageResult> result_at(const Place& place, ResultsLines& lines) const;
    /// \param parts the faces of each part.
    void take_faces(const std::vector<std::vector<ArchiveFace>>& parts, std::size_t length);

    std::vector<DescribedPart> parts_;
    ChooseFaces choose_;
    std::vector<Place> places_;      // by image
    std::vector<ImageResult> kept_;  // by image; empty if the files are larger than what is kept
    std::vector<ArchiveFace> faces_;
    FaceFeatures features_;
};

}  // namespace fovea
