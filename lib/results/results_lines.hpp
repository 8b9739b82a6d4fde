#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "lib/results/results.hpp"

namespace fovea {

/// Reads a file of JSON Lines image by image, however large it is.
class ResultsLines {
  public:
    /// \throws Error if the file cannot be opened.
    explicit ResultsLines(const std::filesystem::path& file);
    /// The next image; nothing at the end. Empty lines are passed over. \throws Error naming file and line if
    /// a line is broken.
    std::optional<ImageResult> next();

    /// The byte at which the line of the last image begins.
    std::uint64_t place() const { return place_; }
    /// Goes to a line by its place(). Errors do not count the lines from there on. \throws Error if the file
    /// cannot be read there.
    void go_to(std::uint64_t place);

  private:
    bool read_line(std::string& line);

    const std::filesystem::path file_;
    std::ifstream stream_;
    std::size_t number_ = 0;   // of the line read last, from 1
    std::uint64_t place_ = 0;  // of that line
    std::uint64_t next_ = 0;   // of the line behind it
};

}  // namespace fovea
