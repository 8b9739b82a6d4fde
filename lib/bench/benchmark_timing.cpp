#include "lib/bench/benchmark_timing.hpp"

#include <algorithm>

namespace fovea {
namespace {

constexpr double piece_ms = 250;

// The pieces of one engine's measurement, put together.
class TimesSum {
  public:
    TimesSum(CascadeEngine& engine, std::span<const ImageViews> groups, const CascadeScan& scan)
        : engine_(engine), groups_(groups), scan_(scan) {
        for (const ImageViews& group : groups) images_ += group.size();
        measured_.fill(true);
    }

    void measure(int repeat) {
        std::array<std::vector<double>, benchmark_part_count> piece;
        for (auto& part : piece) part.assign(static_cast<std::size_t>(repeat), 0);
        for (const ImageViews& group : groups_) {
            const EngineTimes times = engine_.measure(group, scan_, repeat);
            for (std::size_t p = 0; p < piece.size(); ++p) {
                const std::vector<double>& part = times.*benchmark_parts()[p].times;
                measured_[p] = measured_[p] && part.size() == piece[p].size();
                if (!measured_[p]) continue;
                for (std::size_t r = 0; r < part.size(); ++r) {
                    piece[p][r] += part[r] / static_cast<double>(images_);
                }
            }
        }
        for (std::size_t p = 0; p < piece.size(); ++p) {
            std::vector<double>& all = times_.*benchmark_parts()[p].times;
            all.insert(all.end(), piece[p].begin(), piece[p].end());
        }
    }

    EngineTimes times() const {
        EngineTimes times = times_;
        for (std::size_t p = 0; p < measured_.size(); ++p) {
            if (!measured_[p]) (times.*benchmark_parts()[p].times).clear();
        }
        return times;
    }

  private:
    CascadeEngine& engine_;
    std::span<const ImageViews> groups_;
    const CascadeScan& scan_;
    std::size_t images_ = 0;
    std::array<bool, benchmark_part_count> measured_{};
    EngineTimes times_;
};

// Calls measure_piece(repetitions) until they are enough, or one piece is done and it is cancelled.
template <class MeasurePiece>
void in_pieces(const Repetitions& repetitions, const std::function<bool()>& cancelled, double expected_ms,
               const MeasurePiece& measure_piece) {
    int done = 0;
    double elapsed_ms = 0;
    const auto fitting = [&](double repetition_ms) {
        const double most = std::max(1.0, double(repetitions.most - done));
        return static_cast<int>(std::clamp(piece_ms / std::max(repetition_ms, 1e-3), 1.0, most));
    };
    int next = expected_ms > 0 ? fitting(expected_ms) : 1;
    while (!repetitions.enough(done, elapsed_ms) && !(done > 0 && cancelled())) {
        const double took_ms = time_ms([&] { measure_piece(next); });
        elapsed_ms += took_ms;
        done += next;
        next = fitting(took_ms / next);
    }
}

}  // namespace

const std::array<BenchmarkPart, benchmark_part_count>& benchmark_parts() {
    static constexpr std::array<BenchmarkPart, benchmark_part_count> parts{{
        {"upload", "upload", &EngineTimes::upload_ms, false},
        {"preprocessing", "preprocessing", &EngineTimes::preprocessing_ms, false},
        {"scan", "scan", &EngineTimes::scan_ms, false},
        {"grouping", "grouping", &EngineTimes::grouping_ms, false},
        {"download", "download", &EngineTimes::download_ms, false},
        {"resident", "resident", &EngineTimes::resident_ms, true},
        {"from pinned memory", "from_pinned_memory", &EngineTimes::pinned_ms, true},
        {"total", "total", &EngineTimes::total_ms, true},
    }};
    return parts;
}

EngineTimes measure_groups(CascadeEngine& engine, std::span<const ImageViews> groups, const CascadeScan& scan,
                           const Repetitions& repetitions, const std::function<bool()>& cancelled,
                           double expected_ms) {
    TimesSum sum(engine, groups, scan);
    in_pieces(repetitions, cancelled, expected_ms, [&](int repeat) { sum.measure(repeat); });
    return sum.times();
}

}  // namespace fovea
