#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// Stands for "none of them" where indices of images are given.
constexpr std::size_t no_image = static_cast<std::size_t>(-1);

/// A name as it is compared: valid UTF-8, '/' for '\', no "./" at the beginning, no doubled '/'.
std::string normalised_image_name(const std::string& image);

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

/// Pairs the names of results with those of samples: by equal names, and only if not one is equal, loosely.
/// Neither list may hold a name twice; of samples that do, the first counts.
NamePairing pair_names(const std::vector<std::string>& samples, const std::vector<std::string>& results);

}  // namespace fovea
