#pragma once

#include <functional>
#include <span>
#include <string>
#include <unordered_map>

#include "lib/dataset/text_file.hpp"

namespace fovea {

/// One image of a file in the form of FDDB and WIDER FACE: a line with its name, a line with the number n,
/// and n lines.
struct NameBlock {
    TextLine name;
    std::span<const TextLine> rows;
};

/// Calls `visit` for each image of such a file, in its order. One line of zeros may follow n = 0, as in WIDER
/// FACE's annotation. \throws Error naming the line if a number is missing or the file ends too early.
void for_each_block(const TextFile& file, const std::function<void(const NameBlock&)>& visit);

/// True if the text begins with such an image whose rows have `count` numbers each, or with images without
/// rows.
bool begins_with_block(std::string_view text, std::size_t count);

/// Remembers the lines that name images, for sets in which each image may be named once.
class NamedOnce {
  public:
    /// \throws Error "FILE:LINE: ..." that names both places if the image was named before.
    void add(const std::string& image, const TextFile& file, const TextLine& line);

  private:
    std::unordered_map<std::string, std::string> place_of_;
};

}  // namespace fovea
