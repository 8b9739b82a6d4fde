#include "lib/evaluate/tracks/track_statistics.hpp"

namespace fovea {
namespace {

template <ByLevel HotaNumbers::*member>
double mean_level(const TrackNumbers& numbers) {
    return mean_of_levels(numbers.hota.*member);
}

template <ByLevel HotaNumbers::*member>
double first_level(const TrackNumbers& numbers) {
    return (numbers.hota.*member)[0];
}

template <double ClearNumbers::*member>
double of_clear(const TrackNumbers& numbers) {
    return numbers.clear.*member;
}

template <double IdentityNumbers::*member>
double of_identity(const TrackNumbers& numbers) {
    return numbers.identity.*member;
}

}  // namespace

const std::vector<TrackQuantity>& track_quantities() {
    using H = HotaNumbers;
    using C = ClearNumbers;
    using I = IdentityNumbers;
    static const std::vector<TrackQuantity> list{
        {"hota", "HOTA", "mean over IoU thresholds of √(DetA · AssA)", Better::higher, Unit::share,
         mean_level<&H::hota>, true},
        {"det_a", "DetA", "mean over thresholds of TP / (TP + FN + FP)", Better::higher, Unit::share,
         mean_level<&H::det_a>, true},
        {"ass_a", "AssA",
         "mean over thresholds and boxes found of TPA / (TPA + FNA + FPA): frames that both tracks share, "
         "over those of either",
         Better::higher, Unit::share, mean_level<&H::ass_a>, true},
        {"det_re", "DetRe", "mean over thresholds of TP / (TP + FN)", Better::higher, Unit::share,
         mean_level<&H::det_re>},
        {"det_pr", "DetPr", "mean over thresholds of TP / (TP + FP)", Better::higher, Unit::share,
         mean_level<&H::det_pr>},
        {"ass_re", "AssRe", "as AssA: TPA / (TPA + FNA)", Better::higher, Unit::share,
         mean_level<&H::ass_re>},
        {"ass_pr", "AssPr", "as AssA: TPA / (TPA + FPA)", Better::higher, Unit::share,
         mean_level<&H::ass_pr>},
        {"loc_a", "LocA", "mean over thresholds of the mean IoU of the pairs", Better::higher, Unit::share,
         mean_level<&H::loc_a>},
        {"owta", "OWTA", "mean over thresholds of √(DetRe · AssA)", Better::higher, Unit::share,
         mean_level<&H::owta>},
        {"hota_0", "HOTA(0)", "HOTA at an IoU of 0.05", Better::higher, Unit::share, first_level<&H::hota>},
        {"loc_a_0", "LocA(0)", "LocA at an IoU of 0.05", Better::higher, Unit::share, first_level<&H::loc_a>},
        {"hota_loc_a_0", "HOTALocA(0)", "HOTA(0) · LocA(0)", Better::higher, Unit::share,
         [](const TrackNumbers& n) { return n.hota.hota[0] * n.hota.loc_a[0]; }},
        {"mota", "MOTA", "1 − (FN + FP + switches) / true boxes; can be below 0", Better::higher, Unit::share,
         of_clear<&C::mota>, true},
        {"motp", "MOTP", "mean IoU of the pairs of CLEAR", Better::higher, Unit::share, of_clear<&C::motp>},
        {"moda", "MODA", "1 − (FN + FP) / true boxes", Better::higher, Unit::share, of_clear<&C::moda>},
        {"recall", "Recall", "boxes found over true boxes, at the IoU threshold", Better::higher, Unit::share,
         of_clear<&C::recall>},
        {"precision", "Precision", "boxes found over boxes of the results", Better::higher, Unit::share,
         of_clear<&C::precision>},
        {"f1", "F1", "TP / (TP + ½ FN + ½ FP)", Better::higher, Unit::share, of_clear<&C::f1>},
        {"smota", "sMOTA", "as MOTA with the sum of IoUs in the place of TP", Better::higher, Unit::share,
         of_clear<&C::smota>},
        {"motal", "MOTAL", "as MOTA with log10 of the switches", Better::higher, Unit::share,
         of_clear<&C::motal>},
        {"false_positives_per_frame", "False positives per frame", "boxes of no face over frames",
         Better::lower, Unit::number, of_clear<&C::fp_per_frame>},
        {"mostly_tracked_rate", "Mostly tracked", "true tracks found in more than 80 % of their frames",
         Better::higher, Unit::share, of_clear<&C::mostly_tracked_rate>},
        {"partly_tracked_rate", "Partly tracked", "the other true tracks", Better::neither, Unit::share,
         of_clear<&C::partly_tracked_rate>},
        {"mostly_lost_rate", "Mostly lost", "true tracks found in less than 20 % of their frames",
         Better::lower, Unit::share, of_clear<&C::mostly_lost_rate>},
        {"idf1", "IDF1", "2 IDTP / (true boxes + boxes of the results)", Better::higher, Unit::share,
         of_identity<&I::idf1>, true},
        {"idr", "IDR", "IDTP over true boxes", Better::higher, Unit::share, of_identity<&I::recall>},
        {"idp", "IDP", "IDTP over boxes of the results", Better::higher, Unit::share,
         of_identity<&I::precision>},
    };
    return list;
}

Numbers track_estimates(const TrackNumbers& numbers) {
    Numbers estimates;
    for (const TrackQuantity& quantity : track_quantities()) {
        Number& estimate = estimates.emplace_back();
        estimate.quantity = {quantity.key,     quantity.name, quantity.definition,
                             quantity.better,  quantity.unit, 0,
                             quantity.headline};
        estimate.value = quantity.value(numbers);
    }
    return estimates;
}

}  // namespace fovea
