#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// The longest side of a window that samples are made for, pixels.
inline constexpr int max_window_side = 1024;

/// Checks the size of a window. \throws UsageError unless both sides are 1 to max_window_side.
void check_window(Size window);

/// Pixels of a window that passed check_window().
inline std::size_t pixels_of(Size window) {
    return static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height);
}

/// "24x20": width and height.
std::string text_of(Size window);

/// Grey pictures of one size, as a training sees them, and the file that each comes from.
struct WindowSamples {
    Size window;
    std::vector<std::uint8_t> pixels;   ///< [sample][y][x]
    std::vector<std::uint32_t> source;  ///< of each sample, its position in `sources`
    std::vector<std::string> sources;   ///< names that differ

    std::size_t count() const { return source.size(); }
    std::span<const std::uint8_t> pixels_of_sample(std::size_t sample) const {
        return {pixels.data() + sample * pixels_of(window), pixels_of(window)};
    }
    ImageView<const std::uint8_t> view(std::size_t sample) const {
        return {pixels_of_sample(sample).data(), window.width, window.height, window.width};
    }

    /// Adds a sample. \param sample pixels_of(window) pixels. \param of position in `sources`.
    void add(std::span<const std::uint8_t> sample, std::uint32_t of) {
        pixels.insert(pixels.end(), sample.begin(), sample.end());
        source.push_back(of);
    }

    /// Adds the samples of another set behind these; sources of one name become one.
    /// \throws UsageError if the windows differ. A set without samples and sources takes the other's window.
    void append(const WindowSamples& other);

    /// The samples at these positions, in their order; all sources stay.
    WindowSamples picked(std::span<const std::size_t> positions) const;

    friend bool operator==(const WindowSamples&, const WindowSamples&) = default;
};

/// Gives numbers to sources by name, each name one number.
class SourceNumbers {
  public:
    /// \param samples gets the new sources; must outlive this.
    explicit SourceNumbers(WindowSamples& samples);

    /// The number of this source, which is added if it is new.
    std::uint32_t number_of(std::string_view name);

  private:
    WindowSamples& samples_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// `wanted` of the positions 0 to count - 1, rising and evenly spread: i · count / wanted, rounded down. All
/// positions if there are no more.
std::vector<std::size_t> evenly_picked(std::size_t count, std::size_t wanted);

}  // namespace fovea
