#include <cstdlib>

#include "lib/evaluate/tracks/motmetrics.hpp"
#include "tests/lib/evaluate/tracks/perturbed_tracks.hpp"
#include "tests/lib/evaluate/tracks/small_tracks.hpp"

using namespace fovea;
using namespace fovea::track_tests;

namespace {

/// Numbers of TrackEval 1.3.0 (numpy 2.4.6, scipy 1.17.1), which read the same boxes as MOTChallenge's text.
struct ReferenceNumbers {
    const char* video;
    double hota, det_a, ass_a, loc_a, iou_sum;
    int tp, fp, switches, fragments, mostly_tracked, partly_tracked, idtp;
    double mota, idf1;
};

TrackNumbers strict_numbers(const PreparedVideo& video) {
    TrackNumbers numbers;
    numbers.hota = evaluate_hota(video, TrackMode::strict).numbers;
    numbers.clear = evaluate_clear(video, 0.5, TrackMode::strict).numbers;
    numbers.identity = evaluate_identity(video, 0.5, TrackMode::strict);
    numbers.counts = count_tracks(video);
    return numbers;
}

// Every digit.
void check_equal(const TrackNumbers& numbers, const ReferenceNumbers& reference) {
    INFO(reference.video);
    CHECK(mean_of_levels(numbers.hota.hota) == reference.hota);
    CHECK(mean_of_levels(numbers.hota.det_a) == reference.det_a);
    CHECK(mean_of_levels(numbers.hota.ass_a) == reference.ass_a);
    CHECK(mean_of_levels(numbers.hota.loc_a) == reference.loc_a);
    CHECK(numbers.clear.iou_sum == reference.iou_sum);
    CHECK(numbers.clear.tp == reference.tp);
    CHECK(numbers.clear.fp == reference.fp);
    CHECK(numbers.clear.switches == reference.switches);
    CHECK(numbers.clear.fragments == reference.fragments);
    CHECK(numbers.clear.mostly_tracked == reference.mostly_tracked);
    CHECK(numbers.clear.partly_tracked == reference.partly_tracked);
    CHECK(numbers.identity.tp == reference.idtp);
    CHECK(numbers.clear.mota == reference.mota);
    CHECK(numbers.identity.idf1 == reference.idf1);
}

}  // namespace

TEST_CASE("crowds with many ties: the numbers of TrackEval, digit by digit", "[evaluate][tracks]") {
    const std::vector<ReferenceNumbers> references{
        {"c13", 0.05340218728395937, 0.09508798599047574, 0.033640511277366635, 0.6334911910310504,
         5.663770328836051, 9, 128, 4, 3, 0, 0, 4, -0.968503937007874, 0.030303030303030304},
        {"c14", 0.011218422002325082, 0.010833100062862464, 0.013044819964128943, 0.7112204010569985, 0, 0,
         158, 0, 0, 0, 0, 0, -1.0463576158940397, 0},
        {"c25", 0.0865342211257244, 0.2712346002232474, 0.034321425126739066, 0.6560013179060457,
         295.68912272978685, 491, 915, 418, 322, 0, 63, 108, -0.6349924585218703, 0.07906295754026355},
        {"c28", 0.04399133326693125, 0.11149861092039222, 0.025888127402729798, 0.6335584055275076,
         85.61304972887999, 143, 1497, 74, 69, 0, 4, 64, -0.9327237099934683, 0.040365815200252286},
    };
    const std::vector<TrackVideo> videos{crowded_video(13, 30, 6, 20), crowded_video(14, 30, 7, 60),
                                         crowded_video(25, 30, 65, 20), crowded_video(28, 30, 74, 60)};
    for (std::size_t i = 0; i < videos.size(); ++i)
        check_equal(strict_numbers(prepare_video(videos[i])), references[i]);
}

TEST_CASE("crowds with many ties: the numbers of motmetrics", "[evaluate][tracks]") {
    const MotmetricsNumbers numbers = evaluate_motmetrics(prepare_video(crowded_video(110, 13, 11, 16)), 0.5);
    // motmetrics 1.4.0 with scipy 1.17.1.
    CHECK(numbers.matches == 10);
    CHECK(numbers.switches == 5);
    CHECK(numbers.misses == 86);
    CHECK(numbers.false_positives == 87);
    CHECK(numbers.transfers == 5);
    CHECK(numbers.ascends == 3);
    CHECK(numbers.migrates == 3);
    CHECK(numbers.partly_tracked == 3);
    CHECK(numbers.mostly_lost == 8);
    CHECK(numbers.fragments == 4);
    CHECK(numbers.mota == -0.7623762376237624);
    CHECK(numbers.motp == 0.4193720988145671);
    CHECK(numbers.idf1 == 0.09852216748768473);
}

TEST_CASE("ten sequences with 81,285 boxes: the numbers of TrackEval and motmetrics, digit by digit",
          "[evaluate][tracks][data]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const std::vector<ReferenceNumbers> references{
        {"bengal", 0.3583428898104348, 0.45474979327489473, 0.282794771794269, 0.7011071268157866,
         2619.80310167617, 4071, 1536, 53, 1311, 0, 36, 2591, 0.40416870216577105, 0.4410963568266939},
        {"choke1", 0.3601757767117767, 0.4549262452382561, 0.28543481805464027, 0.7008990017464951,
         3394.693732038759, 5278, 1984, 93, 1572, 0, 24, 3585, 0.40616673011039206, 0.47348609918774354},
        {"choke2", 0.34286976457835083, 0.4611028949625666, 0.2552942190732209, 0.7010658326598296,
         3677.2931085230275, 5733, 2157, 86, 1849, 0, 26, 3134, 0.41015395463626747, 0.38221842795292393},
        {"shibuya", 0.40632271326829805, 0.46367072516631064, 0.3565057325341793, 0.7026719088866301,
         3026.2342918458494, 4723, 1735, 58, 1559, 6, 85, 3718, 0.4273005687618492, 0.5584678933533609},
        {"sidewalk", 0.3485755015792093, 0.4499413608638038, 0.2705187709207816, 0.7021961919614478,
         2946.9400723744125, 4597, 1635, 60, 1469, 4, 29, 2804, 0.4197280879375181, 0.42659364065114863},
        {"street", 0.35615869762882607, 0.41836661064600933, 0.30351263566304804, 0.7025545577616934,
         1539.2249656506478, 2392, 1340, 52, 762, 0, 31, 1646, 0.27831895352073477, 0.449419795221843},
        {"terminal_1", 0.39234051237094303, 0.44016592964575735, 0.35070468258384346, 0.7002321726273094,
         4437.507545958351, 6908, 3100, 96, 2190, 5, 142, 5294, 0.3659305993690852, 0.5254069075029774},
        {"terminal_2", 0.403767141289347, 0.44199409798382455, 0.3694297845959936, 0.7016510404510657,
         3838.9829663543346, 5985, 2668, 88, 1942, 11, 127, 4847, 0.3667234525837592, 0.5552755183869859},
        {"terminal_3", 0.4116220779787444, 0.44657021111186207, 0.38017556921367723, 0.6985936904336524,
         1465.481794778867, 2282, 1004, 34, 783, 1, 57, 1891, 0.3680473372781065, 0.5673567356735674},
        {"terminal_4", 0.40025612401250593, 0.4385097978538422, 0.3663385065423763, 0.7019343629859768,
         2176.8502635000514, 3391, 1472, 65, 1154, 15, 109, 2722, 0.3636720282463711, 0.5465314727437004},
        {"COMBINED_SEQ", 0.378448564500022, 0.44825168105233426, 0.32008959598374337, 0.7006518987341144,
         29123.011842700475, 45360, 18631, 685, 14591, 42, 666, 32232, 0.38685719378509253,
         0.49091864476479863},
    };
    const std::filesystem::path folder = std::filesystem::path(data) / "video" / "ltft-annotations";
    std::vector<TrackNumbers> all;
    std::vector<MotmetricsNumbers> motmetrics;
    std::size_t boxes = 0;
    for (std::size_t i = 0; i + 1 < references.size(); ++i) {
        const TrackVideo video =
            perturbed_video(folder / (references[i].video + std::string(".txt")), std::uint64_t{i + 1} << 32);
        boxes += video.truth.size();
        const PreparedVideo prepared_video = prepare_video(video);
        all.push_back(strict_numbers(prepared_video));
        motmetrics.push_back(evaluate_motmetrics(prepared_video, 0.5));
        check_equal(all.back(), references[i]);
    }
    CHECK(boxes == 81'285);
    check_equal(combine(all), references.back());
    const MotmetricsNumbers overall = combine(motmetrics);
    CHECK(overall.matches == 44675);
    CHECK(overall.switches == 685);
    CHECK(overall.transfers == 2);
    CHECK(overall.ascends == 425);
    CHECK(overall.mostly_tracked == 46);
    CHECK(overall.fragments == 14445);
    CHECK(overall.mota == 0.38685719378509253);
    CHECK(overall.motp == 0.35795829270942525);
    CHECK(overall.idf1 == 0.49091864476479863);
}
