#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea::test {

/// The message of the Error that `act` throws; "done" if it throws none.
inline std::string message_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "done";
}

/// Samples of one source each: "a", "b", ...
inline WindowSamples samples_of(Size window, const std::vector<std::vector<std::uint8_t>>& pixels) {
    WindowSamples samples{window, {}, {}, {}};
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        samples.sources.push_back(std::string(1, static_cast<char>('a' + i)));
        samples.add(pixels[i], static_cast<std::uint32_t>(i));
    }
    return samples;
}

}  // namespace fovea::test
