#include "lib/train/samples/window_samples.hpp"

#include "lib/core/error.hpp"

namespace fovea {

void check_window(Size window) {
    if (window.width >= 1 && window.width <= max_window_side && window.height >= 1 &&
        window.height <= max_window_side) {
        return;
    }
    throw UsageError("A window of " + text_of(window) + " pixels is not possible; each side is 1 to " +
                     std::to_string(max_window_side) + ".");
}

std::string text_of(Size window) {
    return std::to_string(window.width) + "x" + std::to_string(window.height);
}

void WindowSamples::append(const WindowSamples& other) {
    if (source.empty() && sources.empty()) window = other.window;
    if (window != other.window) {
        throw UsageError("Samples of " + text_of(other.window) + " pixels cannot be added to samples of " +
                         text_of(window) + "; cut all of them for one window.");
    }
    SourceNumbers numbers(*this);
    std::vector<std::uint32_t> here;
    for (const std::string& name : other.sources) here.push_back(numbers.number_of(name));
    pixels.insert(pixels.end(), other.pixels.begin(), other.pixels.end());
    for (const std::uint32_t of : other.source) source.push_back(here[of]);
}

WindowSamples WindowSamples::picked(std::span<const std::size_t> positions) const {
    WindowSamples some{window, {}, {}, sources};
    some.pixels.reserve(positions.size() * pixels_of(window));
    some.source.reserve(positions.size());
    for (const std::size_t position : positions) some.add(pixels_of_sample(position), source[position]);
    return some;
}

SourceNumbers::SourceNumbers(WindowSamples& samples) : samples_(samples) {
    for (const std::string& name : samples.sources) {
        numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size()));
    }
}

std::uint32_t SourceNumbers::number_of(std::string_view name) {
    const auto [known, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(samples_.sources.size()));
    if (is_new) samples_.sources.emplace_back(name);
    return known->second;
}

std::vector<std::size_t> evenly_picked(std::size_t count, std::size_t wanted) {
    wanted = wanted < count ? wanted : count;
    std::vector<std::size_t> positions(wanted);
    // The product i · count could be too large: count = whole · wanted + rest.
    for (std::size_t i = 0; i < wanted; ++i) {
        positions[i] = i * (count / wanted) + i * (count % wanted) / wanted;
    }
    return positions;
}

}  // namespace fovea
