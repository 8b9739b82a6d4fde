#include "kernels/lbp/staged_jobs.hpp"

#include <algorithm>

#include "kernels/core/align.hpp"

namespace fovea {
namespace {

/// A range of a feature's regions.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// One side of a job: its edges, and what lies between them.
class Axis {
  public:
    // Pixels from `first` to `last` - 1 have codes.
    Axis(int first, int last) : first_(first), last_(std::max(first, last)) {}

    void add(int begin, int length) {
        edges_.push_back(clamped(begin));
        edges_.push_back(clamped(begin + length));
    }
    void finish() {
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    }

    int begin() const { return edges_.front(); }
    int length() const { return edges_.back() - edges_.front(); }
    int cells() const { return static_cast<int>(edges_.size()) - 1; }
    std::uint16_t edge_at(int place) const {
        const auto found = std::lower_bound(edges_.begin(), edges_.end(), clamped(place));
        return static_cast<std::uint16_t>(found - edges_.begin());
    }
    std::vector<std::uint16_t> cells_of_pixels() const {
        std::vector<std::uint16_t> cells;
        for (std::size_t i = 0; i + 1 < edges_.size(); ++i) {
            cells.insert(cells.end(), static_cast<std::size_t>(edges_[i + 1] - edges_[i]),
                         static_cast<std::uint16_t>(i));
        }
        return cells;
    }

  private:
    int clamped(int place) const { return std::clamp(place, first_, last_); }

    int first_;
    int last_;
    std::vector<int> edges_;
};

StagedJob make_job(Size face, const std::vector<Rect>& regions, const Range& range, int margin) {
    Axis columns(margin, face.width - margin), rows(margin, face.height - margin);
    for (std::size_t i = range.begin; i < range.end; ++i) {
        columns.add(regions[i].x, regions[i].width);
        rows.add(regions[i].y, regions[i].height);
    }
    columns.finish();
    rows.finish();
    StagedJob job;
    job.first_region = range.begin;
    job.coded = {columns.begin(), rows.begin(), columns.length(), rows.length()};
    if (job.coded.width == 0 || job.coded.height == 0) {
        job.coded = {};
        job.regions.resize(range.end - range.begin);
        return job;
    }
    job.window = {job.coded.x - margin, job.coded.y - margin, job.coded.width + 2 * margin,
                  job.coded.height + 2 * margin};
    job.cell_columns = columns.cells();
    job.cell_rows = rows.cells();
    job.column_cells = columns.cells_of_pixels();
    job.row_cells = rows.cells_of_pixels();
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Rect& region = regions[i];
        job.regions.push_back({columns.edge_at(region.x), rows.edge_at(region.y),
                               columns.edge_at(region.x + region.width),
                               rows.edge_at(region.y + region.height)});
    }
    return job;
}

std::int64_t area(const StagedJob& job) {
    return std::int64_t{job.window.width} * job.window.height;
}

class Planner {
  public:
    Planner(Size face, const std::vector<Rect>& regions, int margin, std::size_t bins, std::size_t max_bytes)
        : face_(face), regions_(regions), margin_(margin), bins_(bins), max_bytes_(max_bytes) {}

    std::vector<StagedJob> jobs() {
        for (std::size_t begin = 0; begin < regions_.size();) {
            const Range strip = strip_from(begin);
            begin = strip.end;
            if (!jobs_.empty() && joined(strip)) continue;
            if (!add(strip)) return {};
        }
        return std::move(jobs_);
    }

  private:
    // Regions side by side.
    Range strip_from(std::size_t begin) const {
        std::size_t end = begin + 1;
        while (end < regions_.size() && regions_[end].y == regions_[begin].y &&
               regions_[end].height == regions_[begin].height) {
            ++end;
        }
        return {begin, end};
    }

    bool fits(const StagedJob& job) const { return staged_bytes(job, bins_) <= max_bytes_; }

    bool joined(const Range& strip) {
        StagedJob& last = jobs_.back();
        StagedJob both = make_job(face_, regions_, {last.first_region, strip.end}, margin_);
        if (!fits(both) || area(both) > area(last) + area(make_job(face_, regions_, strip, margin_))) {
            return false;
        }
        last = std::move(both);
        return true;
    }

    // In as many jobs as it takes.
    bool add(const Range& range) {
        StagedJob job = make_job(face_, regions_, range, margin_);
        if (fits(job)) {
            jobs_.push_back(std::move(job));
            return true;
        }
        if (range.end - range.begin == 1) return false;
        const std::size_t middle = (range.begin + range.end) / 2;
        return add({range.begin, middle}) && add({middle, range.end});
    }

    Size face_;
    const std::vector<Rect>& regions_;
    int margin_;
    std::size_t bins_;
    std::size_t max_bytes_;
    std::vector<StagedJob> jobs_;
};

}  // namespace

int staged_stride(const Rect& window) {
    return static_cast<int>(align_up(static_cast<std::size_t>(window.width), 4));
}

std::size_t staged_bytes(const StagedJob& job, std::size_t bins) {
    const auto pixels = static_cast<std::size_t>(staged_stride(job.window)) * job.window.height;
    return sizeof(std::uint32_t) * (pixels + job.cells() * bins);
}

std::vector<StagedJob> staged_jobs(Size face, const std::vector<Rect>& regions, int margin, std::size_t bins,
                                   std::size_t max_bytes) {
    const auto planned = [&](std::size_t bytes) {
        return Planner(face, regions, margin, bins, bytes).jobs();
    };
    std::vector<StagedJob> jobs = planned(max_bytes);
    if (jobs.size() <= 1) return jobs;
    // The least room in which as few jobs do makes them alike, and leaves room for more blocks.
    constexpr std::size_t close_enough = 512;
    for (std::size_t too_few = 0, enough = max_bytes; enough - too_few > close_enough;) {
        const std::size_t bytes = (too_few + enough) / 2;
        std::vector<StagedJob> smaller = planned(bytes);
        if (smaller.size() == jobs.size()) {
            jobs = std::move(smaller);
            enough = bytes;
        } else {
            too_few = bytes;
        }
    }
    return jobs;
}

}  // namespace fovea
