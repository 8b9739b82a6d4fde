#include "lib/evaluate/tracks/motmetrics.hpp"
#include "tests/lib/evaluate/tracks/small_tracks.hpp"

using namespace fovea;
using namespace fovea::track_tests;
using Catch::Matchers::Contains;

namespace {

const Frames nothing(4);

Frames one_track(std::size_t frames) {
    return Frames(frames, {at(1, 0)});
}

bool are_all(const ByLevel& values, double expected) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value == Approx(expected).epsilon(1e-12); });
}

}  // namespace

TEST_CASE("a switch of identity: HOTA, CLEAR and identity by hand", "[evaluate][tracks]") {
    const PreparedVideo video = prepared(one_track(4), {{at(1, 0)}, {at(1, 0)}, {at(2, 0)}, {at(2, 0)}});
    for (const TrackMode mode : both_modes) {
        const HotaNumbers hota = evaluate_hota(video, mode).numbers;
        CHECK(are_all(hota.det_a, 1));
        // Each box shares 2 of 4 frames with its track, and has no frame of its own.
        CHECK(are_all(hota.ass_a, 0.5));
        CHECK(are_all(hota.ass_re, 0.5));
        CHECK(are_all(hota.ass_pr, 1));
        CHECK(are_all(hota.hota, std::sqrt(0.5)));
        CHECK(are_all(hota.owta, std::sqrt(0.5)));
        CHECK(are_all(hota.loc_a, 1));
        const ClearResult clear = evaluate_clear(video, 0.5, mode);
        CHECK(clear.numbers.tp == 4);
        CHECK(clear.numbers.switches == 1);
        CHECK(clear.numbers.fragments == 0);
        CHECK(clear.numbers.mota == 0.75);
        CHECK(clear.numbers.smota == 0.75);
        CHECK(clear.numbers.motal == 1);  // log10 of 1 is 0
        CHECK(clear.numbers.moda == 1);
        CHECK(clear.numbers.motp == 1);
        CHECK(clear.numbers.f1 == 1);
        CHECK(clear.numbers.mostly_tracked == 1);
        REQUIRE(clear.matches.size() == 4);
        CHECK(clear.matches[2].is_switch);
        const IdentityNumbers identity = evaluate_identity(video, 0.5, mode);
        CHECK(identity.tp == 2);
        CHECK(identity.fn == 2);
        CHECK(identity.fp == 2);
        CHECK(identity.idf1 == 0.5);
        CHECK(identity.recall == 0.5);
        CHECK(identity.precision == 0.5);
    }
    const MotmetricsNumbers motmetrics = evaluate_motmetrics(video, 0.5);
    CHECK(motmetrics.switches == 1);
    CHECK(motmetrics.ascends == 1);
    CHECK(motmetrics.transfers == 0);
    CHECK(motmetrics.mota == 0.75);
    CHECK(motmetrics.motp == 0);
    CHECK(motmetrics.idf1 == 0.5);
}

TEST_CASE("a track that is lost and found again: a fragment", "[evaluate][tracks]") {
    // In the third frame there is a box of no face alone.
    const PreparedVideo video =
        prepared(one_track(5), {{at(1, 0)}, {at(1, 0)}, {at(9, 50)}, {at(1, 0)}, {at(1, 0)}});
    for (const TrackMode mode : both_modes) {
        const HotaNumbers hota = evaluate_hota(video, mode).numbers;
        CHECK(are_all(hota.det_a, 4.0 / 6));
        CHECK(are_all(hota.det_re, 0.8));
        CHECK(are_all(hota.det_pr, 0.8));
        CHECK(are_all(hota.ass_a, 0.8));
        CHECK(are_all(hota.hota, std::sqrt(4.0 / 6 * 0.8)));
        CHECK(are_all(hota.owta, 0.8));
        const ClearNumbers clear = evaluate_clear(video, 0.5, mode).numbers;
        CHECK(clear.tp == 4);
        CHECK(clear.fn == 1);
        CHECK(clear.fp == 1);
        CHECK(clear.fragments == 1);
        CHECK(clear.switches == 0);
        CHECK(clear.mota == Approx(0.6));
        CHECK(clear.recall == 0.8);
        CHECK(clear.precision == 0.8);
        CHECK(clear.fp_per_frame == Approx(0.2));
        CHECK(evaluate_identity(video, 0.5, mode).idf1 == 0.8);
    }
    CHECK(evaluate_motmetrics(video, 0.5).fragments == 1);
}

TEST_CASE("found in just 80 % of its frames a track is mostly tracked, but not for TrackEval",
          "[evaluate][tracks]") {
    const PreparedVideo video =
        prepared(one_track(5), {{at(1, 0)}, {at(1, 0)}, {at(9, 50)}, {at(1, 0)}, {at(1, 0)}});
    const ClearNumbers strict = evaluate_clear(video, 0.5, TrackMode::strict).numbers;
    CHECK(strict.mostly_tracked == 0);
    CHECK(strict.partly_tracked == 1);
    CHECK(strict.partly_tracked_rate == 1);
    const ClearNumbers corrected = evaluate_clear(video, 0.5, TrackMode::corrected).numbers;
    CHECK(corrected.mostly_tracked == 1);
    CHECK(corrected.mostly_tracked_rate == 1);
    CHECK(evaluate_motmetrics(video, 0.5).mostly_tracked == 1);
    // One of five: not mostly lost in either.
    const PreparedVideo lost = prepared(one_track(5), {{at(1, 0)}, {}, {}, {}, {}});
    for (const TrackMode mode : both_modes) {
        CHECK(evaluate_clear(lost, 0.5, mode).numbers.partly_tracked == 1);
        CHECK(evaluate_clear(lost, 0.5, mode).numbers.mostly_lost_rate == 0);
    }
}

TEST_CASE("a frame without boxes of results breaks a track, but not for TrackEval", "[evaluate][tracks]") {
    const PreparedVideo video = prepared(one_track(5), {{at(1, 0)}, {at(1, 0)}, {}, {at(1, 0)}, {at(1, 0)}});
    CHECK(evaluate_clear(video, 0.5, TrackMode::strict).numbers.fragments == 0);
    CHECK(evaluate_clear(video, 0.5, TrackMode::corrected).numbers.fragments == 1);
    CHECK(evaluate_motmetrics(video, 0.5).fragments == 1);
    // The true track goes on with its track of before the gap for TrackEval, with the nearer one else.
    const PreparedVideo choice = prepared(one_track(3), {{at(1, 0)}, {}, {at(1, 2), at(2, 0)}});
    CHECK(evaluate_clear(choice, 0.5, TrackMode::strict).numbers.switches == 0);
    CHECK(evaluate_clear(choice, 0.5, TrackMode::corrected).numbers.switches == 1);
}

TEST_CASE("a face that leaves and comes back is no fragment, but for TrackEval", "[evaluate][tracks]") {
    const Frames truth{{at(1, 0), at(2, 50)}, {at(2, 50)}, {at(1, 0), at(2, 50)}};
    const PreparedVideo video = prepared(truth, truth);
    CHECK(evaluate_clear(video, 0.5, TrackMode::strict).numbers.fragments == 1);
    CHECK(evaluate_clear(video, 0.5, TrackMode::corrected).numbers.fragments == 0);
    CHECK(evaluate_motmetrics(video, 0.5).fragments == 0);
}

TEST_CASE("a pair goes on while it overlaps enough, even if another box is nearer", "[evaluate][tracks]") {
    // IoU 8/12 with the first track, 1 with the second.
    const PreparedVideo video =
        prepared(one_track(3), {{at(1, 0)}, {at(1, 2), at(2, 0)}, {at(1, 2), at(2, 0)}});
    for (const TrackMode mode : both_modes) {
        const ClearNumbers clear = evaluate_clear(video, 0.5, mode).numbers;
        CHECK(clear.switches == 0);
        CHECK(clear.iou_sum == Approx(1 + 4.0 / 3));
        CHECK(clear.motp == Approx((1 + 4.0 / 3) / 3));
    }
    CHECK(evaluate_clear(video, 0.7, TrackMode::strict).numbers.switches == 1);
}

TEST_CASE("pairs count at the thresholds that their overlap reaches", "[evaluate][tracks]") {
    const PreparedVideo video = prepared(one_track(2), {{at(1, 2)}, {at(1, 2)}});  // IoU 2/3
    for (const TrackMode mode : both_modes) {
        const HotaNumbers hota = evaluate_hota(video, mode).numbers;
        for (std::size_t a = 0; a < hota_levels; ++a) {
            const bool reaches = a < 13;  // 0.05 to 0.65
            CHECK(hota.tp[a] == (reaches ? 2 : 0));
            CHECK(hota.fn[a] == (reaches ? 0 : 2));
            CHECK(hota.hota[a] == (reaches ? 1 : 0));
            CHECK(hota.loc_a[a] == Approx(reaches ? 2.0 / 3 : 1));
        }
        CHECK(mean_of_levels(hota.hota) == Approx(13.0 / 19));
    }
    // An overlap of just the threshold counts: 5 of 10 pixels.
    TrackVideo half;
    half.truth = by_frame({{at(1, 0)}});
    half.results = by_frame({{{1, {0, 0, 10, 5}, TruthUse::counts}}});
    const PreparedVideo exact = prepare_video(half);
    CHECK(evaluate_hota(exact, TrackMode::strict).numbers.tp[9] == 1);
    CHECK(evaluate_hota(exact, TrackMode::strict).numbers.tp[10] == 0);
    CHECK(evaluate_clear(exact, 0.5, TrackMode::strict).numbers.tp == 1);
    CHECK(evaluate_identity(exact, 0.5, TrackMode::strict).tp == 1);
}

TEST_CASE("HOTA pairs anew at each threshold, but for TrackEval", "[evaluate][tracks]") {
    // Nine frames bind the true track to track 1; in the tenth that overlaps by 1/3, another by 0.6.
    Frames results(9, {at(1, 0)});
    results.push_back({at(1, 5), at(2, 2.5)});
    const PreparedVideo video = prepared(one_track(10), results);
    const HotaNumbers strict = evaluate_hota(video, TrackMode::strict).numbers;
    CHECK(strict.tp[5] == 10);  // 0.3
    CHECK(strict.tp[6] == 9);   // 0.35
    CHECK(strict.fp[6] == 2);
    const HotaNumbers corrected = evaluate_hota(video, TrackMode::corrected).numbers;
    CHECK(corrected.tp[5] == 10);
    CHECK(corrected.tp[6] == 10);
    CHECK(corrected.tp[11] == 10);  // 0.6
    CHECK(corrected.tp[12] == 9);
    // Below 1/3 the pair of the better association is taken, as in the other mode.
    CHECK(corrected.ass_a[5] == strict.ass_a[5]);
}

TEST_CASE("a video without results, and one without true tracks", "[evaluate][tracks]") {
    const PreparedVideo without_results = prepared(one_track(4), nothing);
    const HotaNumbers hota = evaluate_hota(without_results, TrackMode::strict).numbers;
    CHECK(are_all(hota.fn, 4));
    CHECK(are_all(hota.hota, 0));
    CHECK(are_all(hota.loc_a, 1));
    ClearNumbers clear = evaluate_clear(without_results, 0.5, TrackMode::strict).numbers;
    CHECK(clear.fn == 4);
    CHECK(clear.mostly_lost == 1);
    CHECK(clear.mostly_lost_rate == 1);
    CHECK(clear.frames == 0);  // TrackEval's
    clear = evaluate_clear(without_results, 0.5, TrackMode::corrected).numbers;
    CHECK(clear.mostly_lost_rate == 1);
    CHECK(clear.frames == 4);
    CHECK(evaluate_identity(without_results, 0.5, TrackMode::strict).fn == 4);

    const PreparedVideo without_truth = prepared(nothing, one_track(4));
    CHECK(are_all(evaluate_hota(without_truth, TrackMode::corrected).numbers.fp, 4));
    clear = evaluate_clear(without_truth, 0.5, TrackMode::strict).numbers;
    CHECK(clear.fp == 4);
    CHECK(clear.fp_per_frame == 0);  // TrackEval's
    CHECK(clear.mostly_lost_rate == 1);
    clear = evaluate_clear(without_truth, 0.5, TrackMode::corrected).numbers;
    CHECK(clear.fp_per_frame == 1);
    CHECK(clear.mostly_lost_rate == 0);
    CHECK(evaluate_identity(without_truth, 0.5, TrackMode::strict).fp == 4);

    const PreparedVideo empty = prepared(nothing, nothing);
    for (const TrackMode mode : both_modes) {
        CHECK(are_all(evaluate_hota(empty, mode).numbers.hota, 0));
        CHECK(evaluate_clear(empty, 0.5, mode).numbers.mota == 0);
        CHECK(evaluate_identity(empty, 0.5, mode).idf1 == 0);
    }
    CHECK(std::isnan(evaluate_motmetrics(empty, 0.5).mota));
    CHECK(prepared({}, {}).frames == 0);
}

TEST_CASE("what is found on an ignored face is neither right nor wrong", "[evaluate][tracks]") {
    const PreparedVideo ignored =
        prepared({{at(1, 0), at(2, 50, TruthUse::ignored)}}, {{at(1, 0), at(2, 52), at(3, 90)}});
    CHECK(ignored.truth_tracks == std::vector<std::int64_t>{1});
    CHECK(ignored.result_tracks == std::vector<std::int64_t>{1, 3});
    CHECK(evaluate_clear(ignored, 0.5, TrackMode::strict).numbers.fp == 1);
    // Left out, it leaves a false positive.
    const PreparedVideo left_out =
        prepared({{at(1, 0), at(2, 50, TruthUse::left_out)}}, {{at(1, 0), at(2, 52), at(3, 90)}});
    CHECK(evaluate_clear(left_out, 0.5, TrackMode::strict).numbers.fp == 2);
    // A box that fits a face that counts better stays with it.
    const PreparedVideo shared = prepared({{at(1, 0), at(2, 3, TruthUse::ignored)}}, {{at(7, 1)}});
    CHECK(evaluate_clear(shared, 0.5, TrackMode::strict).numbers.tp == 1);
    // IoU 1/3: too little to be ignored for.
    const PreparedVideo apart = prepared({{at(2, 50, TruthUse::ignored)}}, {{at(7, 55)}});
    CHECK(apart.results.size() == 1);
}

TEST_CASE("boxes without area overlap with nothing", "[evaluate][tracks]") {
    TrackVideo video;
    video.truth = by_frame({{{1, {0, 0, 0, 10}, TruthUse::counts}, at(2, 20)}});
    video.results = by_frame({{{1, {0, 0, 0, 10}, TruthUse::counts}, at(2, 20)}});
    const PreparedVideo prepared_video = prepare_video(video);
    CHECK(prepared_video.overlaps.size() == 1);
    CHECK(evaluate_clear(prepared_video, 0.5, TrackMode::strict).numbers.tp == 1);
}

TEST_CASE("a track with two boxes in a frame is refused", "[evaluate][tracks]") {
    CHECK_THROWS_WITH(prepared({{at(1, 0), at(1, 50)}}, {{}}),
                      Contains("'clip', frame 1") && Contains("true track 1 has two boxes"));
    CHECK_THROWS_WITH(prepared({{}, {}}, {{}, {at(5, 0), at(5, 9)}}),
                      Contains("frame 2") && Contains("the results' track 5"));
}

TEST_CASE("motmetrics: a result's track that goes to another face is a transfer", "[evaluate][tracks]") {
    const PreparedVideo video =
        prepared({{at(1, 0), at(2, 50)}, {at(1, 0), at(2, 50)}}, {{at(1, 0)}, {at(1, 50)}});
    const MotmetricsNumbers numbers = evaluate_motmetrics(video, 0.5);
    CHECK(numbers.transfers == 1);
    CHECK(numbers.migrates == 1);
    CHECK(numbers.switches == 0);
    CHECK(numbers.misses == 2);
    CHECK(numbers.precision == 1);
    CHECK(numbers.recall == 0.5);
    // After a gap a pair goes on for motmetrics; for TrackEval only from one frame to the next.
    const PreparedVideo gap = prepared(one_track(3), {{at(1, 0)}, {at(9, 50)}, {at(1, 2), at(2, 0)}});
    CHECK(evaluate_motmetrics(gap, 0.5).switches == 0);
    CHECK(evaluate_clear(gap, 0.5, TrackMode::strict).numbers.switches == 1);
}

TEST_CASE("several videos are added up, associations by the boxes found", "[evaluate][tracks]") {
    std::vector<TrackNumbers> videos(2);
    const PreparedVideo good = prepared(one_track(4), one_track(4));
    const PreparedVideo switched = prepared(one_track(2), {{at(1, 0)}, {at(2, 0)}});
    for (std::size_t i = 0; i < 2; ++i) {
        const PreparedVideo& video = i == 0 ? good : switched;
        videos[i].hota = evaluate_hota(video, TrackMode::strict).numbers;
        videos[i].clear = evaluate_clear(video, 0.5, TrackMode::strict).numbers;
        videos[i].identity = evaluate_identity(video, 0.5, TrackMode::strict);
        videos[i].counts = count_tracks(video);
    }
    const TrackNumbers all = combine(videos);
    CHECK(are_all(all.hota.tp, 6));
    CHECK(are_all(all.hota.ass_a, (4 * 1.0 + 2 * 0.5) / 6));
    CHECK(all.clear.mota == Approx(5.0 / 6));
    CHECK(all.identity.tp == 5);
    CHECK(all.counts.truth_tracks == 2);
    // The second video three times, the first not at all.
    const std::vector<std::uint16_t> weights{0, 3};
    const TrackNumbers weighted = combine(videos, weights);
    CHECK(are_all(weighted.hota.ass_a, 0.5));
    CHECK(weighted.clear.mota == 0.5);
    CHECK(weighted.counts.frames == 6);
}
