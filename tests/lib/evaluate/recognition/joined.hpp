#pragma once

#include <string>
#include <vector>

namespace fovea::test {

/// A line for each sentence.
inline std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += sentence + "\n";
    return text;
}

}  // namespace fovea::test
