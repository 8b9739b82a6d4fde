#include "lib/evaluate/tracks/track_numbers.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/statistics/numpy_sum.hpp"

namespace fovea {
namespace {

double at_least_one(double count) {
    return std::max(1.0, count);
}

/// The mean is 1 if nothing was found.
double mean_overlap(double sum, double count) {
    return std::max(1e-10, sum) / std::max(1e-10, count);
}

void add(const HotaNumbers& video, double weight, HotaNumbers& all) {
    for (std::size_t a = 0; a < hota_levels; ++a) {
        const double found = video.tp[a] * weight;
        all.tp[a] += found;
        all.fn[a] += video.fn[a] * weight;
        all.fp[a] += video.fp[a] * weight;
        all.ass_a[a] += video.ass_a[a] * found;
        all.ass_re[a] += video.ass_re[a] * found;
        all.ass_pr[a] += video.ass_pr[a] * found;
        all.loc_a[a] += video.loc_a[a] * found;
    }
}

void add(const TrackNumbers& video, double weight, TrackNumbers& all) {
    add(video.hota, weight, all.hota);
    for (const auto member :
         {&ClearNumbers::tp, &ClearNumbers::fn, &ClearNumbers::fp, &ClearNumbers::switches,
          &ClearNumbers::mostly_tracked, &ClearNumbers::partly_tracked, &ClearNumbers::mostly_lost,
          &ClearNumbers::fragments, &ClearNumbers::frames, &ClearNumbers::iou_sum}) {
        all.clear.*member += video.clear.*member * weight;
    }
    for (const auto member : {&IdentityNumbers::tp, &IdentityNumbers::fn, &IdentityNumbers::fp})
        all.identity.*member += video.identity.*member * weight;
    for (const auto member : {&TrackCounts::frames, &TrackCounts::truth_boxes, &TrackCounts::result_boxes,
                              &TrackCounts::truth_tracks, &TrackCounts::result_tracks}) {
        all.counts.*member += video.counts.*member * weight;
    }
}

}  // namespace

double mean_of_levels(const ByLevel& values) {
    return numpy_sum(values) / static_cast<double>(hota_levels);
}

void complete(HotaNumbers& n) {
    for (std::size_t a = 0; a < hota_levels; ++a) {
        n.det_re[a] = n.tp[a] / at_least_one(n.tp[a] + n.fn[a]);
        n.det_pr[a] = n.tp[a] / at_least_one(n.tp[a] + n.fp[a]);
        n.det_a[a] = n.tp[a] / at_least_one(n.tp[a] + n.fn[a] + n.fp[a]);
        n.hota[a] = std::sqrt(n.det_a[a] * n.ass_a[a]);
        n.owta[a] = std::sqrt(n.det_re[a] * n.ass_a[a]);
    }
}

void complete(ClearNumbers& n) {
    const double tracks = at_least_one(n.mostly_tracked + n.mostly_lost + n.partly_tracked);
    const double truths = at_least_one(n.tp + n.fn);
    n.mostly_tracked_rate = n.mostly_tracked / tracks;
    n.mostly_lost_rate = n.mostly_lost / tracks;
    n.partly_tracked_rate = n.partly_tracked / tracks;
    n.recall = n.tp / truths;
    n.precision = n.tp / at_least_one(n.tp + n.fp);
    n.moda = (n.tp - n.fp) / truths;
    n.mota = (n.tp - n.fp - n.switches) / truths;
    n.motp = n.iou_sum / at_least_one(n.tp);
    n.smota = (n.iou_sum - n.fp - n.switches) / truths;
    n.f1 = n.tp / at_least_one(n.tp + 0.5 * n.fn + 0.5 * n.fp);
    n.fp_per_frame = n.fp / at_least_one(n.frames);
    const double damped = n.switches > 0 ? std::log10(n.switches) : n.switches;
    n.motal = (n.tp - n.fp - damped) / truths;
}

void complete(IdentityNumbers& n) {
    n.recall = n.tp / at_least_one(n.tp + n.fn);
    n.precision = n.tp / at_least_one(n.tp + n.fp);
    n.idf1 = n.tp / at_least_one(n.tp + 0.5 * n.fp + 0.5 * n.fn);
}

TrackNumbers combine(std::span<const TrackNumbers> videos, std::span<const std::uint16_t> weights) {
    TrackNumbers all;
    for (std::size_t i = 0; i < videos.size(); ++i) add(videos[i], weights.empty() ? 1 : weights[i], all);
    for (std::size_t a = 0; a < hota_levels; ++a) {
        all.hota.ass_a[a] /= at_least_one(all.hota.tp[a]);
        all.hota.ass_re[a] /= at_least_one(all.hota.tp[a]);
        all.hota.ass_pr[a] /= at_least_one(all.hota.tp[a]);
        all.hota.loc_a[a] = mean_overlap(all.hota.loc_a[a], all.hota.tp[a]);
    }
    complete(all.hota);
    complete(all.clear);
    complete(all.identity);
    return all;
}

}  // namespace fovea
