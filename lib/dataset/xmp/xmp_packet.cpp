#include "lib/dataset/xmp/xmp_packet.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/core/special_characters.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/xmp/rdf.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/text_encoding.hpp"

namespace fovea::xmp {
namespace fs = std::filesystem;
namespace {

constexpr QualifiedName regions_name{regions_space, "Regions"};
constexpr QualifiedName list_name{regions_space, "RegionList"};
constexpr QualifiedName face_name{regions_space, "Name"};

/// A text of an attribute. Line breaks and tabs would be read as blanks if they stood as they are.
std::string attribute_text(std::string_view text) {
    return escape_markup(xml_characters(text), "\t\n\r");
}

/// Real numbers of XMP have no exponent. A share of 1e-14 is nothing in any picture.
std::string real_number(double value) {
    char digits[400];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 14);
    std::string text(digits, end.ptr);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

// Nothing is decoded, so that what is not touched is written as it was: of "&#xD;" only the character would
// be left, which a reader takes for a line feed.
constexpr unsigned untouched = pugi::parse_cdata | pugi::parse_ws_pcdata | pugi::parse_comments |
                               pugi::parse_pi | pugi::parse_declaration | pugi::parse_doctype;

/// Whatever stood between single quotes is written between double ones.
void escape_quotes(pugi::xml_node element) {
    for (pugi::xml_attribute attribute : element.attributes()) {
        std::string value = attribute.value();
        if (value.find('"') == std::string::npos) continue;
        for (std::size_t at = 0; (at = value.find('"', at)) != std::string::npos;)
            value.replace(at, 1, "&quot;");
        attribute.set_value(value.c_str());
    }
}

/// True if an element, an attribute or an element in it has a name with this prefix.
bool uses_prefix(pugi::xml_node element, std::string_view prefix) {
    const auto has_prefix = [&](std::string_view name) {
        return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == ':';
    };
    const auto in_names_of = [&](pugi::xml_node node) {
        return has_prefix(node.name()) ||
               std::any_of(node.attributes_begin(), node.attributes_end(),
                           [&](pugi::xml_attribute attribute) { return has_prefix(attribute.name()); });
    };
    return in_names_of(element) || element.find_node(in_names_of);
}

/// Declares the prefixes at an element that it had from around its old place.
void declare_prefixes(pugi::xml_node element, pugi::xml_node old_place) {
    for (pugi::xml_node scope = old_place; scope; scope = scope.parent()) {
        for (const pugi::xml_attribute attribute : scope.attributes()) {
            const std::string_view name = attribute.name();
            if (!name.starts_with("xmlns") || element.attribute(attribute.name())) continue;
            const std::string_view prefix = name.size() > 6 ? name.substr(6) : std::string_view();
            const bool is_used = prefix.empty() || uses_prefix(element, prefix);
            if (is_used && space_of(element, prefix) != attribute.value())
                element.append_attribute(attribute.name()).set_value(attribute.value());
        }
    }
}

struct EveryNode : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
        escape_quotes(node);
        return true;
    }
};

void remove_with_blanks_before(pugi::xml_node node) {
    const pugi::xml_node before = node.previous_sibling();
    pugi::xml_node parent = node.parent();
    if (before.type() == pugi::node_pcdata && bare(before.value()).empty()) parent.remove_child(before);
    parent.remove_child(node);
}

/// Removes the regions, and their description if it described nothing else.
void remove_regions(pugi::xml_node property) {
    const pugi::xml_node description = property.parent();
    remove_with_blanks_before(property);
    const bool has_elements = std::any_of(description.begin(), description.end(), [](pugi::xml_node child) {
        return child.type() != pugi::node_pcdata || !bare(child.value()).empty();
    });
    const bool has_fields = std::any_of(description.attributes_begin(), description.attributes_end(),
                                        [](pugi::xml_attribute attribute) {
                                            const std::string_view name = attribute.name();
                                            return !name.starts_with("xmlns") && !name.ends_with("about");
                                        });
    if (!has_elements && !has_fields) remove_with_blanks_before(description);
}

std::vector<pugi::xml_node> region_properties(pugi::xml_node rdf) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node description : descriptions_of(rdf))
        for (const pugi::xml_node child : description.children())
            if (is_named(child, regions_name)) found.push_back(child);
    return found;
}

std::set<std::string> names_in(const pugi::xml_document& document) {
    std::set<std::string> names;
    for (const pugi::xml_node property : region_properties(rdf_of(document))) {
        for (const pugi::xml_node region : items_of(element_of(property, list_name))) {
            std::string name = is_face(region) ? text_of(region, face_name).value_or("") : "";
            if (!bare(name).empty()) names.insert(std::move(name));
        }
    }
    return names;
}

/// The value of rdf:about, which must be equal in all descriptions of a packet.
std::string subject_of(pugi::xml_node rdf) {
    for (const pugi::xml_node description : descriptions_of(rdf)) {
        for (const pugi::xml_attribute attribute : description.attributes()) {
            const std::string_view name = attribute.name();
            if (name == "about" || name.ends_with(":about")) return attribute.value();
        }
    }
    return {};
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw Error("'" + file + "' is there already and is no sidecar in XMP (" + why +
                "), so that its content cannot be kept; mend it, or move it away.");
}

}  // namespace

std::string xml_characters(std::string_view text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string held;
    const std::string valid = valid_utf8(text);
    for (std::size_t at = 0; at < valid.size();) {
        const std::string_view character =
            std::string_view(valid).substr(at, utf8_piece(std::string_view(valid).substr(at)).length);
        const auto first = static_cast<unsigned char>(character.front());
        const bool is_control = first < 0x20 && first != '\t' && first != '\n' && first != '\r';
        const bool is_no_character = character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
        held += is_control || is_no_character ? replacement : character;
        at += character.size();
    }
    return held;
}

std::string xmp_of(const std::vector<MarkedFace>& faces, const ImageSize& stored) {
    std::string text =
        "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
        " <rdf:RDF xmlns:rdf=\"" +
        std::string(rdf_space) +
        "\">\n"
        "  <rdf:Description rdf:about=\"\" xmlns:mwg-rs=\"" +
        std::string(regions_space) +
        "\"\n"
        "    xmlns:stDim=\"" +
        std::string(dimensions_space) + "\" xmlns:stArea=\"" + std::string(area_space) +
        "\">\n"
        "   <mwg-rs:Regions rdf:parseType=\"Resource\">\n"
        "    <mwg-rs:AppliedToDimensions stDim:w=\"" +
        std::to_string(stored.width) + "\" stDim:h=\"" + std::to_string(stored.height) +
        "\" stDim:unit=\"pixel\"/>\n"
        "    <mwg-rs:RegionList>\n"
        "     <rdf:Bag>\n";
    for (const MarkedFace& face : faces) {
        text += "      <rdf:li>\n       <rdf:Description mwg-rs:Type=\"Face\"";
        if (!face.name.empty()) text += " mwg-rs:Name=\"" + attribute_text(face.name) + "\"";
        const Point centre = face.area.centre();
        text += ">\n        <mwg-rs:Area stArea:x=\"" + real_number(centre.x) + "\" stArea:y=\"" +
                real_number(centre.y) + "\" stArea:w=\"" + real_number(face.area.w) + "\" stArea:h=\"" +
                real_number(face.area.h) +
                "\" stArea:unit=\"normalized\"/>\n       </rdf:Description>\n      </rdf:li>\n";
    }
    return text +
           "     </rdf:Bag>\n"
           "    </mwg-rs:RegionList>\n"
           "   </mwg-rs:Regions>\n"
           "  </rdf:Description>\n"
           " </rdf:RDF>\n"
           "</x:xmpmeta>\n"
           "<?xpacket end=\"w\"?>\n";
}

std::string with_faces(const std::string& there, const std::string& written, const std::string& file,
                       std::vector<std::string>& lost) {
    const std::string text = file_text_as_utf8(there, file);
    if (!is_utf8(text) || text.find('\0') != std::string::npos) refuse(file, "it is not in UTF-8");
    pugi::xml_document document, decoded, fresh;
    const pugi::xml_parse_result result = document.load_string(text.c_str(), untouched);
    if (!result) refuse(file, result.description());
    pugi::xml_node rdf = rdf_of(document);
    if (!rdf) refuse(file, "it holds no rdf:RDF");
    decoded.load_string(text.c_str());
    fresh.load_string(written.c_str(), untouched);

    std::set<std::string> before = names_in(decoded);
    pugi::xml_document read_again;
    read_again.load_string(written.c_str());
    for (const std::string& name : names_in(read_again)) before.erase(name);
    lost.insert(lost.end(), before.begin(), before.end());

    const std::string subject = subject_of(rdf);
    pugi::xml_node own = descriptions_of(rdf_of(fresh)).front();
    pugi::xml_node own_list = element_of(element_of(own, regions_name), list_name).child("rdf:Bag");
    for (const pugi::xml_node property : region_properties(rdf)) {
        for (const pugi::xml_node region : items_of(element_of(property, list_name))) {
            if (is_face(region)) continue;
            declare_prefixes(own_list.append_copy(region), region.parent());
            own_list.append_child(pugi::node_pcdata).set_value("\n     ");
        }
        remove_regions(property);
    }
    own.attribute("rdf:about").set_value(subject.c_str());
    if (space_of(rdf, "rdf") != rdf_space) own.append_attribute("xmlns:rdf").set_value(rdf_space.data());
    // The blanks that stand before the end of rdf:RDF go behind the new description.
    if (rdf.last_child().type() == pugi::node_pcdata && bare(rdf.last_child().value()).empty())
        rdf.remove_child(rdf.last_child());
    rdf.append_child(pugi::node_pcdata).set_value("\n  ");
    rdf.append_copy(own);
    rdf.append_child(pugi::node_pcdata).set_value("\n ");

    EveryNode quotes;
    document.traverse(quotes);
    for (pugi::xml_node node : document.children())
        if (node.type() == pugi::node_declaration && node.attribute("encoding"))
            node.attribute("encoding").set_value("UTF-8");
    std::ostringstream stream;
    for (const pugi::xml_node node : document.children()) {
        node.print(stream, "", pugi::format_raw | pugi::format_no_escapes, pugi::encoding_utf8);
        stream << '\n';
    }
    return stream.str();
}

void keep_contents_of_sidecars(OutputFiles& files, const fs::path& folder, std::vector<std::string>& losses) {
    std::size_t lost_names = 0;
    std::string first;
    for (OutputFile& file : files.files) {
        const fs::path place = folder / file.name;
        if (!is_file(place)) continue;
        const std::string there = read_file(place, "sidecar");
        if (there.empty()) continue;
        std::vector<std::string> lost;
        file.bytes = with_faces(there, file.bytes, place.string(), lost);
        if (lost_names == 0 && !lost.empty())
            first = "'" + excerpt(lost.front()) + "' in '" + excerpt(file.name) + "'";
        lost_names += lost.size();
    }
    if (lost_names > 0) {
        losses.push_back(counted(lost_names, "name") + " of faces in sidecars that were there " +
                         (lost_names == 1 ? "is" : "are") +
                         " replaced and no longer in them, first: " + first + ".");
    }
}

}  // namespace fovea::xmp
