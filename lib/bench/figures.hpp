#pragma once

#include <string>
#include <vector>

#include "kernels/measure/measure.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A measured rate or time of a device, and the part of the program that it bounds. The best of the
/// repetitions is the highest rate or the lowest time.
struct Figure {
    std::string device;  ///< "cpu" or "cuda:0"
    std::string name;    ///< for programs, e.g. "upload_pinned"
    std::string title;   ///< for people
    std::string unit;    ///< of the numbers, e.g. "GB/s" (10^9 bytes) or "µs"
    std::string bounds;  ///< the part of the program that cannot be faster
    double median = 0;
    double quartile_1 = 0;
    double quartile_3 = 0;
    double best = 0;
    int repetitions = 0;
};

/// The names of a figure, and the part of the program that it bounds.
struct FigureName {
    std::string name, title, bounds;
};

/// Makes a figure of work / time, in `unit`s of `scale`, e.g. GB/s and 1e9.
Figure rate_figure(const std::string& device, const FigureName& name, const std::string& unit, double scale,
                   const Timing& timing);

/// Makes a figure of time / work, in microseconds.
Figure latency_figure(const std::string& device, const FigureName& name, const Timing& timing);

Json figure_json(const Figure& figure);

}  // namespace fovea
