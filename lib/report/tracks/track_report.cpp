#include "lib/report/tracks/track_report.hpp"

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/json/json.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/numbers_csv.hpp"
#include "lib/report/tracks/track_content.hpp"
#include "lib/report/tracks/track_timeline.hpp"

namespace fovea {
namespace {

using namespace report;
using TrackEvaluations = std::vector<TrackEvaluation>;

std::vector<std::string> tracker_names(const TrackEvaluations& evaluations) {
    std::vector<std::string> given;
    for (const TrackEvaluation& evaluation : evaluations) given.push_back(evaluation.name);
    return unique_names(given, "tracker");
}

Json trackers_json(const TrackEvaluations& evaluations, const std::vector<std::string>& names,
                   const std::vector<TrackComparison>& comparisons) {
    Json json;
    json["tracks"] = track_evaluation_to_json(evaluations[0]);
    if (evaluations.size() == 1) return json;
    json["trackers"] = Json::array();
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        json["trackers"].push_back(
            {{"name", names[i]}, {"tracks", track_evaluation_to_json(evaluations[i])}});
    }
    json["differences"] = track_comparisons_to_json(comparisons);
    return json;
}

std::string thresholds_csv(const TrackEvaluations& evaluations, const std::vector<std::string>& names) {
    CsvRows csv({"tracker", "video", "iou", "hota", "det_a", "ass_a", "det_re", "det_pr", "ass_re", "ass_pr",
                 "loc_a", "owta", "true_positives", "false_negatives", "false_positives"});
    const auto add = [&](const std::string& tracker, const std::string& video, const HotaNumbers& n) {
        for (std::size_t a = 0; a < hota_levels; ++a) {
            csv.text(tracker).text(video).number(static_cast<double>(5 * (a + 1)) / 100);
            for (const double value :
                 {n.hota[a], n.det_a[a], n.ass_a[a], n.det_re[a], n.det_pr[a], n.ass_re[a], n.ass_pr[a],
                  n.loc_a[a], n.owta[a], n.tp[a], n.fn[a], n.fp[a]}) {
                csv.number(value);
            }
            csv.end_row();
        }
    };
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        add(names[i], "", evaluations[i].numbers.hota);
        for (const VideoEvaluation& video : evaluations[i].videos)
            add(names[i], video.name, video.numbers.hota);
    }
    return csv.bytes();
}

std::string switches_csv(const TrackEvaluations& evaluations, const std::vector<std::string>& names) {
    CsvRows csv({"tracker", "video", "frame", "truth", "before", "after"});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        for (const VideoEvaluation& video : evaluations[i].videos) {
            for (const IdentitySwitch& change : timeline_of(video).switches) {
                csv.text(names[i]).text(video.name);
                for (const std::int64_t number :
                     {video.frames[change.frame], video.prepared.truth_tracks[change.truth],
                      video.prepared.result_tracks[change.before],
                      video.prepared.result_tracks[change.after]}) {
                    csv.number(static_cast<double>(number));
                }
                csv.end_row();
            }
        }
    }
    return csv.bytes();
}

class TrackPart : public ReportPart {
  public:
    TrackPart(const Dataset& dataset, const TrackEvaluations& evaluations)
        : trackers_{dataset, evaluations, tracker_names(evaluations), {}} {
        trackers_.comparisons = compare_trackers(evaluations, trackers_.names);
    }

    std::string subject() const override { return "tracks"; }
    std::string competitors() const override { return "trackers"; }
    const std::vector<std::string>& names() const override { return trackers_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        const TrackEvaluations& evaluations = trackers_.evaluations;
        json["dataset"]["faces"] = evaluations[0].numbers.counts.truth_boxes;
        json.update(trackers_json(evaluations, trackers_.names, trackers_.comparisons));
        files.add("numbers.csv", numbers_csv(json, "tracker", "tracks", trackers_.names[0]));
        files.add("thresholds.csv", thresholds_csv(evaluations, trackers_.names));
        files.add("switches.csv", switches_csv(evaluations, trackers_.names));
    }

    PartContent content(StagedFiles&) const override { return track_content(trackers_); }

  private:
    TrackersCompared trackers_;
};

}  // namespace

std::vector<Table> track_summary(const TrackEvaluations& evaluations) {
    // Further videos are in report.json alone.
    constexpr std::size_t max_videos = 30;
    const std::vector<std::string> names = tracker_names(evaluations);
    std::vector<Table> tables{tracker_table(evaluations, names)};
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (evaluations[i].videos.size() < 2 || evaluations[i].videos.size() > max_videos) continue;
        tables.push_back(track_video_table(evaluations[i]));
        tables.back().title = names[i];
    }
    for (const TrackComparison& comparison : compare_trackers(evaluations, names))
        tables.push_back(track_difference_table(comparison));
    return tables;
}

Json track_report_numbers(const TrackEvaluations& evaluations) {
    const std::vector<std::string> names = tracker_names(evaluations);
    return trackers_json(evaluations, names, compare_trackers(evaluations, names));
}

std::filesystem::path write_track_report(const OutputFolder& folder, const Dataset& dataset,
                                         const TrackEvaluations& evaluations, const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    std::vector<std::unique_ptr<ReportPart>> parts;
    parts.push_back(std::make_unique<TrackPart>(dataset, evaluations));
    return write_parts(folder, dataset, context, parts);
}

}  // namespace fovea
