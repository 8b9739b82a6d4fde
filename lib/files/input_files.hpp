#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

/// A file that is going to be written.
struct PlannedOutput {
    std::filesystem::path file;  ///< empty: none is written
    std::string what;            ///< "manifest"
};

/// The files that a piece of work reads. Whoever plans the work lists them and hands them to whatever opens
/// its outputs, which take the place of none of them. Two names are one file where device and inode are the
/// same, so links are seen through. An empty list refuses nothing. Copies share one list, for any threads.
class InputFiles {
  public:
    InputFiles();

    void add(const std::filesystem::path& file);

    /// Many files, which are looked at when the first existing file is about to be replaced, and not before.
    void add(std::vector<std::filesystem::path> files);

    /// Millions of files, looked at as late.
    /// \param file  gives the path of each of `count` files; it is called by several threads.
    void add(std::size_t count, std::function<std::filesystem::path(std::size_t)> file);

    /// Call it before an output is opened, made or removed.
    /// \throws UsageError if the output, or the file NAME.part that it is written to at first, is one of
    /// these.
    void refuse(const std::filesystem::path& output) const;

    /// The same for several outputs. Standard output and devices may take several.
    /// \throws UsageError as refuse(), and if two outputs are one file, by whatever names.
    void refuse_clashes(std::span<const PlannedOutput> outputs) const;

  private:
    struct List;
    std::shared_ptr<List> list_;
};

/// A folder that work writes to, with the inputs that no file in it takes the place of.
class OutputFolder {
  public:
    /// A path alone is a folder of work that has no inputs to lose.
    template <std::convertible_to<std::filesystem::path> Path>
    OutputFolder(Path&& folder, InputFiles inputs = {})
        : path_(std::forward<Path>(folder)), inputs_(std::move(inputs)) {}

    const std::filesystem::path& path() const { return path_; }
    const InputFiles& inputs() const { return inputs_; }

    /// A folder in it.
    OutputFolder operator/(const std::filesystem::path& name) const { return {path_ / name, inputs_}; }

  private:
    std::filesystem::path path_;
    InputFiles inputs_;
};

}  // namespace fovea
