#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/unnamed_format.hpp"

namespace fovea {

/// Counts the files of folders and archives that are not read as images by extension: in lower case, without
/// the dot; "without an extension" for names that have none.
class PassedOver {
  public:
    using Counts = std::map<std::string, std::size_t>;
    /// The key for names without an extension.
    static constexpr const char* no_extension = "without an extension";

    /// Counts a file, and says so on the log's lowest level. \param content image or video: its name
    /// hides it.
    void add(std::string_view file_name, FileContent content = FileContent::other);
    /// Counts files among others(). \param extension a key of others().
    void add(const std::string& extension, std::size_t files) { others_[extension] += files; }

    /// Pictures in formats that the program does not read: psd, svg, exr, ...
    const Counts& pictures() const { return pictures_; }
    /// Pictures and videos by their content, but not by their names.
    const Counts& misnamed() const { return misnamed_; }
    /// The number of files in pictures() and misnamed(): inputs that are lost.
    std::size_t lost_files() const;
    /// All other files.
    const Counts& others() const { return others_; }

    /// "2 files are pictures in formats that are not read, and were left out: 2 psd"; empty without any.
    std::string sentence_of_pictures() const;
    /// "2 files are pictures or videos by their content, but not by their names, and were left out: 2 xyz";
    /// empty without any.
    std::string sentence_of_misnamed() const;
    /// "3 files are no images and were passed over: 2 xmp, 1 txt"; empty without any.
    std::string sentence_of_others() const;
    /// The sentences above that are not empty.
    std::vector<std::string> sentences() const;

  private:
    Counts pictures_, misnamed_, others_;
};

/// The sum of the counts.
std::size_t files_in(const PassedOver::Counts& counts);

}  // namespace fovea
