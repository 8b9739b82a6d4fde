#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/train/samples/window_samples.hpp"

// OpenCV's .vec files of samples, as opencv_createsamples 3.4 writes them; all numbers are little-endian:
//
//   int32 samples, int32 width · height, int16 0, int16 0
//   for each sample: one byte 0, then width · height int16 grey levels, row by row
//
// The window itself is not in the file, only its number of pixels.
namespace fovea {

/// Reads a .vec file sample by sample.
class VecReader {
  public:
    /// Reads the header and compares it with the size of the file, so that nothing is allocated for samples
    /// that are not there.
    /// \param max_samples the most samples that are read; the file need not be complete after them. 0 = all,
    /// and the file must have the size that its header says.
    /// \throws UsageError for a window that check_window() refuses or whose number of pixels is not the
    /// samples' (the message names likely windows), or a file that is not there; Error naming the file if it
    /// is no .vec file, is cut off or has bytes after its samples.
    VecReader(const std::filesystem::path& file, Size window, std::size_t max_samples = 0);

    /// Samples that next() gives in all.
    std::size_t count() const { return count_; }

    /// The next sample, valid until the next call; nothing at the end. \throws Error naming file and sample
    /// for a value outside of 0 to 255, or if the file cannot be read.
    std::optional<std::span<const std::uint8_t>> next();

  private:
    std::filesystem::path file_;
    BlockReader blocks_;
    std::vector<std::uint8_t> sample_;
    std::size_t count_ = 0;
    std::size_t done_ = 0;
};

struct VecReadOptions {
    std::size_t max_samples = 0;  ///< as VecReader
    /// The number of consecutive samples that are of one source, because opencv_createsamples makes several
    /// samples of one photograph; at least 1.
    std::size_t samples_per_source = 1;
};

/// The samples of a .vec file. The file does not say where they come from: their sources are FILE#000000,
/// FILE#000001 and so on, by the file's name without its folder. \throws as VecReader; UsageError for no
/// samples per source.
WindowSamples read_vec(const std::filesystem::path& file, Size window, const VecReadOptions& options = {});

/// Writes a .vec file, which takes its place when it is complete.
class VecWriter {
  public:
    /// Begins a file. \throws UsageError as check_window, or if the command reads that file; Error if it
    /// cannot be written.
    VecWriter(const std::filesystem::path& file, Size window);
    ~VecWriter();
    VecWriter(const VecWriter&) = delete;
    VecWriter& operator=(const VecWriter&) = delete;

    /// Writes a sample. \param sample pixels_of(window) pixels. \throws Error if the file cannot be written,
    /// or holds 2^31 - 1 samples.
    void add(std::span<const std::uint8_t> sample);
    /// Completes the file and puts it into its place. \throws Error if the file cannot be written.
    void finish();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Writes samples with VecWriter. \throws what it throws.
void write_vec(const std::filesystem::path& file, const WindowSamples& samples);

/// Windows with so many pixels whose sides are at least 8 pixels and at most 5 : 1, the squarest first, wide
/// before high; no more than six.
std::vector<Size> likely_windows(std::uint64_t pixels);

}  // namespace fovea
