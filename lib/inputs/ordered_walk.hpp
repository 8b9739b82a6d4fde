#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/inputs/image_list_data.hpp"

namespace fovea {

/// Archives among images have a folder's name, "2019.tar/", until their own images are known: they are sorted
/// as folders. True for such a name.
bool is_archive_entry(std::string_view name);

/// Lists the images, videos and archives of a folder and of those below it in natural order of their names, a
/// part at a time. It holds the names of one folder, not of all: those of folders whose names differ in
/// leading zeros only ("1/", "01/") are held together, as their files mix.
class OrderedWalk {
  public:
    /// Finds the folders. \throws as walk_folder().
    explicit OrderedWalk(const std::filesystem::path& root);
    ~OrderedWalk();

    /// Adds the next files to a list: `count` and perhaps more, or less at the end. Other things are told in
    /// `skipped` and `passed_over`, when its folder is read. \return false if nothing was left. \throws
    /// ShortageError, Error
    bool next(std::size_t count, ImageListData& data);

  private:
    class Entries;

    void enter(const std::vector<std::string>& folders, bool with_those_below, ImageListData& data);

    std::filesystem::path root_;
    std::map<std::string, std::vector<std::string>> folders_in_;  // "" is the root
    std::vector<std::unique_ptr<Entries>> open_;                  // the innermost folder last
    bool is_begun_ = false;
};

}  // namespace fovea
