#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// How busy a stage of a pipeline was.
struct StageLoad {
    std::string name;
    std::size_t threads = 0;
    /// Kinds of work and their seconds, summed over its threads; waiting for other stages is not work.
    std::vector<std::pair<std::string, double>> work;
    double total_seconds = 0;  ///< how long the pipeline ran

    double busy_seconds() const {
        double sum = 0;
        for (const auto& [what, seconds] : work) sum += seconds;
        return sum;
    }

    /// The share of its threads' time in which they worked, 0 to 1.
    double busy() const {
        return threads > 0 && total_seconds > 0
                   ? busy_seconds() / total_seconds / static_cast<double>(threads)
                   : 0;
    }
};

/// The stage that the others waited for: the busiest. Empty if there is none.
std::string limiting_stage(std::span<const StageLoad> stages);

/// The stages by name: {"decode": {"threads", "busy", "read_seconds", "decode_seconds"}, ...}.
Json stages_to_json(std::span<const StageLoad> stages);

/// Seconds that any number of threads worked.
class BusySeconds {
  public:
    void add(double seconds) { nanoseconds_ += static_cast<long long>(seconds * 1e9); }
    double seconds() const { return static_cast<double>(nanoseconds_.load()) / 1e9; }

  private:
    std::atomic<long long> nanoseconds_{0};
};

/// Adds the time from its construction to its end.
class BusyScope {
  public:
    explicit BusyScope(BusySeconds& busy) : busy_(busy) {}
    ~BusyScope() { busy_.add(watch_.seconds()); }
    BusyScope(const BusyScope&) = delete;
    BusyScope& operator=(const BusyScope&) = delete;

  private:
    BusySeconds& busy_;
    Stopwatch watch_;
};

}  // namespace fovea
