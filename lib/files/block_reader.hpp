#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fovea {

/// The most bytes of a line of results. No image needs as many, but other files may be one endless line.
inline constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

/// Reads a file forward in blocks. It is open only while a block is read: any number may exist.
class BlockReader {
  public:
    /// Reads nothing yet: next_line() and next_bytes() tell errors. \param offset of the first byte to read.
    BlockReader(std::filesystem::path file, std::uint64_t offset, std::size_t block_bytes)
        : file_(std::move(file)), offset_(offset), block_bytes_(block_bytes) {}

    /// The next line with its newline, valid until the next call. \return nothing at the end of the file.
    /// \throws Error if the file cannot be read, a line is longer than max_line_bytes, or the last one has no
    /// newline.
    std::optional<std::string_view> next_line();

    /// The next `count` bytes, valid until the next call. \throws Error if it cannot be read or ends early.
    std::string_view next_bytes(std::size_t count);

  private:
    bool fill();
    std::string_view take(std::size_t count);

    std::filesystem::path file_;
    std::uint64_t offset_;  // of what is not in the buffer yet
    std::size_t block_bytes_;
    std::string buffer_;
    std::size_t at_ = 0;  // bytes before it are used up
};

/// Refuses a line of more than max_line_bytes. \throws Error always.
[[noreturn]] void throw_line_too_long(const std::filesystem::path& file);

/// Calls `visit` with each block of a file from an offset to its end. \throws Error if the file cannot be
/// opened or read, or has become shorter since it was opened.
void for_each_block(const std::filesystem::path& file, std::uint64_t offset,
                    const std::function<void(std::string_view)>& visit);

}  // namespace fovea
