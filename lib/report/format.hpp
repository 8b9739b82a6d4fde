#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea::report {

/// Numbers and names as people read them. Independent of the locale.

std::string fixed(double value, int decimals);  ///< "0.52"; "–" if not finite
std::string percent(double rate);               ///< 0.8617 -> "86.2 %"; "–" if not finite
std::string compact(double value);              ///< a score or threshold with at most 6 significant digits
std::string exact(double value);                ///< the shortest text that reads back to the same double
std::string grouped(long long count);           ///< 5171 -> "5,171"
std::string counted(long long count, const std::string& noun);  ///< "1 image", "65 images", "no images"

/// "1", "2–4", "≥ 10": a slice [from, to) of whole numbers. An open end is infinite or >= 1e6.
std::string count_range(const SliceRate& slice);
/// "20–40", "≥ 200": a slice [from, to) of widths in pixels.
std::string width_range(const SliceRate& slice);

/// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD. File names can hold any
/// bytes.
std::string valid_utf8(std::string_view text);
/// At most `length` characters: the middle of a longer text becomes "…", as both ends of file names tell them
/// apart.
std::string shortened(std::string_view text, std::size_t length);

/// The detectors' names for legends, made unique: "detector 2" for an empty one, "name (2)" for a repeated
/// one.
std::vector<std::string> display_names(const std::vector<DetectionEvaluation>& evaluations);

struct Interval {
    double low = 0;
    double high = 1;
};

/// Wilson's score interval (95 %) of a rate of `hits` in `trials`; [0, 1] for no trial.
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22,
/// 1927.
Interval wilson_interval(int hits, int trials);

}  // namespace fovea::report
