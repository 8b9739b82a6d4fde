#pragma once

#include <cstddef>
#include <filesystem>

#include "lib/image/formats/image.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

struct ContactSheetOptions {
    std::size_t max_samples = 400;  ///< the most samples, picked evenly; at least 1
    int columns = 20;               ///< 1 to 1,000
    int gap = 2;                    ///< pixels between samples and at the edges, white; 0 to 100
    int enlargement = 1;            ///< each pixel becomes a square of so many; 1 to 16
};

/// Samples in a grid, row by row, as the training sees them. \throws UsageError for options out of range, if
/// there is no sample, or if the sheet would have more than 100 million pixels.
GreyImage contact_sheet(const WindowSamples& samples, const ContactSheetOptions& options = {});

/// Writes a contact sheet as a PNG file. \throws as contact_sheet; Error if the file cannot be written.
void write_contact_sheet(const std::filesystem::path& file, const WindowSamples& samples,
                         const ContactSheetOptions& options = {});

}  // namespace fovea
