#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "lib/dataset/text_file.hpp"

namespace fovea {

/// An XML file in memory that knows the lines of its elements.
class XmlFile {
  public:
    /// Reads and parses a file in UTF-8, UTF-16 or UTF-32, or in ISO-8859-1 or Windows-1252 if it says so, as
    /// dlib's files do; its text becomes UTF-8.
    /// \throws UsageError if it is not there; Error "FILE:LINE: ..." if it is not well-formed.
    explicit XmlFile(const std::filesystem::path& path);

    /// Parses XML that came from elsewhere, e.g. from a photograph. \throws Error as above.
    explicit XmlFile(const TextFile& file);

    const std::string& name() const { return name_; }
    pugi::xml_node root() const { return document_.document_element(); }
    const pugi::xml_document& document() const { return document_; }

    /// The line, from 1, in which an element starts.
    int line_of(pugi::xml_node element) const;

    /// Throws Error "FILE:LINE: cannot read '<START TAG>': expected WHAT".
    [[noreturn]] void fail(pugi::xml_node element, const std::string& expected) const;

    /// An attribute that must be there and not empty.
    std::string text(pugi::xml_node element, const char* attribute) const;

    /// An attribute that must be there and be a coordinate or length in pixels.
    double pixels(pugi::xml_node element, const char* attribute) const;

  private:
    std::string name_;
    std::string text_;
    std::vector<std::size_t> line_ends_;  ///< offsets of the '\n' in text_
    pugi::xml_document document_;
};

}  // namespace fovea
