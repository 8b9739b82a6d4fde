#include <algorithm>
#include <utility>

#include "lib/core/text.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/operating_tallies.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/gallery.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

/// Misses and false positives shown of every detector but the first, each: a comparison must stay a page.
constexpr int pictures_of_further_detectors = 8;

/// The worst cases of a detector; thumbnails are parallel to exhibits.
struct WorstCases {
    std::vector<Exhibit> misses;
    std::vector<Thumbnail> miss_thumbnails;
    std::vector<Exhibit> false_alarms;
    std::vector<Thumbnail> false_alarm_thumbnails;
};

/// Chooses the pictures of all detectors first, then cuts them in one go, so that every image is read once.
std::vector<WorstCases> find_worst_cases(const DetectorsCompared& of, std::string& missing) {
    std::vector<WorstCases> worst_cases(of.evaluations.size());
    std::vector<Exhibit> exhibits;
    const int wanted_of_first = of.context.thumbnails;
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? wanted_of_first : std::min(wanted_of_first, pictures_of_further_detectors);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        WorstCases& worst = worst_cases[i];
        const std::vector<ImageScores>& scores = of.analyses[i].scores;
        worst.misses =
            largest_misses(of.dataset, of.evaluations[i], scores, threshold_of(of.analyses[i]), limit,
                           images_without_result(of.context.skipped, of.evaluations[i].name));
        worst.false_alarms = highest_false_alarms(of.dataset, of.evaluations[i], scores, limit);
        exhibits.insert(exhibits.end(), worst.misses.begin(), worst.misses.end());
        exhibits.insert(exhibits.end(), worst.false_alarms.begin(), worst.false_alarms.end());
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(of.dataset, exhibits, of.context.decode);
    missing = missing_pictures(of.dataset, exhibits, thumbnails);
    auto next = thumbnails.begin();
    for (WorstCases& worst : worst_cases) {
        const auto take = [&](std::size_t count) {
            const auto begin = std::exchange(next, next + static_cast<std::ptrdiff_t>(count));
            return std::vector<Thumbnail>(begin, next);
        };
        worst.miss_thumbnails = take(worst.misses.size());
        worst.false_alarm_thumbnails = take(worst.false_alarms.size());
    }
    return worst_cases;
}

/// Pictures under a heading, or a sentence where there is none to show.
Section kind_section(const std::string& id, const std::string& title, Gallery gallery, long long all,
                     const std::string& none, const std::string& not_shown) {
    Section section{id, title};
    if (gallery.pictures.empty()) {
        section.add(Paragraph{all == 0 ? none : not_shown, true});
    } else {
        section.add(std::move(gallery));
    }
    return section;
}

std::vector<Section> sections_of(const DetectorsCompared& of, std::size_t detector, const WorstCases& worst) {
    const DetectionEvaluation& e = of.evaluations[detector];
    const std::string id = "detections-" + std::to_string(detector + 1);
    const OperatingPoint& point = of.analyses[detector].operating_point;
    const long long missed = point.detections.false_negatives;
    const long long raised = point.detections.false_positives;
    const std::string at = " at " + describe(point.choice);
    const auto shown_alarms = static_cast<long long>(worst.false_alarms.size());
    const std::string left_out =
        e.images_unreadable + e.images_missing > 0 ? " Faces in images without a result are not shown." : "";
    Gallery misses =
        gallery_of(of.dataset, worst.misses, worst.miss_thumbnails, id + "-missed", "",
                   how_many_shown(worst.misses.size(), missed, "missed" + at + ", largest first") + left_out);
    Gallery alarms =
        gallery_of(of.dataset, worst.false_alarms, worst.false_alarm_thumbnails, id + "-alarm", "",
                   (raised == 0 ? "None is raised" + at + "."
                                : how_many_shown(static_cast<std::size_t>(std::min(shown_alarms, raised)),
                                                 raised, "raised" + at + ", highest score first")) +
                       (shown_alarms > raised ? " Faint: false positives of lower scores." : ""));
    for (Gallery* gallery : {&misses, &alarms}) {
        for (Picture& picture : gallery->pictures) picture.rival = detector;
    }
    return {
        kind_section(id + "-misses", "Missed faces", std::move(misses), missed,
                     e.faces == 0 ? "There is no face to miss." : "No face was missed.",
                     number_of(missed, "face") + " missed, none shown."),
        kind_section(id + "-alarms", "False positives", std::move(alarms), raised,
                     "There is no false positive.", number_of(raised, "false positive") + ", none shown.")};
}

}  // namespace

Section pictures_section(const DetectorsCompared& of, std::string& missing) {
    const std::vector<WorstCases> worst_cases = find_worst_cases(of, missing);
    Section section{"pictures", "Misses and false positives"};
    section.add(picture_legend());
    section.add(Paragraph{"Errors are counted at " + describe(of.analyses[0].operating_point.choice) +
                              ". Faint: detections below a detector's threshold, and pictures of what is no "
                              "error there.",
                          true});
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        std::vector<Section> parts = sections_of(of, i, worst_cases[i]);
        if (of.is_single()) {
            section.sections = std::move(parts);
            break;
        }
        const ConfusionCounts& counts = of.analyses[i].operating_point.detections;
        Section one{"pictures-" + std::to_string(i + 1),
                    of.names[i] + ": " + number_of(counts.false_negatives, "missed face") + ", " +
                        number_of(counts.false_positives, "false positive")};
        one.fold = i == 0 ? Fold::open : Fold::closed;
        one.sections = std::move(parts);
        section.sections.push_back(std::move(one));
    }
    return section;
}

}  // namespace fovea::report
