#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/bench/benchmark_backends.hpp"
#include "lib/bench/benchmark_images.hpp"
#include "lib/bench/benchmark_timing.hpp"
#include "lib/detect/engine_detector.hpp"
#include "lib/train/cascade/rejections.hpp"

namespace fovea {

/// The windows that each stage rejects, at one size of the photographs.
struct SizeRejections {
    Size size;
    RejectionTable table;
};

/// Names of optimisations: "all" becomes every one, repeated ones count once. \throws UsageError for a name
/// that is none, with the nearest one.
std::vector<std::string> resolve_optimisations(const std::vector<std::string>& names);

/// Two engines on the same groups, in turns, piece by piece: each is first as often as the other. The same
/// number of repetitions of both.
struct PairedTimes {
    EngineTimes first;
    EngineTimes second;
};
PairedTimes measure_in_turns(CascadeEngine& first, CascadeEngine& second, std::span<const ImageViews> groups,
                             const CascadeScan& scan, int repetitions,
                             const std::function<bool()>& cancelled);

/// An engine with and without an optimisation, measured in turns.
struct OptimisationGain {
    std::string optimisation;
    Size size;
    int batch = 1;
    EngineTimes with, without;  ///< milliseconds an image

    /// The median time without it over that with it; 0 if it was not measured.
    double factor(std::vector<double> EngineTimes::*part = &EngineTimes::total_ms) const;
};

struct EngineStudyRequest {
    std::vector<Size> sizes;  ///< the photographs are resized to each in turn
    int repetitions = 20;
    int batch = 32;  ///< images at once, beside one by one
    std::vector<std::string> optimisations;
};

struct EngineStudy {
    std::vector<OptimisationGain> gains;
    std::vector<std::string> differences;  ///< one sentence for each engine whose boxes are not the CPU's
    bool interrupted = false;
};

/// An engine of the same kind; the options turn optimisations off.
using MakeEngine = std::function<std::shared_ptr<CascadeEngine>(const EngineOptions& options)>;

/// Measures what each optimisation gains. \param cpu whose boxes the others must find. \throws what the
/// engines throw
EngineStudy study_optimisations(CascadeEngine& cpu, const MakeEngine& make, const CascadeScan& scan,
                                const std::vector<Photograph>& photographs, const EngineStudyRequest& request,
                                const JobHooks& hooks);

/// Counts what each stage rejects in the photographs, at each size. \return as far as it came, if it was
/// cancelled
std::vector<SizeRejections> count_rejections(const EngineDetector& detector, const CascadeScan& scan,
                                             const std::vector<Photograph>& photographs,
                                             const std::vector<Size>& sizes, const JobHooks& hooks);

}  // namespace fovea
