#pragma once

#include <string>

#include <turbojpeg.h>

#include "lib/image/formats/bytes.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/temp_dir.hpp"

// XMP as photo managers write it.
namespace fovea::test {

/// An XMP packet with these elements in its rdf:RDF; prefixes are those of everybody.
inline std::string xmp_packet(const std::string& descriptions) {
    return "<?xpacket begin='\xEF\xBB\xBF' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
           "<x:xmpmeta xmlns:x='adobe:ns:meta/'>\n"
           "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'\n"
           "  xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/'\n"
           "  xmlns:stArea='http://ns.adobe.com/xmp/sType/Area#'\n"
           "  xmlns:stDim='http://ns.adobe.com/xap/1.0/sType/Dimensions#'\n"
           "  xmlns:MP='http://ns.microsoft.com/photo/1.2/'\n"
           "  xmlns:MPRI='http://ns.microsoft.com/photo/1.2/t/RegionInfo#'\n"
           "  xmlns:MPReg='http://ns.microsoft.com/photo/1.2/t/Region#'\n"
           "  xmlns:tiff='http://ns.adobe.com/tiff/1.0/'>\n" +
           descriptions + "</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end='w'?>\n";
}

inline std::string described(const std::string& properties) {
    return "<rdf:Description rdf:about=''>\n" + properties + "</rdf:Description>\n";
}

/// A packet of items of a list of regions. \param more beside the list: AppliedToDimensions.
inline std::string region_packet(const std::string& items, const std::string& more = "") {
    return xmp_packet(described("<mwg-rs:Regions rdf:parseType='Resource'>" + more +
                                "<mwg-rs:RegionList><rdf:Bag>\n" + items +
                                "</rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>\n"));
}

/// An item as Lightroom writes it.
inline std::string region_item(const std::string& name, const std::string& area,
                               const std::string& type = "Face") {
    return "<rdf:li><rdf:Description mwg-rs:Name='" + name + "' mwg-rs:Type='" + type + "'><mwg-rs:Area " +
           area + "/></rdf:Description></rdf:li>\n";
}

inline std::string drawn_in(int width, int height) {
    return "<mwg-rs:AppliedToDimensions stDim:w='" + std::to_string(width) + "' stDim:h='" +
           std::to_string(height) + "' stDim:unit='pixel'/>";
}

inline std::string text_of(const ByteVector& bytes) {
    return {bytes.begin(), bytes.end()};
}

/// A JPEG as stored. \param orientation EXIF's; 0 = no EXIF.
inline ByteVector photo_jpeg(int width, int height, int orientation = 0) {
    const ByteVector jpeg = encode_jpeg(colour_picture(width, height), TJSAMP_420);
    return orientation == 0 ? jpeg : with_exif(jpeg, make_exif(orientation, false));
}

/// The JPEG with an XMP packet in it.
inline ByteVector with_xmp(const ByteVector& jpeg, const std::string& packet) {
    return with_exif(jpeg, bytes_of(std::string("http://ns.adobe.com/xap/1.0/\0", 29) + packet));
}

inline std::string grey_pgm(int width, int height) {
    return "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
           std::string(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 'x');
}

}  // namespace fovea::test
