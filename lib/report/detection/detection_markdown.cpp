#include "lib/report/detection/detection_markdown.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/evaluate/detection/protocol_modes.hpp"

namespace fovea::report {
namespace {

std::string numbers_table(const PageContent& content) {
    MarkdownRows rows = markdown_heading("Number", content.names);
    add_counts(rows, "Faces", content.evaluations, &DetectionEvaluation::faces);
    add_counts(rows, "True positives", content.evaluations, &DetectionEvaluation::true_positives);
    add_counts(rows, "False positives", content.evaluations, &DetectionEvaluation::false_positives);
    std::vector<const Numbers*> lists;
    for (const DetectionEvaluation& e : content.evaluations) lists.push_back(&e.estimates);
    add_numbers(rows, lists);
    const DetectionEvaluation& first = content.evaluations[0];
    const Quantity rate{"", "", "", Better::higher, Unit::share};
    for (std::size_t i = 0; i < first.rate_at_false_positives.size(); ++i) {
        std::vector<std::string> row{"Rate at " + grouped(first.rate_at_false_positives[i].false_positives) +
                                     " FP"};
        for (const DetectionEvaluation& e : content.evaluations) {
            const RateAtFalsePositives& at = e.rate_at_false_positives.at(i);
            row.push_back(number_with_interval({rate, at.detection_rate, at.detection_rate_ci95}));
        }
        rows.push_back(std::move(row));
    }
    return markdown_table(rows);
}

std::string protocol_numbers_table(const PageContent& content) {
    const DetectionEvaluation& first = content.evaluations[0];
    if (first.protocol_numbers.empty()) return {};
    std::vector<ProtocolMode> other_modes = protocol_modes(first.options.protocol);
    std::erase(other_modes, first.options.mode);
    MarkdownRows rows{{protocol_name(first.options.protocol) + ", " + mode_name(first.options.mode)}};
    for (const std::string& name : content.names) {
        rows[0].push_back(escape_markdown(name));
        for (const ProtocolMode mode : other_modes) rows[0].push_back(mode_name(mode));
    }
    for (std::size_t i = 0; i < first.protocol_numbers.size(); ++i) {
        std::vector<std::string> row{escape_markdown(first.protocol_numbers[i].estimate.quantity.name)};
        for (const DetectionEvaluation& e : content.evaluations) {
            const ProtocolNumber& number = e.protocol_numbers.at(i);
            row.push_back(number_with_interval(number.estimate));
            for (const ProtocolMode mode : other_modes) {
                const auto other =
                    std::find_if(number.other_modes.begin(), number.other_modes.end(),
                                 [mode](const ModeValue& value) { return value.mode == mode; });
                row.push_back(other == number.other_modes.end()
                                  ? "same"
                                  : number_with_interval({number.estimate.quantity, other->value, {}}));
            }
        }
        rows.push_back(std::move(row));
    }
    return "\n" + markdown_table(rows);
}

}  // namespace

MarkdownPage detection_markdown(const PageContent& content) {
    const DetectionEvaluation& first = content.evaluations[0];
    MarkdownPage page;
    page.lead = number_of(first.images, "annotated image") + " with " + number_of(first.faces, "face") +
                " of " + content.dataset.name + ".";
    if (first.ignored_but_counted > 0) {
        page.lead += " " + number_of(first.faces_ignored, "more face") +
                     (first.faces_ignored == 1 ? " is" : " are") + " ignored: " + with_ignored_faces(first) +
                     ".";
    }
    page.protocol = protocol_description(first.options);
    page.tables = numbers_table(content) + protocol_numbers_table(content);
    if (!first.estimates.empty()) page.note = interval_note(first.options.bootstrap_resamples, "images");
    for (const DetectionEvaluation& evaluation : content.evaluations) {
        for (const std::string& warning : evaluation.warnings) {
            page.warnings.push_back(evaluation.name + ": " + warning);
        }
    }
    page.plots = content.plots;
    return page;
}

}  // namespace fovea::report
