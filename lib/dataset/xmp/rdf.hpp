#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

// Structures and lists in the RDF of XMP (ISO 16684-1, section 7), in every form that it allows: a field of a
// structure is an attribute or an element, of the property itself (with rdf:parseType="Resource" or without)
// or of an rdf:Description in it.
namespace fovea::xmp {

/// A name of XML: the address of its namespace, and the name within.
struct QualifiedName {
    std::string_view space;
    std::string_view local;
};

inline constexpr std::string_view rdf_space = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
// The face regions of the Metadata Working Group (guidelines 2.0, section 5.9).
inline constexpr std::string_view regions_space = "http://www.metadataworkinggroup.com/schemas/regions/";
inline constexpr std::string_view area_space = "http://ns.adobe.com/xmp/sType/Area#";
inline constexpr std::string_view dimensions_space = "http://ns.adobe.com/xap/1.0/sType/Dimensions#";
// Microsoft's people tags.
inline constexpr std::string_view people_space = "http://ns.microsoft.com/photo/1.2/";
inline constexpr std::string_view people_list_space = "http://ns.microsoft.com/photo/1.2/t/RegionInfo#";
inline constexpr std::string_view people_region_space = "http://ns.microsoft.com/photo/1.2/t/Region#";
inline constexpr std::string_view tiff_space = "http://ns.adobe.com/tiff/1.0/";

/// The text without blanks and line ends around it, which XML may put there.
std::string_view bare(std::string_view text);

/// The namespace of a prefix at an element; empty if it is not declared. \param prefix empty: the default
/// namespace is meant.
std::string_view space_of(pugi::xml_node element, std::string_view prefix);

/// True for an element of this name, whatever its prefix.
bool is_named(pugi::xml_node element, const QualifiedName& name);

/// The rdf:RDF of a document, which may lie in x:xmpmeta; empty if there is none.
pugi::xml_node rdf_of(const pugi::xml_document& document);

/// The descriptions in an rdf:RDF: their fields are the picture's properties.
std::vector<pugi::xml_node> descriptions_of(pugi::xml_node rdf);

/// The field of a structure that is an element; empty if there is none. \param structure a description, a
/// property or an item of a list.
pugi::xml_node element_of(pugi::xml_node structure, const QualifiedName& name);

/// The text of a field of a structure, without qualifiers of the text; nothing if there is no such field.
std::optional<std::string> text_of(pugi::xml_node structure, const QualifiedName& name);

/// The items of a property that is a list: rdf:Bag, rdf:Seq or rdf:Alt.
std::vector<pugi::xml_node> items_of(pugi::xml_node property);

/// True for a face among the regions of the Metadata Working Group: its type is Face, or none is stated.
bool is_face(pugi::xml_node region);

}  // namespace fovea::xmp
