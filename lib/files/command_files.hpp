#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// The files of the command that runs. While one of these lives, the program knows all that the command
/// reads, and refuses to replace, cut or remove any of it. Two names are one file where device and inode are
/// the same, so links are seen through. Without one, nothing is refused. One at a time; its member functions
/// and the functions below are for any threads.
class CommandFiles {
  public:
    CommandFiles();
    ~CommandFiles();
    CommandFiles(const CommandFiles&) = delete;
    CommandFiles& operator=(const CommandFiles&) = delete;
};

/// The command reads this file. read_file() says so by itself.
void note_input(const std::filesystem::path& file);

/// The command reads these files. They are looked at when the first existing file is about to be replaced,
/// and not before.
void note_inputs(std::vector<std::filesystem::path> files);

/// The command reads this file and may replace it all the same: a checkpoint that it goes on from.
void allow_replacing(const std::filesystem::path& file);

/// Millions of files that the command reads, while this lives; looked at as those of note_inputs().
class NotedInputs {
  public:
    /// \param file  gives the path of each of `count` files, as long as this lives; it is called by several
    /// threads.
    NotedInputs(std::size_t count, std::function<std::filesystem::path(std::size_t)> file);
    ~NotedInputs();
    NotedInputs(const NotedInputs&) = delete;
    NotedInputs& operator=(const NotedInputs&) = delete;

  private:
    std::size_t number_;
};

/// A file that is going to be written.
struct PlannedOutput {
    std::filesystem::path file;  ///< empty: none is written
    std::string what;            ///< "manifest"
};

/// Call it before any of the outputs is opened, made or removed. Standard output and devices may
/// take several.
/// \throws UsageError if two outputs are one file, by whatever names; or if an output, or the file NAME.part
/// that it is written to at first, is one that the command reads.
void refuse_clashes(std::span<const PlannedOutput> outputs);

/// For whatever writes or removes a file. \throws UsageError if the command reads it.
void refuse_if_input(const std::filesystem::path& file);

}  // namespace fovea
