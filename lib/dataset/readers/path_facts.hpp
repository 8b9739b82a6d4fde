#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/format_record.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {

/// Facts by which the format of a path is recognised; its content is read when a function needs it.
class PathFacts {
  public:
    /// \param path must be there.
    explicit PathFacts(std::filesystem::path path);

    const std::filesystem::path& path() const { return path_; }
    bool is_folder() const { return is_folder_; }
    /// The last part of the path.
    std::string name() const { return path_.filename().string(); }

    // All of these are false or empty for a folder, and for a pipe, which can be read only once.
    /// head_of() the file.
    const std::string& head() const;
    bool has_zeros() const { return head().find('\0') != std::string::npos; }
    /// The outermost element of XML, else empty.
    const std::string& xml_element() const;
    bool is_results() const;  ///< results.jsonl of this program
    bool is_json() const;     ///< a JSON object, but no results
    bool is_matlab() const;   ///< a file of MATLAB 5 or later, without HDF5
    bool is_binary() const;   ///< none of the above, and no text
    bool is_text() const;     ///< none of the above

    /// The text of a text file, else empty. \throws as TextFile::read.
    std::string_view text() const;
    /// The text's first line that is neither blank nor a comment; empty if there is none. \throws as text()
    std::string_view first_line() const;
    /// The fields of the first line, if all behind the first field are numbers of pixels; else none.
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

/// The beginning of a file as UTF-8 (head_as_utf8()); empty if it cannot be read. \throws ShortageError where
/// that may pass: the file must not be taken for another kind.
std::string head_of(const std::filesystem::path& file);

}  // namespace fovea
