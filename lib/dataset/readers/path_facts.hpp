#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/format_record.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {

/// A path whose format is asked for: the name at once, the content when it is asked for.
class PathFacts {
  public:
    /// \param path of something that is there.
    explicit PathFacts(std::filesystem::path path);

    const std::filesystem::path& path() const { return path_; }
    bool is_folder() const { return is_folder_; }
    /// The last part of the path.
    std::string name() const { return path_.filename().string(); }

    // All of these are false and empty for a folder, and for a pipe, which can be read once only.
    /// The first bytes, as head_of() has them.
    const std::string& head() const;
    bool has_zeros() const { return head().find('\0') != std::string::npos; }
    /// The outermost element of XML, else empty.
    const std::string& xml_element() const;
    bool is_results() const;  ///< of JSON Lines, as this program writes them
    bool is_json() const;     ///< an object, but no results
    bool is_matlab() const;   ///< as MATLAB 5 and later write it, without HDF5
    bool is_binary() const;   ///< nothing of the above, and no text
    bool is_text() const;     ///< nothing of the above

    /// The text of a text file, else empty. \throws as TextFile::read.
    std::string_view text() const;
    /// Its first line that is neither blank nor a comment; empty if there is none. \throws as text()
    std::string_view first_line() const;
    /// The fields of that line, if all behind the first one are numbers of pixels; else none.
    std::vector<std::string_view> row() const;

  private:
    std::filesystem::path path_;
    bool is_folder_ = false;
    bool is_file_ = false;  // neither a folder nor a pipe
    mutable std::optional<std::string> head_;
    mutable std::optional<std::string> xml_element_;
    mutable std::optional<TextFile> text_;
    mutable std::optional<std::string_view> first_line_;
};

/// The name of the outermost element of XML text; empty if the text is not XML.
std::string xml_root_name(std::string_view text);

/// The first bytes of a file, as text_as_utf8() has them; empty if it cannot be read.
std::string head_of(const std::filesystem::path& file);

}  // namespace fovea
