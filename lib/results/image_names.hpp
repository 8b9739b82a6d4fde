#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fovea {

/// The index that means "no image".
constexpr std::size_t no_image = static_cast<std::size_t>(-1);

/// A name in the form that is compared: valid UTF-8, '/' for '\', no "./" at the beginning, no doubled '/'.
std::string normalised_image_name(const std::string& image);

/// Finds images by the names that results give them.
class ImageNameIndex {
  public:
    /// Gives the image the next index, from 0. \return false if an earlier image has the same name: find()
    /// gives that one.
    bool add(const std::string& image);

    /// The image of this name, except for "./" and doubled '/'; else the only one whose name is equal with
    /// '/' for '\'; else no_image.
    std::size_t find(const std::string& name) const;

    /// The image of find(); else the only one whose name is equal without extension, where one of the names
    /// may lack leading folders ("x.jpg" is "val/x.png"); else the only one of its stem; else no_image.
    std::size_t find_loosely(const std::string& name) const;

    const std::string& name(std::size_t image) const { return images_[image]; }
    std::size_t size() const { return images_.size(); }

  private:
    std::vector<std::string> images_;
    std::unordered_map<std::string, std::size_t> as_they_stand_;
    std::unordered_map<std::string, std::size_t> turned_;  ///< names with a '\'
    /// Is made when find_loosely() needs it.
    mutable std::unordered_map<std::string, std::vector<std::size_t>> of_stem_;
};

/// Pairs names that are not equal: by name without extension, where either side may lack leading folders
/// ("voyager.gif" is "test/voyager.png"), else by file name without extension alone. Names must
/// be normalised.
/// \return for every result the index of its sample, or no_image; nothing if a name pairs with several, or no
/// name pairs at all.
std::optional<std::vector<std::size_t>> pair_names_loosely(const std::vector<std::string>& samples,
                                                           const std::vector<std::string>& results);

/// Which sample each result belongs to.
struct NamePairing {
    std::vector<std::size_t> sample_of;  ///< parallel to the results; no_image: not in the dataset
    bool is_loose = false;               ///< no name was equal, so pair_names_loosely() paired them
};

/// Pairs the names of results with the names of samples by ImageNameIndex::find(); only if none is found, by
/// pair_names_loosely(). Names of results must differ; of samples with one name, the first counts.
NamePairing pair_names(const std::vector<std::string>& samples, const std::vector<std::string>& results);

}  // namespace fovea
