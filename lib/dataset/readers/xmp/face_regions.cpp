#include "lib/dataset/readers/xmp/face_regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/xmp/rdf.hpp"
#include "lib/image/formats/byte_source.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/jpeg_segments.hpp"

namespace fovea::xmp {
namespace {

/// Boxes may reach over the edges of the picture, but not far: such numbers are pixels.
constexpr double most_beyond = 1;

constexpr const char* expected_share = "a share of the picture, from 0 to 1";

double share_of(const XmlFile& file, pugi::xml_node place, std::string_view text, const std::string& what) {
    const std::optional<double> share = spelled_number(bare(text));
    if (!share || *share < -most_beyond || *share > 1 + most_beyond)
        file.fail(place, what + " to be " + expected_share + ", not '" + excerpt(text) + "'");
    return *share;
}

/// A name that is blank is none. Blanks around others stay: they came from somebody.
std::string given_name(const std::optional<std::string>& text) {
    return text && !bare(*text).empty() ? *text : "";
}

/// Nothing if it is not known, or not in pixels.
std::optional<ImageSize> stated_size(pugi::xml_node dimensions) {
    constexpr int most = 10'000'000;
    const auto side = [&](const char* name) {
        const std::string text = text_of(dimensions, {dimensions_space, name}).value_or("");
        return static_cast<int>(spelled_whole(bare(text), 0, most).value_or(0));
    };
    const std::string unit = text_of(dimensions, {dimensions_space, "unit"}).value_or("");
    const ImageSize size{side("w"), side("h")};
    const bool is_known =
        size.width > 0 && size.height > 0 && (bare(unit).empty() || lower_case(bare(unit)) == "pixel");
    return is_known ? std::optional(size) : std::nullopt;
}

/// Nothing for a region without a box.
std::optional<FaceRegion> marked_face(const XmlFile& file, pugi::xml_node item) {
    const pugi::xml_node area = element_of(item, {regions_space, "Area"});
    if (!area) return std::nullopt;
    const std::string unit = text_of(area, {area_space, "unit"}).value_or("");
    if (!bare(unit).empty() && lower_case(bare(unit)) != "normalized")
        file.fail(area, "the unit of the area to be normalized, not '" + excerpt(unit) + "'");
    const auto number = [&](const char* name) -> std::optional<double> {
        const std::optional<std::string> text = text_of(area, {area_space, name});
        if (!text || bare(*text).empty()) return std::nullopt;
        return share_of(file, area, *text, std::string("stArea:") + name);
    };
    const auto x = number("x"), y = number("y"), w = number("w"), h = number("h"), d = number("d");
    if (!x || !y) file.fail(area, "stArea:x and stArea:y, the centre of the face");
    if (w.has_value() != h.has_value()) file.fail(area, "both stArea:w and stArea:h, the size of the face");
    FaceRegion face;
    face.centre = {*x, *y};
    face.is_circle = !w && d;
    face.width = w ? *w : d.value_or(0);
    face.height = h ? *h : d.value_or(0);
    if (face.width < 0 || face.height < 0) file.fail(area, "a size that is not negative");
    if (face.width == 0 || face.height == 0) return std::nullopt;
    face.name = given_name(text_of(item, {regions_space, "Name"}));
    return face;
}

void read_working_group(const XmlFile& file, pugi::xml_node regions, FaceRegions& read) {
    read.are_there = true;
    if (!read.drawn_in)
        read.drawn_in = stated_size(element_of(regions, {regions_space, "AppliedToDimensions"}));
    for (const pugi::xml_node item : items_of(element_of(regions, {regions_space, "RegionList"}))) {
        if (!is_face(item)) continue;
        if (std::optional<FaceRegion> face = marked_face(file, item)) {
            read.faces.push_back(*std::move(face));
        } else {
            ++read.without_box;
        }
    }
}

/// "left, top, width, height".
FaceRegion person_of(const XmlFile& file, pugi::xml_node item, std::string_view rectangle) {
    const std::vector<std::string> parts = split_list(rectangle, ',');
    if (parts.size() != 4) file.fail(item, "MPReg:Rectangle to be four shares, 'left, top, width, height'");
    std::array<double, 4> shares{};
    for (std::size_t i = 0; i < 4; ++i)
        shares.at(i) = share_of(file, item, parts[i], "each number of MPReg:Rectangle");
    const auto [left, top, width, height] = shares;
    if (width < 0 || height < 0) file.fail(item, "a size that is not negative");
    FaceRegion face;
    face.centre = {left + width / 2, top + height / 2};
    face.width = width;
    face.height = height;
    return face;
}

void read_people(const XmlFile& file, pugi::xml_node info, FaceRegions& read) {
    read.are_there = true;
    for (const pugi::xml_node item : items_of(element_of(info, {people_list_space, "Regions"}))) {
        const std::string rectangle = text_of(item, {people_region_space, "Rectangle"}).value_or("");
        FaceRegion face;
        if (!bare(rectangle).empty()) face = person_of(file, item, rectangle);
        // People who are in the picture, nobody said where.
        if (face.width == 0 || face.height == 0) {
            ++read.without_box;
            continue;
        }
        face.name = given_name(text_of(item, {people_region_space, "PersonDisplayName"}));
        read.faces.push_back(std::move(face));
    }
}

}  // namespace

Box FaceRegion::in_pixels(const ImageSize& stored) const {
    const double shorter = std::min(stored.width, stored.height);
    const double w = width * (is_circle ? shorter : stored.width);
    const double h = height * (is_circle ? shorter : stored.height);
    return {centre.x * stored.width - w / 2, centre.y * stored.height - h / 2, w, h};
}

FaceRegions read_face_regions(const XmlFile& file) {
    FaceRegions regions;
    std::vector<pugi::xml_node> people;
    for (const pugi::xml_node description : descriptions_of(rdf_of(file.document()))) {
        for (const pugi::xml_node property : description.children()) {
            if (is_named(property, {regions_space, "Regions"})) read_working_group(file, property, regions);
            if (is_named(property, {people_space, "RegionInfo"})) people.push_back(property);
        }
        if (const auto text = text_of(description, {tiff_space, "Orientation"}))
            regions.orientation = static_cast<int>(spelled_whole(bare(*text), 1, 8).value_or(1));
    }
    const bool has_faces = !regions.faces.empty() || regions.without_box > 0;
    // People who do not count may be broken, and cost nothing.
    for (const pugi::xml_node info : people)
        if (!has_faces) read_people(file, info, regions);
    return regions;
}

std::optional<std::string> xmp_in_jpeg(const std::filesystem::path& file) {
    constexpr std::string_view mark("http://ns.adobe.com/xap/1.0/\0", 29);
    constexpr std::size_t first_bytes = std::size_t{64} << 10;
    // Before the pixels stand previews, maps of depth and colour profiles, too.
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    codec::FileSource source(file, codec::FileSource::Extent::beginning);
    std::vector<std::uint8_t> bytes(2);
    if (source.read(bytes.data(), 2) < 2 || !codec::has_magic(bytes, 0, "\xff\xd8", 2)) return std::nullopt;
    for (std::size_t length = first_bytes; length <= most_bytes; length *= 4) {
        const std::size_t used = bytes.size();
        bytes.resize(length);
        bytes.resize(used + source.read(bytes.data() + used, length - used));
        std::optional<std::string> packet;
        bool reached_pixels = false;
        const bool reached_end =
            codec::walk_jpeg_segments(bytes, [&](std::uint8_t marker, codec::Bytes payload) {
                if (marker == codec::jpeg_app1 && codec::has_magic(payload, 0, mark.data(), mark.size())) {
                    const codec::Bytes text = payload.subspan(mark.size());
                    packet.emplace(text.begin(), text.end());
                }
                reached_pixels = marker == codec::jpeg_sos;
                return !packet && !reached_pixels;
            });
        if (packet || reached_pixels || reached_end || bytes.size() < length) return packet;
    }
    return std::nullopt;
}

bool may_hold_regions(std::string_view xmp) {
    return xmp.find(regions_space) != std::string_view::npos ||
           xmp.find(people_list_space) != std::string_view::npos;
}

}  // namespace fovea::xmp
