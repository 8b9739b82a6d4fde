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
    std::string what;            ///< its name in messages: "manifest"
};

/// The files that a piece of work reads, which no output may replace. Whoever plans the work lists them;
/// whoever opens an output asks refuse(). Two names are one file if device and inode are equal, so links are
/// seen through. An empty list refuses nothing. Copies share one list; any threads may use it.
class InputFiles {
  public:
    InputFiles();

    /// Adds a file, if it is there.
    void add(const std::filesystem::path& file);

    /// Adds many files, which are looked at only when an existing file is about to be replaced.
    void add(std::vector<std::filesystem::path> files);

    /// Adds millions of files, which are looked at as late.
    /// \param file  gives the path of file i of `count`; several threads call it.
    void add(std::size_t count, std::function<std::filesystem::path(std::size_t)> file);

    /// Checks an output before it is opened, made or removed.
    /// \throws UsageError if the output, or NAME.part, to which it is written first, is one of these files.
    void refuse(const std::filesystem::path& output) const;

    /// Checks several outputs. Standard output and devices may be named more than once.
    /// \throws UsageError as refuse(), and if two outputs are one file, under whatever names.
    void refuse_clashes(std::span<const PlannedOutput> outputs) const;

  private:
    struct List;
    std::shared_ptr<List> list_;
};

/// A folder that work writes to, with the inputs that no file in it may replace.
class OutputFolder {
  public:
    /// A path alone converts: then there are no inputs to protect.
    template <std::convertible_to<std::filesystem::path> Path>
    OutputFolder(Path&& folder, InputFiles inputs = {})
        : path_(std::forward<Path>(folder)), inputs_(std::move(inputs)) {}

    const std::filesystem::path& path() const { return path_; }
    const InputFiles& inputs() const { return inputs_; }

    /// The folder of this name in it, with the same inputs.
    OutputFolder operator/(const std::filesystem::path& name) const { return {path_ / name, inputs_}; }

  private:
    std::filesystem::path path_;
    InputFiles inputs_;
};

}  // namespace fovea
