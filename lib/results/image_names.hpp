#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fovea {

/// Stands for "none of them" where indices of images are given.
constexpr std::size_t no_image = static_cast<std::size_t>(-1);

/// A name as it is compared: valid UTF-8, '/' for '\', no "./" at the beginning, no doubled '/'.
std::string normalised_image_name(const std::string& image);

/// Finds images by the names that results give them.
class ImageNameIndex {
  public:
    /// Gives the image the next index, from 0; of images that are equal as they stand, the first is found.
    /// \return false for those behind it.
    bool add(const std::string& image);

    /// The image of this name as it stands, but for "./" and doubled '/'; else the only one whose name is
    /// equal with '/' for '\'; else no_image.
    std::size_t find(const std::string& name) const;

    /// find(), else the only image of this name without extension, where one of the names may lack leading
    /// folders ("x.jpg" is "val/x.png"); else the only one of its stem; else no_image.
    std::size_t find_loosely(const std::string& name) const;

    const std::string& name(std::size_t image) const { return images_[image]; }
    std::size_t size() const { return images_.size(); }

  private:
    std::vector<std::string> images_;
    std::unordered_map<std::string, std::size_t> as_they_stand_;
    std::unordered_map<std::string, std::size_t> turned_;  ///< those with a '\'
    /// Made when find_loosely() needs it.
    mutable std::unordered_map<std::string, std::vector<std::size_t>> of_stem_;
};

/// For every result the index of the sample that it names, or no_image, where the names (normalised) are not
/// equal as they stand: compared without extension and with leading folders missing on either side
/// ("voyager.gif" is "test/voyager.png"), else by file name without extension alone. Nothing if either pairs
/// a name with several, or none at all.
std::optional<std::vector<std::size_t>> pair_names_loosely(const std::vector<std::string>& samples,
                                                           const std::vector<std::string>& results);

/// Which sample each result belongs to.
struct NamePairing {
    std::vector<std::size_t> sample_of;  ///< parallel to the results; no_image: not in the dataset
    bool is_loose = false;  ///< no name was equal, so they were compared as by pair_names_loosely
};

/// Pairs the names of results with those of samples: by ImageNameIndex::find(), and only if not one is found,
/// loosely. Neither list may hold a name twice; of samples that do, the first counts.
NamePairing pair_names(const std::vector<std::string>& samples, const std::vector<std::string>& results);

}  // namespace fovea
