#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/dataset_options.hpp"

// The images that a list or the command line names, one by one: millions of them would take gigabytes as
// a Dataset.
namespace fovea {

struct ListedName {
    std::string_view given;  ///< relative to the list's root, or absolute
    const std::string& key;  ///< see image_key()
    int position = 0;        ///< number of the line or file
};

class NameVisitor {
  public:
    virtual ~NameVisitor() = default;
    /// \param name is valid during the call.
    virtual void image(const ListedName& name) = 0;
};

/// The source of names that were read, and the words for it in messages.
struct NamesRead {
    std::string format;  ///< as Dataset::format
    std::string list;    ///< "photos.txt"
    std::string places;  ///< "in lines"
    std::vector<std::filesystem::path> sources;
};

/// Counts images that are named more than once.
class RepeatedNames {
  public:
    void add(std::string_view image, int position, int again);
    std::size_t count() const { return count_; }
    std::string warning(const NamesRead& names) const;

  private:
    std::size_t count_ = 0;
    std::string image_;  // the first of them
    int position_ = 0;
    int again_ = 0;
};

/// The folder that the names of a list ("-": standard input) are relative to: options.root, if it is given.
std::filesystem::path root_of_list(const std::string& path, const DatasetOptions& options);

/// Visits every line of a list that names an image, in order, repeated ones too. \throws as read_dataset()
NamesRead visit_list(const std::string& path, const DatasetOptions& options, NameVisitor& visitor);

/// The folder that the names of files on the command line are relative to; visit_named_files() visits them.
std::filesystem::path root_of_files(const DatasetOptions& options);
NamesRead visit_named_files(const std::vector<std::string>& files, const DatasetOptions& options,
                            NameVisitor& visitor);

}  // namespace fovea
