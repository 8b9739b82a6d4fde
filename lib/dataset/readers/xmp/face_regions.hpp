#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/dataset/readers/xml_file.hpp"

namespace fovea::xmp {

/// A face that a photo manager has marked, in shares of the picture as it is stored.
struct FaceRegion {
    Point centre;
    double width = 0, height = 0;
    /// The region is a circle: width and height are its diameter in shares of the picture's shorter side.
    bool is_circle = false;
    std::string name;  ///< empty: nobody has named it

    /// The box in a picture of this size; that of a circle is the square around it.
    Box in_pixels(const ImageSize& stored) const;
};

/// The face regions in the XMP of one picture.
struct FaceRegions {
    bool are_there = false;  ///< the packet has a list of regions, which may hold no face
    std::vector<FaceRegion> faces;
    std::size_t without_box = 0;        ///< faces that are points, or whose place is not stated
    std::optional<ImageSize> drawn_in;  ///< the size of the picture in which the regions were drawn
    int orientation = 1;                ///< EXIF's, 1 to 8, as the packet states it
};

/// Reads the faces of the Metadata Working Group's regions (guidelines 2.0, section 5.9); if there are none,
/// those of Microsoft's people tags, which some programs write beside them.
/// \throws Error naming the place if a number is missing, or is no share of the picture.
FaceRegions read_face_regions(const XmlFile& file);

/// The XMP packet in a JPEG, as far as it stands in one segment before the pixels (XMP part 3,
/// section 1.1.3). \return nothing for other files, and without a packet.
std::optional<std::string> xmp_in_jpeg(const std::filesystem::path& file);

/// True if the text may hold regions that read_face_regions() reads: it names a namespace of theirs.
bool may_hold_regions(std::string_view xmp);

}  // namespace fovea::xmp
