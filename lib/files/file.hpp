#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

/// The bytes of a whole file; pipes and devices are read to their end. lib/files/whole_file.hpp has the
/// bounds.
/// \param what names the file in messages: "results file", "cascade".
/// \throws UsageError if it is not there or is a folder; Error if it cannot be opened or read to its end.
std::string read_file(const std::filesystem::path& path, std::string_view what = "file");

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

/// When a file is on the disk itself, where no loss of power takes it away.
enum class Durability {
    at_once,   ///< when it is written
    whenever,  ///< when the system sees fit; for many files that can be made again
};

/// Writes a file as a whole or not at all: under a name of its own first, then renamed. A link stays, and
/// what it leads to is replaced; devices and pipes are written to as they are. \throws Error as write_file.
void replace_file(const std::filesystem::path& path, std::string_view bytes,
                  Durability durability = Durability::at_once);

/// True for names in /dev and /proc: devices and another process's pipes, which no file may take the place
/// of.
bool is_device_path(const std::filesystem::path& path);

}  // namespace fovea
