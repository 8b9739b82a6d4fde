#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// The most bytes of a file that is read as a whole: annotations, results, models.
inline constexpr std::size_t max_whole_file = std::size_t{4} << 30;
/// The most bytes of a file that people write: configurations, conventions.
inline constexpr std::size_t max_written_file = std::size_t{16} << 20;
/// The most bytes of a pipe or a device, which may never end.
inline constexpr std::size_t max_endless_file = std::size_t{128} << 20;

/// The bytes of a whole file, pipe or device.
/// \param what names the file in messages: "results file", "cascade".
/// \param max_bytes the most of a regular file; max_endless_file holds for others, too.
/// \throws UsageError if it is not there or is a folder; Error if it cannot be opened or read to its end, or
/// is longer.
std::string read_file(const std::filesystem::path& path, std::string_view what = "file",
                      std::size_t max_bytes = max_whole_file);

/// The size of a file in bytes. \throws ShortageError or Error that names it if the system does not tell.
std::uint64_t size_of_file(const std::filesystem::path& path);

/// Removes a file, if it is there. \throws Error if the system refuses.
void remove_file(const std::filesystem::path& path);

/// Removes a folder and all that is in it, or a file, if it is there. \throws ShortageError or Error if the
/// system refuses.
void remove_tree(const std::filesystem::path& path);

/// Gives a file its final name, in place of an older one. \throws Error if the system refuses.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// All of standard input. \throws Error if it cannot be read to its end, or is longer than read_file() takes.
std::string read_standard_input();

/// Writes a file, over an older one if there is one. \throws Error if it cannot be opened or written in full.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// When a file must be on the disk, safe from a loss of power.
enum class Durability {
    at_once,   ///< before the call that writes it returns
    whenever,  ///< when the system chooses; for many files that can be made again
};

/// Writes a file as a whole or not at all: first as part_of(path), which is then renamed. A link stays, and
/// the file that it leads to is replaced; devices and pipes are written to directly. \throws Error
void replace_file(const std::filesystem::path& path, std::string_view bytes,
                  Durability durability = Durability::at_once);

/// True for names in /dev, but not in /dev/shm, and in /proc: devices and other processes' pipes, which must
/// not be replaced by files.
bool is_device_path(const std::filesystem::path& path);

}  // namespace fovea
