#include "lib/report/detection/page.hpp"

#include <algorithm>
#include <limits>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/evaluate/detection/protocol_modes.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/page_parts.hpp"

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
        if (evaluation.images_unreadable > 0) {
            text += " " + number_of(evaluation.images_unreadable, "image") + " could not be read";
        }
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
std::string first_number_phrase(const DetectionEvaluation& evaluation) {
    if (evaluation.protocol_numbers.empty())
        return "the average precision is " + strong(fixed(evaluation.average_precision, 3));
    const Number& number = evaluation.protocol_numbers[0].estimate;
    const std::optional<double> without = without_ignored_faces(evaluation, 0);
    return escape_html(number.quantity.name) + " is " +
           strong(number.value ? fixed(*number.value, 4) : "undefined") +
           (without ? " with the ignored faces and " + strong(fixed(*without, 4)) + " without them" : "");
}

/// The same number, larger for a better detector.
double judged_number(const DetectionEvaluation& evaluation) {
    if (evaluation.protocol_numbers.empty()) return evaluation.average_precision;
    const Number& number = evaluation.protocol_numbers[0].estimate;
    if (!number.value) return -std::numeric_limits<double>::infinity();
    return number.quantity.better == Better::lower ? -*number.value : *number.value;
}

/// The detectors with the largest value, in order.
template <class Value>
std::vector<std::size_t> best_of(const std::vector<DetectionEvaluation>& all, const Value& value) {
    double largest = value(all[0]);
    for (const DetectionEvaluation& evaluation : all) largest = std::max(largest, value(evaluation));
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (value(all[i]) == largest) best.push_back(i);
    }
    return best;
}

/// "A", "A and B", "A, B and C", "A, B and 3 others".
std::string names_of(const PageContent& content, const std::vector<std::size_t>& detectors) {
    constexpr std::size_t max_names = 3;
    const std::size_t named = detectors.size() <= max_names ? detectors.size() : max_names - 1;
    std::string text;
    for (std::size_t i = 0; i < named; ++i) {
        const bool is_last = i + 1 == detectors.size();
        text += (i == 0 ? "" : is_last ? " and " : ", ") + strong(content.names[detectors[i]]);
    }
    if (named < detectors.size()) text += " and " + std::to_string(detectors.size() - named) + " others";
    return text;
}

std::string dataset_name(const PageContent& content) {
    return content.dataset.name.empty() ? "the dataset"
                                        : "<code>" + breakable(content.dataset.name) + "</code>";
}

}  // namespace

std::string legend_name(const PageContent& content, std::size_t detector) {
    return series_name(content.names, detector);
}

std::string summary_text(const PageContent& content) {
    const auto& all = content.evaluations;
    const DetectionEvaluation& first = all[0];
    if (all.size() == 1) {
        std::string text = strong(content.names[0]) + " was evaluated on " +
                           escape_html(dataset_phrase(first)) + " of " + dataset_name(content) + ". ";
        if (first.detections == 0) return text + "It detected nothing." + escape_html(reservations(first));
        text += "With every detection kept it finds " +
                strong(grouped(first.true_positives) + " faces (" + percent(first.detection_rate) + ")") +
                " and raises " + strong(number_of(first.false_positives, "false alarm")) +
                (first.false_positives > 0 ? ", " + fixed(first.false_positives_per_image, 2) + " per image"
                                           : "") +
                "; " + first_number_phrase(first) + ".";
        return text + escape_html(reservations(first));
    }
    const std::vector<std::size_t> best = best_of(all, judged_number);
    const std::vector<std::size_t> finders =
        best_of(all, [](const DetectionEvaluation& e) { return e.detection_rate; });
    std::string text = strong(grouped(static_cast<long long>(all.size())) + " detectors") +
                       " were compared on " + escape_html(dataset_phrase(first)) + " of " +
                       dataset_name(content) + ". ";
    text += (best.size() == 1 ? "The best is " : "Equally good are ") + names_of(content, best) + ": " +
            first_number_phrase(all[best[0]]) + "; with every detection kept ";
    const DetectionEvaluation& finder = all[finders[0]];
    if (finders.size() > 1) {
        text += names_of(content, finders) + " find the most faces, ";
    } else if (finders == best) {
        text += "it also finds the most faces, ";
    } else {
        text += names_of(content, finders) + " finds the most faces, ";
    }
    text += strong(grouped(finder.true_positives) + " (" + percent(finder.detection_rate) + ")");
    if (finders.size() == 1)
        text += ", with " + escape_html(number_of(finder.false_positives, "false alarm"));
    text += ".";
    return text + escape_html(reservations(first));
}

SectionPage detection_page(const PageContent& content) {
    SectionPage page;
    page.lead = summary_text(content);
    page.protocol = protocol_description(content.evaluations[0].options);
    page.headline = headline_numbers(content);
    page.parts = {{"protocol", "Numbers of the protocol", protocol_section(content)},
                  {"curves", "Curves", plot_legend(content.names) + charts(content.plots)},
                  {"points", "Operating points", operating_points(content)},
                  {"slices", "Slices", slice_tables(content)},
                  {"pictures", "Misses and false alarms", pictures_section(content)}};
    // The explanation of the numbers stands between them and the pictures.
    page.parts.insert(page.parts.begin() + 4, content.analysis.begin(), content.analysis.end());
    page.definitions = detection_definitions();
    for (const DetectionEvaluation& evaluation : content.evaluations) {
        page.warnings.insert(page.warnings.end(), evaluation.warnings.begin(), evaluation.warnings.end());
    }
    if (!content.missing_pictures.empty()) page.warnings.push_back(content.missing_pictures);
    page.without_result = without_result(content);
    page.files =
        "the points of the detectors' curves in curves.csv, all that was evaluated in evaluated.jsonl";
    return page;
}

}  // namespace fovea::report
