#include "lib/report/detection/detection_content.hpp"

#include <algorithm>
#include <limits>

#include <spdlog/spdlog.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/detection/operating_tallies.hpp"

namespace fovea::report {
namespace {

/// "65 images that hold 326 faces", with what does not count.
std::string dataset_phrase(const DetectionEvaluation& evaluation) {
    std::string phrase =
        number_of(evaluation.images, "annotated image") + " with " + number_of(evaluation.faces, "face");
    if (evaluation.faces_ignored > 0) {
        phrase +=
            " (" + grouped(evaluation.faces_ignored) + " more " +
            (evaluation.faces_ignored == 1 ? "is" : "are") + " ignored: " +
            (evaluation.ignored_but_counted > 0 ? with_ignored_faces(evaluation) : "they count neither way") +
            ")";
    }
    return phrase;
}

/// Warnings that readers must know before they trust the numbers.
std::string reservations(const DetectionEvaluation& evaluation) {
    std::string text;
    const int without = evaluation.images_unreadable + evaluation.images_missing;
    if (without > 0) {
        if (evaluation.images_unreadable > 0)
            text += " " + number_of(evaluation.images_unreadable, "image") + " could not be read";
        if (evaluation.images_missing > 0) {
            text += (evaluation.images_unreadable > 0 ? " and " : " ") +
                    number_of(evaluation.images_missing, "image") +
                    (evaluation.images_missing == 1 ? " has" : " have") + " no result";
        }
        text += without == 1 ? "; its faces count as missed." : "; their faces count as missed.";
    }
    if (evaluation.images_extra > 0) {
        text += " " + number_of(evaluation.images_extra, "image") + " in the results " +
                (evaluation.images_extra == 1 ? "is" : "are") + " not annotated in the dataset and " +
                (evaluation.images_extra == 1 ? "was" : "were") + " left out.";
    }
    return text;
}

/// The first number of the protocol; average precision under a protocol that has no numbers of its own.
Text first_number_phrase(const DetectionEvaluation& evaluation) {
    if (evaluation.protocol_numbers.empty()) {
        return {Run::plain("the average precision is "),
                Run::strong(fixed(evaluation.value("average_precision"), 3))};
    }
    const Number& number = evaluation.protocol_numbers[0].estimate;
    Text text{Run::plain(number.quantity.name + " is "),
              Run::strong(number.value ? fixed(*number.value, 4) : "undefined")};
    if (const std::optional<double> without = without_ignored_faces(evaluation, 0)) {
        text.push_back(Run::plain(" with the ignored faces and "));
        text.push_back(Run::strong(fixed(*without, 4)));
        text.push_back(Run::plain(" without them"));
    }
    return text;
}

/// The same number, larger for a better detector.
double judged_number(const DetectionEvaluation& evaluation) {
    if (evaluation.protocol_numbers.empty())
        return evaluation.estimate("average_precision").value.value_or(0);
    const Number& number = evaluation.protocol_numbers[0].estimate;
    if (!number.value) return -std::numeric_limits<double>::infinity();
    return number.quantity.better == Better::lower ? -*number.value : *number.value;
}

/// The detectors with the largest value, in order.
template <class Value>
std::vector<std::size_t> best_of(const std::vector<DetectionEvaluation>& all, const Value& value) {
    auto largest = value(all[0]);
    for (const DetectionEvaluation& evaluation : all) largest = std::max(largest, value(evaluation));
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (value(all[i]) == largest) best.push_back(i);
    }
    return best;
}

void append(Text& text, const Text& more) {
    text.insert(text.end(), more.begin(), more.end());
}

/// "A", "A and B", "A, B and C", "A, B and 3 others".
Text names_of(const DetectorsCompared& of, const std::vector<std::size_t>& detectors) {
    constexpr std::size_t max_names = 3;
    const std::size_t named = detectors.size() <= max_names ? detectors.size() : max_names - 1;
    Text text;
    for (std::size_t i = 0; i < named; ++i) {
        const bool is_last = i + 1 == detectors.size();
        if (i > 0) text.push_back(Run::plain(is_last ? " and " : ", "));
        text.push_back(Run::strong(of.names[detectors[i]]));
    }
    if (named < detectors.size())
        text.push_back(Run::plain(" and " + std::to_string(detectors.size() - named) + " others"));
    return text;
}

Run dataset_run(const DetectorsCompared& of) {
    return of.dataset.name.empty() ? Run::plain("the dataset") : Run::code(of.dataset.name);
}

Text lead_of_one(const DetectorsCompared& of) {
    const DetectionEvaluation& only = of.evaluations[0];
    Text text{Run::strong(of.names[0]), Run::plain(" was evaluated on " + dataset_phrase(only) + " of "),
              dataset_run(of), Run::plain(". ")};
    if (only.detections == 0) {
        text.push_back(Run::plain("It detected nothing."));
    } else {
        const std::string per_image =
            only.false_positives > 0 ? ", " + fixed(only.value("false_positives_per_image"), 2) + " per image"
                                     : "";
        append(text,
               {Run::plain("With every detection kept it finds "),
                Run::strong(grouped(only.true_positives) + " faces (" +
                            percent(only.value("detection_rate")) + ")"),
                Run::plain(" and raises "), Run::strong(number_of(only.false_positives, "false positive")),
                Run::plain(per_image + "; ")});
        append(text, first_number_phrase(only));
        text.push_back(Run::plain("."));
    }
    text.push_back(Run::plain(reservations(only)));
    return text;
}

Definitions detection_definitions() {
    return {
        {{"Detection rate", "faces found / faces; also called recall or true positive rate"},
         {"Precision", "faces found / (faces found + false positives)"},
         {"F1", "harmonic mean of precision and detection rate"},
         {"Average precision",
          "area under the precision envelope over recall, at all points (as PASCAL VOC since 2010)"},
         {"IoU", "intersection over union of the areas of two boxes"},
         {"Mean IoU", "mean over the faces found of the IoU with their detections"},
         {"Continuous ROC",
          "a face found counts with its IoU instead of 1. FDDB's protocol counts every pair of a face and "
          "a detection, hit or not"},
         {"False positives",
          "detections without a paired face: those that hit no face, and every further one on a face. An "
          "unpaired detection on a face marked ignore does not count"},
         {"Operating point", "the detections with at least a certain score"},
         {"95 % interval",
          "bootstrap over images: the 2.5 % and 97.5 % quantiles of the resampled values. A rate on which "
          "all resamples agree, the plots by slice and rates at a moved threshold have Wilson's score "
          "interval, which assumes independent faces"}}};
}

/// How many images could not be read or have no result.
std::vector<Block> without_result(const DetectorsCompared& of) {
    int without = 0;
    for (const DetectionEvaluation& e : of.evaluations)
        without = std::max(without, e.images_unreadable + e.images_missing);
    if (without == 0) return {};
    return {
        Paragraph{number_of(without, "image") +
                      " could not be read or had no result; results.jsonl says which in its status fields.",
                  true}};
}

}  // namespace

Text detection_lead(const DetectorsCompared& of) {
    if (of.is_single()) return lead_of_one(of);
    const auto& all = of.evaluations;
    const std::vector<std::size_t> best = best_of(all, judged_number);
    const std::vector<std::size_t> finders =
        best_of(all, [](const DetectionEvaluation& e) { return e.true_positives; });
    Text text{Run::strong(grouped(static_cast<long long>(all.size())) + " detectors"),
              Run::plain(" were compared on " + dataset_phrase(all[0]) + " of "), dataset_run(of),
              Run::plain(best.size() == 1 ? ". The best is " : ". Equally good are ")};
    append(text, names_of(of, best));
    text.push_back(Run::plain(": "));
    append(text, first_number_phrase(all[best[0]]));
    text.push_back(Run::plain("; with every detection kept "));
    const DetectionEvaluation& finder = all[finders[0]];
    if (finders.size() == 1 && finders == best) {
        text.push_back(Run::plain("it also finds the most faces, "));
    } else {
        append(text, names_of(of, finders));
        text.push_back(Run::plain(finders.size() > 1 ? " find the most faces, " : " finds the most faces, "));
    }
    text.push_back(
        Run::strong(grouped(finder.true_positives) + " (" + percent(finder.value("detection_rate")) + ")"));
    const std::string alarms =
        finders.size() == 1 ? ", with " + number_of(finder.false_positives, "false positive") : "";
    text.push_back(Run::plain(alarms + "." + reservations(all[0])));
    return text;
}

PartContent detection_content(const DetectorsCompared& of) {
    PartContent content;
    content.lead = {detection_lead(of)};
    content.protocol = protocol_description(of.evaluations[0].options);
    content.headline = detection_headline(of);
    Section curves{"curves", "Curves"};
    curves.add(detection_plots(of.evaluations, of.names, of.context.references));
    content.sections = {protocol_section(of), std::move(curves), operating_points_section(of)};
    for (Section& section : analysis_sections(of)) content.sections.push_back(std::move(section));
    std::string missing;
    content.sections.push_back(pictures_section(of, missing));
    content.sections.push_back(numbers_section(of));
    content.operating = operating_curves(of);
    content.definitions = detection_definitions();
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        for (const std::string& warning : of.evaluations[i].warnings)
            content.warnings.push_back(of.is_single() ? warning : of.names[i] + ": " + warning);
    }
    if (!missing.empty()) {
        spdlog::warn("{}", missing);
        content.warnings.push_back(missing);
    }
    content.without_result = without_result(of);
    content.files =
        "the points of the detectors' curves in curves.csv, all that was evaluated in evaluated.jsonl";
    return content;
}

}  // namespace fovea::report
