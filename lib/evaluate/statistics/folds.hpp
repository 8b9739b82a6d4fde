#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"

namespace fovea {

/// A partition of a dataset's images, for what is learned on some and applied to the others.
struct Folds {
    std::vector<std::string> names;      ///< in natural order
    std::vector<std::size_t> of_sample;  ///< index in names, parallel to Dataset::samples
    bool stated = false;  ///< by the dataset's attribute "fold"; else by a hash of the image's name
};

/// The folds of the attribute "fold" if every annotated sample has it (other samples without it are a fold of
/// their own), else ten folds: the first 32 bits of the SHA-256 of the image's name, modulo ten.
Folds folds_of(const Dataset& dataset);

}  // namespace fovea
