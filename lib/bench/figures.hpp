#pragma once

#include <string>
#include <vector>

#include "kernels/measure/measure.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// One measured figure of a machine: how much of something, on which device, and what of the program it
/// bounds. Quartiles and best are of the repetitions; of a rate the best is the highest, of a time the
/// lowest.
struct Figure {
    std::string device;  ///< "cpu" or "cuda:0"
    std::string name;    ///< for programs, e.g. "upload_pinned"
    std::string title;   ///< for people
    std::string unit;    ///< of the numbers, e.g. "GB/s" (10^9 bytes) or "µs"
    std::string bounds;  ///< what of the program cannot be faster
    double median = 0;
    double quartile_1 = 0;
    double quartile_3 = 0;
    double best = 0;
    int repetitions = 0;
};

/// The subject of a figure.
struct FigureName {
    std::string name, title, bounds;
};

/// Work / time in `unit`s of `scale`, e.g. GB/s and 1e9.
Figure rate_figure(const std::string& device, const FigureName& name, const std::string& unit, double scale,
                   const Timing& timing);

/// Time / work in microseconds.
Figure latency_figure(const std::string& device, const FigureName& name, const Timing& timing);

Json figure_json(const Figure& figure);

}  // namespace fovea
