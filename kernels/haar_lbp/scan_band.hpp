#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/haar_lbp/packed.hpp"
#include "kernels/haar_lbp/scan.hpp"

namespace fovea {

/// The integral images of one band of one level, and the windows to evaluate on it.
struct ScanBand {
    const std::int32_t* sum = nullptr;       ///< at the row of the band's first windows
    const std::uint32_t* squared = nullptr;  ///< Haar only
    std::ptrdiff_t row_stride = 0;           ///< elements from one row of windows to the next
    int windows_per_row = 0;
    int window_rows = 0;
    int level = 0;
    int step = 1;
    int first_y = 0;  ///< level row of the first row of windows
};

/// Memory of one thread, kept from band to band.
struct ScanScratch {
    std::vector<float> inverse_deviation;  ///< of every window of the band, rows padded to vectors
    std::vector<std::uint8_t> valid;       ///< one bit a window of the row
    std::vector<std::uint8_t> passed;      ///< one bit a window of the row
    std::vector<std::int32_t> offsets;     ///< windows still alive: element offset of the top left corner
    std::vector<std::int32_t> slots;       ///< the same windows: index into inverse_deviation
    std::vector<std::uint8_t> alive;
    std::vector<double> sums;
};

/// Evaluates all windows of a band and appends the windows that pass to `found`, by vector instructions
/// chosen at run time (Highway).
void scan_band(const PackedCascade& cascade, const ScanBand& band, ScanScratch& scratch,
               std::vector<CascadeWindow>& found);

/// Elements that scan_band may read beyond the last window of a row.
int scan_slack();

/// The visited windows of eight, one bit each: from left to right, a visited window that is rejected causes
/// the next to be skipped. The GPU composes the same machine of two states in parallel.
/// \param rejected one bit a window, lowest first: valid, but rejected by the first stage.
/// \param state 1 if the first window is skipped; becomes the state of the next eight windows.
std::uint8_t visited_windows(std::uint8_t rejected, int& state);

}  // namespace fovea
