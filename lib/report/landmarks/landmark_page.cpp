#include "lib/report/landmarks/landmark_page.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_json.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/landmarks/landmark_time.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

std::string summary(const LandmarkPage& page) {
    const LandmarkEvaluation& first = page.evaluations[0];
    const std::string data = escape_html(number_of(first.faces, "face") + " with " +
                                         number_of(static_cast<long long>(first.points), "landmark") +
                                         " in " + number_of(first.images, "image")) +
                             " of <code>" + breakable(page.dataset.name) + "</code>. ";
    const auto mean = [](const LandmarkEvaluation& e) {
        return number_of_key(e.nme[e.primary].numbers, "mean").value;
    };
    const auto area = [](const LandmarkEvaluation& e) {
        return number_of_key(e.nme[e.primary].numbers, "auc_0.08").value.value_or(0);
    };
    const std::string by = normaliser_title(first.normalisers[first.primary]);
    if (page.evaluations.size() == 1) {
        std::string text = strong(page.names[0]) + " was evaluated on " + data;
        if (first.faces_found == 0) return text + "It found no face with landmarks.";
        text += "Its mean error (NME by " + escape_html(by) + ") is " +
                strong(fixed(mean(first).value_or(0), 4)) + " over the " +
                escape_html(number_of(first.faces_found, "face")) + " found; it missed " +
                strong(grouped(first.faces_missed)) + ". The AUC up to 0.08 is " +
                strong(fixed(area(first), 3)) + ".";
        return text;
    }
    const auto best = static_cast<std::size_t>(
        std::max_element(page.evaluations.begin(), page.evaluations.end(),
                         [&](const auto& a, const auto& b) { return area(a) < area(b); }) -
        page.evaluations.begin());
    const std::string count = grouped(static_cast<long long>(page.evaluations.size()));
    return (page.of_one_landmarker() ? "The landmarks in " + strong(count + " kinds of boxes")
                                     : strong(count + " landmarkers")) +
           " were compared on " + data + "The largest AUC up to 0.08 (NME by " + escape_html(by) + "), " +
           strong(fixed(area(page.evaluations[best]), 3)) + ", is that of " + strong(page.names[best]) + ".";
}

std::string gallery_part(const LandmarkPage& page, const std::string& title,
                         const LandmarkExhibits::Part& part, long long all, const std::string& order,
                         const std::string& id) {
    if (part.exhibits.empty()) return {};
    return "<h3>" + escape_html(title) + "</h3>\n<p class=\"note\">" +
           escape_html(how_many(part.exhibits.size(), all, order)) + "</p>\n" +
           picture_grid(page.dataset, part.exhibits, part.thumbnails, title, id);
}

std::string pictures_of(const LandmarkPage& page, std::size_t i) {
    const LandmarkEvaluation& e = page.evaluations[i];
    const LandmarkExhibits& pictures = page.exhibits_of_each[i];
    const std::string id = "landmarks-" + std::to_string(i + 1);
    return gallery_part(page, "Missed faces", pictures.missed, e.faces_missed, "largest first",
                        id + "-missed") +
           gallery_part(page, "Worst faces", pictures.worst, e.faces_found, "largest error first",
                        id + "-worst") +
           gallery_part(page, "Median faces", pictures.median, e.faces_found,
                        "nearest to the median error first", id + "-median") +
           gallery_part(page, "Best faces", pictures.best, e.faces_found, "smallest error first",
                        id + "-best");
}

std::string landmark_exhibits_section(const LandmarkPage& page) {
    const auto item = [](const std::string& kind, const std::string& text) {
        const std::string dots = "\" d=\"M5 10h0M17 10h0M29 10h0\"/>";
        return "<span><svg viewBox=\"0 0 34 20\"><path class=\"dots rim" + dots + "<path class=\"dots " +
               kind + dots + "</svg>" + text + "</span>";
    };
    const std::string legend = "<div class=\"legend\">" + item("truth", "true landmarks") +
                               item("found", "landmarks found") + "</div>\n";
    std::string html;
    for (std::size_t i = 0; i < page.evaluations.size(); ++i) {
        const std::string own = pictures_of(page, i);
        if (own.empty()) continue;
        html += page.evaluations.size() == 1 ? own : folded(page.names[i], own, i == 0);
    }
    return html.empty() ? html : legend + html;
}

// The meaning of the numbers.
std::string landmark_definitions(const LandmarkPage& page) {
    std::string html =
        "<dl>" + definition("NME",
                            "normalised mean error: mean distance of a face's landmarks from the true "
                            "ones, divided by a length of the true face, which the name states");
    for (const LandmarkNormaliser normaliser : page.evaluations[0].normalisers) {
        html += definition("by " + normaliser_title(normaliser), normaliser_description(normaliser));
    }
    html +=
        definition(
            "Missed",
            "a face without a detection with landmarks. An image with one face and one detection pairs them; "
            "else pairs have a box IoU of at least 0.1 (one to one, largest sum)") +
        definition("CED", "cumulative error distribution: share of all faces with at most a certain error") +
        definition("AUC@0.08", "area under the CED, a step function, from 0 to 0.08, divided by 0.08") +
        definition("Failures", "share of all faces with an error above a limit, those missed among them") +
        definition("Mean, median, percentiles", "over the faces found") +
        definition("95 % interval", "percentile bootstrap over images");
    if (page.evaluations[0].points == 68) {
        html +=
            definition(
                "Helf 2018, equation 5.2",
                "as printed: the root of the sum of all squared distances, divided by 68 times the distance "
                "of the outer eye corners, which shrinks with the number of points; evidently meant is the "
                "mean distance, the NME by outer eye corners") +
            definition(
                "dlib's test_shape_predictor",
                "mean distance over all parts, of the faces found: in pixels, or divided by the distance of "
                "the pupils as in dlib's training example");
    }
    if (page.evaluations[0].over_time) {
        html += definition("Jitter",
                           "mean distance that the points move from frame to frame against the true ones, "
                           "divided by the length: an error that stays the same has none") +
                definition("Drift", "the error by the frames since the face was last detected");
    }
    return html + "</dl>\n";
}

}  // namespace

SectionPage landmark_page(const LandmarkPage& page) {
    SectionPage section;
    section.lead = summary(page);
    section.protocol = landmark_protocol_description(page.evaluations[0]);
    section.headline = landmark_headline(page);
    if (!page.context.landmarks_origin.empty()) {
        section.headline += "<p class=\"note below\">" + breakable(page.context.landmarks_origin) + "</p>\n";
    }
    const std::string legend = plot_legend(page.names);
    std::string points;
    for (const DrawnPlot& plot : page.plots.points) points += chart(plot);
    std::vector<DrawnPlot> side_by_side = page.plots.shapes;
    side_by_side.insert(side_by_side.end(), page.plots.regions.begin(), page.plots.regions.end());
    section.parts = {{"curves", "Curves", legend + charts(page.plots.curves)},
                     {"normalisers", "Normalisers", landmark_normalisers(page)},
                     {"parts", "Points and regions",
                      side_by_side.empty() && points.empty()
                          ? ""
                          : legend + charts(side_by_side) + points + landmark_parts(page)},
                     {"over-time", "Over time", landmark_time_section(page)},
                     {"slices", "Slices", landmark_slices_section(page)},
                     {"sensitivity", "Boxes that are off", landmark_sensitivity_section(page)},
                     {"pictures", "Faces", landmark_exhibits_section(page)}};
    section.definitions = landmark_definitions(page);
    for (const LandmarkEvaluation& evaluation : page.evaluations) {
        section.warnings.insert(section.warnings.end(), evaluation.warnings.begin(),
                                evaluation.warnings.end());
    }
    if (!page.missing_pictures.empty()) section.warnings.push_back(page.missing_pictures);
    section.files =
        "the points of the landmarks' curves in " + page.file_prefix + "curves.csv, every face in faces.csv";
    section.style =
        ".gallery { grid-template-columns: repeat(auto-fill, minmax(206px, 1fr)); }\n"
        ".columns.charts + figure.chart { margin-top: 20px; }\nfigure.chart + details { margin-top: 20px; "
        "}\n.columns.sensitivity { margin-top: 20px; }\n";
    return section;
}

}  // namespace fovea::report
