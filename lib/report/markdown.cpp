#include "lib/report/markdown.hpp"

#include <string_view>

#include "lib/evaluate/detection_json.hpp"
#include "lib/report/format.hpp"

namespace fovea::report {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string shown(const Statistic& statistic, double value) {
    return statistic.is_rate ? percent(value) : fixed(value, 3);
}

std::string with_interval(const Statistic& statistic, const std::optional<double>& value,
                          const std::optional<Interval>& ci95) {
    if (!value) return "–";
    std::string text = shown(statistic, *value);
    if (ci95) text += " (" + shown(statistic, (*ci95)[0]) + " to " + shown(statistic, (*ci95)[1]) + ")";
    return text;
}

std::string numbers_table(const PageContent& content) {
    Rows rows{{"Number"}};
    for (const std::string& name : content.names) rows[0].push_back(escape_markdown(name));
    const auto add_count = [&](const std::string& title, int DetectionEvaluation::*count) {
        std::vector<std::string> row{title};
        for (const DetectionEvaluation& e : content.evaluations) row.push_back(grouped(e.*count));
        rows.push_back(std::move(row));
    };
    add_count("Faces", &DetectionEvaluation::faces);
    add_count("True positives", &DetectionEvaluation::true_positives);
    add_count("False positives", &DetectionEvaluation::false_positives);
    const DetectionEvaluation& first = content.evaluations[0];
    for (std::size_t i = 0; i < first.estimates.size(); ++i) {
        std::vector<std::string> row{first.estimates[i].statistic.name};
        for (const DetectionEvaluation& e : content.evaluations) {
            const Estimate& estimate = e.estimates.at(i);
            row.push_back(with_interval(estimate.statistic, estimate.value, estimate.ci95));
        }
        rows.push_back(std::move(row));
    }
    const Statistic rate{"", "", "", true, true};
    for (std::size_t i = 0; i < first.rate_at_false_positives.size(); ++i) {
        std::vector<std::string> row{"Rate at " + grouped(first.rate_at_false_positives[i].false_positives) +
                                     " FP"};
        for (const DetectionEvaluation& e : content.evaluations) {
            const RateAtFalsePositives& at = e.rate_at_false_positives.at(i);
            row.push_back(with_interval(rate, at.detection_rate, at.detection_rate_ci95));
        }
        rows.push_back(std::move(row));
    }
    return markdown_table(rows);
}

std::string protocol_numbers_table(const PageContent& content) {
    const DetectionEvaluation& first = content.evaluations[0];
    if (first.protocol_numbers.empty()) return {};
    const bool strict = first.options.mode == ProtocolMode::strict;
    const std::string other = strict ? "corrected" : "strict";
    Rows rows{{protocol_name(first.options.protocol) + ", " + mode_name(first.options.mode)}};
    for (const std::string& name : content.names) {
        rows[0].push_back(escape_markdown(name));
        rows[0].push_back(other);
    }
    for (std::size_t i = 0; i < first.protocol_numbers.size(); ++i) {
        std::vector<std::string> row{escape_markdown(first.protocol_numbers[i].estimate.statistic.name)};
        for (const DetectionEvaluation& e : content.evaluations) {
            const ProtocolNumber& number = e.protocol_numbers.at(i);
            row.push_back(
                with_interval(number.estimate.statistic, number.estimate.value, number.estimate.ci95));
            row.push_back(number.modes_differ
                              ? with_interval(number.estimate.statistic, number.other_mode, std::nullopt)
                              : "same");
        }
        rows.push_back(std::move(row));
    }
    return "\n" + markdown_table(rows);
}

}  // namespace

std::string escape_markdown(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += "|";
        for (const std::string& cell : rows[i]) text += " " + cell + " |";
        text += "\n";
        if (i > 0) continue;
        text += "|";
        for (std::size_t k = 0; k < rows[0].size(); ++k) text += k == 0 ? "---|" : "--:|";
        text += "\n";
    }
    return text;
}

std::string report_markdown(const PageContent& content) {
    const DetectionEvaluation& first = content.evaluations[0];
    std::string text = "# " + escape_markdown(content.title) + "\n\n";
    text += escape_markdown(number_of(first.images, "annotated image") + " with " +
                            number_of(first.faces, "face") + " of " + content.dataset.name + ".") +
            "\n" + escape_markdown(protocol_description(first.options)) + "\n\n";
    text += numbers_table(content);
    text += protocol_numbers_table(content);
    if (!first.estimates.empty() && first.options.bootstrap_resamples > 0) {
        text += "\nIn brackets: 95 % intervals (bootstrap over images, " +
                grouped(first.options.bootstrap_resamples) + " resamples).\n";
    }
    for (const DetectionEvaluation& evaluation : content.evaluations) {
        for (const std::string& warning : evaluation.warnings) {
            text += "\n> " + escape_markdown(evaluation.name + ": " + warning) + "\n";
        }
    }
    for (const Plot& plot : content.plots) {
        text += "\n![" + escape_markdown(plot.title) + "](" + plot.stem + ".svg)\n\n" +
                escape_markdown(plot.caption) + "\n";
    }
    return text + "\nMade by fovea " FOVEA_VERSION ".\n";
}

}  // namespace fovea::report
