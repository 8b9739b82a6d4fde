#include "lib/dataset/xmp/rdf.hpp"

#include "lib/core/spelling.hpp"

namespace fovea::xmp {
namespace {

constexpr QualifiedName rdf_description{rdf_space, "Description"};

std::string_view prefix_of(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? std::string_view{} : name.substr(0, colon);
}

std::string_view local_part_of(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// The attribute of this name, whatever its prefix; an attribute without a prefix has no namespace.
pugi::xml_attribute attribute_of(pugi::xml_node element, const QualifiedName& name) {
    for (const pugi::xml_attribute attribute : element.attributes()) {
        const std::string_view prefix = prefix_of(attribute.name());
        if (!prefix.empty() && local_part_of(attribute.name()) == name.local &&
            space_of(element, prefix) == name.space)
            return attribute;
    }
    return {};
}

pugi::xml_node child_of(pugi::xml_node element, const QualifiedName& name) {
    for (const pugi::xml_node child : element.children())
        if (is_named(child, name)) return child;
    return {};
}

/// The text in an element, which may be in several pieces.
std::string own_text(pugi::xml_node element) {
    std::string text;
    for (const pugi::xml_node child : element.children())
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
    return text;
}

}  // namespace

std::string_view bare(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string_view space_of(pugi::xml_node element, std::string_view prefix) {
    for (pugi::xml_node scope = element; scope; scope = scope.parent()) {
        for (const pugi::xml_attribute attribute : scope.attributes()) {
            const std::string_view name = attribute.name();
            const bool declares = prefix.empty()
                                      ? name == "xmlns"
                                      : prefix_of(name) == "xmlns" && local_part_of(name) == prefix;
            if (declares) return attribute.value();
        }
    }
    return {};
}

bool is_named(pugi::xml_node element, const QualifiedName& name) {
    return element.type() == pugi::node_element && local_part_of(element.name()) == name.local &&
           space_of(element, prefix_of(element.name())) == name.space;
}

pugi::xml_node rdf_of(const pugi::xml_document& document) {
    constexpr QualifiedName rdf{rdf_space, "RDF"};
    const pugi::xml_node root = document.document_element();
    return is_named(root, rdf) ? root : child_of(root, rdf);
}

std::vector<pugi::xml_node> descriptions_of(pugi::xml_node rdf) {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node child : rdf.children())
        if (is_named(child, rdf_description)) found.push_back(child);
    return found;
}

pugi::xml_node element_of(pugi::xml_node structure, const QualifiedName& name) {
    if (const pugi::xml_node child = child_of(structure, name)) return child;
    return child_of(child_of(structure, rdf_description), name);
}

std::optional<std::string> text_of(pugi::xml_node structure, const QualifiedName& name) {
    constexpr QualifiedName value{rdf_space, "value"};
    for (const pugi::xml_node fields : {structure, child_of(structure, rdf_description)}) {
        if (const pugi::xml_attribute attribute = attribute_of(fields, name)) return attribute.value();
        const pugi::xml_node field = child_of(fields, name);
        if (!field) continue;
        for (const pugi::xml_node qualified : {field, child_of(field, rdf_description)}) {
            if (const pugi::xml_attribute attribute = attribute_of(qualified, value))
                return attribute.value();
            if (const pugi::xml_node text = child_of(qualified, value)) return own_text(text);
        }
        return own_text(field);
    }
    return std::nullopt;
}

std::vector<pugi::xml_node> items_of(pugi::xml_node property) {
    std::vector<pugi::xml_node> items;
    for (const std::string_view list : {"Bag", "Seq", "Alt"}) {
        for (const pugi::xml_node child : child_of(property, {rdf_space, list}).children())
            if (is_named(child, {rdf_space, "li"})) items.push_back(child);
    }
    return items;
}

bool is_face(pugi::xml_node region) {
    const std::optional<std::string> type = text_of(region, {regions_space, "Type"});
    return !type || bare(*type).empty() || lower_case(bare(*type)) == "face";
}

}  // namespace fovea::xmp
