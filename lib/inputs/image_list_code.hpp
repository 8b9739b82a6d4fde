#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "lib/inputs/image_list_data.hpp"

namespace fovea {

// Image lists as bytes, for journals and list files. All numbers are varints (7 bits a byte, least first),
// texts have their length before them, names and paths begin with what they share with the one before:
//
//     head: format specification root names_sha256 list_sha256 sources (skipped: name, reason, files)
//     warnings (passed_over: extension, files) (archives: path, prefix) (videos: see write_video)
//     image: name [place] [size and time, as differences from the one before; content]
//
// Version 1 had no videos; up to version 2, skipped had no files, and passed_over was not there; up to
// version 3, videos had neither the shape of pixels nor breaks of their clock; up to version 4, they were no
// members of archives; up to version 5, there were no list files, no sizes and no times.
inline constexpr std::uint64_t image_list_version = 6;

/// The part that the texts of one kind share with the one before.
struct SharedText {
    std::string before;
    std::uint64_t total = 0;
};

/// The image before: names, paths, frames and marks of a list share much with it.
struct ImageBefore {
    SharedText names;
    SharedText paths;
    FrameInList frame;
    FileMark mark;
};

/// The fields that the bytes of each image have.
struct ImageFields {
    bool places = false;
    bool marks = false;
};

class ListWriter {
  public:
    void number(std::uint64_t value);
    /// Small numbers of either sign take few bytes.
    void signed_number(std::int64_t value);
    void text(std::string_view text);
    void shared_text(std::string_view text, SharedText& shared);
    void bytes(std::string_view bytes) { bytes_ += bytes; }

    std::size_t size() const { return bytes_.size(); }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

/// Reads what a ListWriter has written. Every function throws Error, with the place and the reason, for bytes
/// that none writes.
class ListReader {
  public:
    /// \param magic the bytes that they must begin with; then follows the version.
    ListReader(std::string_view bytes, std::string_view magic);
    /// \param version of the file that the bytes are a part of
    ListReader(std::string_view bytes, std::uint64_t version)
        : all_(bytes.size()), bytes_(bytes), version_(version) {}

    std::uint64_t version() const { return version_; }
    bool has_videos() const { return version_ >= 2; }
    bool has_file_counts() const { return version_ >= 3; }
    bool has_pixels_and_clocks() const { return version_ >= 4; }
    bool has_videos_in_archives() const { return version_ >= 5; }
    bool has_marks() const { return version_ >= 6; }

    [[noreturn]] void fail(const std::string& why) const;
    std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
    std::int64_t signed_number();
    /// For things that take at least one byte each.
    std::size_t count();
    std::string_view text();
    /// Valid until the next one.
    std::string_view shared_text(SharedText& shared);
    bool at_end() const { return bytes_.empty(); }

  private:
    std::size_t all_;
    std::string_view bytes_;
    std::uint64_t version_ = 0;
};

void write_head(ListWriter& writer, const ImageListData& data);
void read_head(ListReader& reader, ImageListData& data);

void write_image(ListWriter& writer, const ImageListData& data, std::size_t i, ImageFields fields,
                 ImageBefore& before);
/// Adds an image to the data.
void read_image(ListReader& reader, ImageListData& data, ImageFields fields, ImageBefore& before);

}  // namespace fovea
