#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/files/publish.hpp"

// Sidecars: files with the metadata of a photograph, in XMP (ISO 16684-1). They hold face regions as the
// Metadata Working Group defines them (guidelines 2.0, section 5.9), which digiKam, Lightroom and exiftool
// read.
//
// Keywords are not written, though digiKam keeps "People/NAME" among its tags, too: digiKam makes these
// itself of the names in regions, and in a sidecar that is there they are its user's.
namespace fovea::xmp {

/// A face in a picture as it is stored, before EXIF turns it.
struct MarkedFace {
    Box area;          ///< in shares of the picture's width and height
    std::string name;  ///< empty: nobody knows
};

/// The text with U+FFFD in place of what XML 1.0 cannot hold: control characters other than tab, line feed
/// and carriage return, U+FFFE and U+FFFF, and bytes that are no UTF-8.
std::string xml_characters(std::string_view text);

/// A sidecar that holds faces alone. \param stored the size of the picture as it is stored.
std::string xmp_of(const std::vector<MarkedFace>& faces, const ImageSize& stored);

/// A sidecar with other faces: all else that it holds stays, in particular regions that are no faces (pets,
/// points of focus), Microsoft's people tags, ratings and keywords.
/// \param there the bytes of the sidecar. \param written of xmp_of(). \param file its name in messages.
/// \param lost receives the names of faces that the sidecar had and `written` has not.
/// \throws Error if it is no XMP, so that nothing could be kept.
std::string with_faces(const std::string& there, const std::string& written, const std::string& file,
                       std::vector<std::string>& lost);

/// with_faces() for every file that is in a folder already. \param losses receives a sentence about names
/// that are replaced. \throws Error as with_faces(), and if a file cannot be read.
void keep_contents_of_sidecars(OutputFiles& files, const std::filesystem::path& folder,
                               std::vector<std::string>& losses);

}  // namespace fovea::xmp
