#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/image_list.hpp"

namespace fovea {

/// The files of folders and archives that are no images for the program, counted by extension.
class PassedOver {
  public:
    /// Says so on the log's lowest level.
    void add(std::string_view file_name);

    /// Photographs in formats that the program does not read (HEIC, AVIF, camera raw files, ...), an entry
    /// for each extension: {"*.heic", "12 files in a format that is not read"}.
    std::vector<SkippedInput> photographs() const;
    /// All others by extension, lower case, without the dot; "without an extension" counts those that have
    /// none.
    std::map<std::string, std::size_t> counts_of_others() const;
    /// A sentence on all others: "3 files are no images and were passed over: 2 xmp, 1 txt"; empty without
    /// any.
    std::string others() const;

  private:
    std::map<std::string, std::size_t> photographs_, others_;  // by extension, lower case, without the dot
};

}  // namespace fovea
