#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/detection/page.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

std::string pictures_of(const PageContent& content, std::size_t detector) {
    const DetectionEvaluation& evaluation = content.evaluations[detector];
    const Thumbnails& pictures = content.worst_cases[detector];
    const std::string id = "detections-" + std::to_string(detector + 1);
    const long long missed = evaluation.faces - evaluation.true_positives;
    std::string html = "<h3>Missed faces</h3>\n";
    if (missed == 0) {
        html += "<p class=\"note\">" +
                std::string(evaluation.faces == 0 ? "There is no face to miss." : "No face was missed.") +
                "</p>\n";
    } else if (pictures.misses.empty()) {
        html += "<p class=\"note\">" + escape_html(number_of(missed, "face")) + " missed, none shown.</p>\n";
    } else {
        html += "<p class=\"note\">" +
                escape_html(how_many(pictures.misses.size(), missed, "largest first") +
                            (evaluation.images_unreadable + evaluation.images_missing > 0
                                 ? " Faces in images without a result are not shown."
                                 : "")) +
                "</p>\n" +
                picture_grid(content.dataset, pictures.misses, pictures.miss_thumbnails, "Missed face",
                             id + "-missed");
    }
    html += "<h3>False alarms</h3>\n";
    if (evaluation.false_positives == 0) {
        html += "<p class=\"note\">There is no false alarm.</p>\n";
    } else if (pictures.false_alarms.empty()) {
        html += "<p class=\"note\">" + escape_html(number_of(evaluation.false_positives, "false alarm")) +
                ", none shown.</p>\n";
    } else {
        html += "<p class=\"note\">" +
                escape_html(how_many(pictures.false_alarms.size(), evaluation.false_positives,
                                     "highest score first")) +
                "</p>\n" +
                picture_grid(content.dataset, pictures.false_alarms, pictures.false_alarm_thumbnails,
                             "False alarm", id + "-alarm");
    }
    return html;
}

}  // namespace

std::string picture_legend() {
    const auto item = [](const std::string& kind, const std::string& text) {
        const std::string place = "\" x=\"3\" y=\"3\" width=\"28\" height=\"14\"/>";
        return "<span><svg viewBox=\"0 0 34 20\"><rect class=\"" + kind + " rim" + place + "<rect class=\"" +
               kind + place + "</svg>" + text + "</span>";
    };
    return "<div class=\"legend\">" + item("truth", "face (ground truth)") + item("found", "detection") +
           item("truth ignored", "face marked ignore") +
           "<span>Thick: the miss or false alarm itself.</span></div>\n";
}

std::string pictures_section(const PageContent& content) {
    if (content.evaluations.size() == 1) return picture_legend() + pictures_of(content, 0);
    std::string html = picture_legend();
    for (std::size_t i = 0; i < content.evaluations.size(); ++i) {
        const DetectionEvaluation& e = content.evaluations[i];
        html += folded(content.names[i] + ": " + number_of(e.faces - e.true_positives, "missed face") + ", " +
                           number_of(e.false_positives, "false alarm"),
                       pictures_of(content, i), i == 0);
    }
    return html;
}

std::string without_result(const PageContent& content) {
    int without = 0;
    for (const DetectionEvaluation& e : content.evaluations) {
        without = std::max(without, e.images_unreadable + e.images_missing);
    }
    if (without == 0) return {};
    return "<p class=\"note\">" + escape_html(number_of(without, "image")) +
           " could not be read or had no result; results.jsonl says which in its status fields.</p>\n";
}

std::string detection_definitions() {
    return "<dl>" +
           definition("Detection rate", "faces found / faces; also called recall or true positive rate") +
           definition("Precision", "faces found / (faces found + false positives)") +
           definition("F1", "harmonic mean of precision and detection rate") +
           definition(
               "Average precision",
               "area under the precision envelope over recall, at all points (as PASCAL VOC since 2010)") +
           definition("IoU", "intersection over union of the areas of two boxes") +
           definition("Mean IoU", "mean over the faces found of the IoU with their detections") +
           definition("Continuous ROC",
                      "a face found counts with its IoU instead of 1. FDDB's protocol counts every pair of a "
                      "face and a detection, hit or not") +
           definition(
               "False positives",
               "detections without a paired face: those that hit no face, and every further one on a face. "
               "An unpaired detection on a face marked ignore does not count") +
           definition("Operating point", "the detections with at least a certain score") +
           definition(
               "95 % interval",
               "bootstrap over images: the 2.5 % and 97.5 % quantiles of the resampled values. A rate on "
               "which all resamples agree, and the plots by slice, have Wilson's score interval, which "
               "assumes independent faces") +
           "</dl>\n";
}

}  // namespace fovea::report
