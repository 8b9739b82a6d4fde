#include "lib/report/tracks/track_timeline.hpp"

#include <algorithm>
#include <limits>

namespace fovea::report {
namespace {

constexpr std::uint32_t no_span = std::numeric_limits<std::uint32_t>::max();

/// Makes spans of single frames, which come by rising frame.
class SpanBuilder {
  public:
    explicit SpanBuilder(std::size_t truths) : open_(truths, no_span) {}

    void add(std::uint32_t truth, std::uint32_t result, std::uint32_t frame) {
        std::uint32_t& open = open_[truth];
        if (open != no_span && spans[open].last + 1 == frame && spans[open].result == result) {
            spans[open].last = frame;
            return;
        }
        open = static_cast<std::uint32_t>(spans.size());
        spans.push_back({truth, result, frame, frame});
    }

    std::vector<TimelineSpan> spans;

  private:
    std::vector<std::uint32_t> open_;
};

}  // namespace

Timeline timeline_of(const VideoEvaluation& video) {
    const PreparedVideo& prepared = video.prepared;
    const std::size_t truths = prepared.truth_tracks.size();
    SpanBuilder seen(truths), found(truths);
    for (std::size_t i = 0; i < prepared.frames; ++i) {
        for (const std::uint32_t truth : frame_of(prepared, i).truths)
            seen.add(truth, 0, static_cast<std::uint32_t>(i));
    }
    Timeline timeline;
    std::vector<std::uint32_t> last(truths, 0);
    for (const ClearMatch& match : video.clear_matches) {
        const TrackPair& pair = prepared.pairs[match.pair];
        found.add(pair.truth, pair.result, match.frame);
        if (match.is_switch)
            timeline.switches.push_back({match.frame, pair.truth, last[pair.truth], pair.result});
        last[pair.truth] = pair.result;
    }
    timeline.seen = std::move(seen.spans);
    timeline.found = std::move(found.spans);
    return timeline;
}

std::vector<OverlapPoint> overlap_over_time(const VideoEvaluation& video, std::size_t most) {
    const std::size_t frames = video.prepared.frames;
    const std::size_t count = std::min(frames, most);
    std::vector<double> truths(count, 0), pairs(count, 0), ious(count, 0);
    const auto stretch_of = [&](std::size_t frame) { return frame * count / frames; };
    for (std::size_t i = 0; i < frames; ++i)
        truths[stretch_of(i)] += static_cast<double>(frame_of(video.prepared, i).truths.size());
    for (const ClearMatch& match : video.clear_matches) {
        ++pairs[stretch_of(match.frame)];
        ious[stretch_of(match.frame)] += match.iou;
    }
    std::vector<OverlapPoint> points(count);
    for (std::size_t i = 0; i < frames; ++i) {
        OverlapPoint& point = points[stretch_of(i)];
        // The frames come one by one: the mean of the first and last.
        const double number = static_cast<double>(video.frames[i]);
        if (i == 0 || stretch_of(i) != stretch_of(i - 1)) point.frame = number;
        const bool is_last = i + 1 == frames || stretch_of(i) != stretch_of(i + 1);
        if (is_last) point.frame = (point.frame + number) / 2;
    }
    for (std::size_t i = 0; i < count; ++i) {
        points[i].has_truth = truths[i] > 0;
        points[i].has_pairs = pairs[i] > 0;
        if (truths[i] > 0) points[i].found = pairs[i] / truths[i];
        if (pairs[i] > 0) points[i].mean_iou = ious[i] / pairs[i];
    }
    return points;
}

}  // namespace fovea::report
