#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/comparison/comparison_report.hpp"
#include "lib/report/detection/page.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

bool holds(const std::vector<std::size_t>& list, std::size_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// The smallest box around all that changed.
Box changed_region(const Sample& sample, const ImageEvaluation& a, const ImageEvaluation& b,
                   const ImageChange& change) {
    std::vector<Box> boxes;
    for (const std::size_t i : change.faces_gained) boxes.push_back(sample.faces[i].box);
    for (const std::size_t i : change.faces_lost) boxes.push_back(sample.faces[i].box);
    for (const std::size_t i : change.alarms_gained) boxes.push_back(b.detections[i].box);
    for (const std::size_t i : change.alarms_lost) boxes.push_back(a.detections[i].box);
    double left = boxes[0].x;
    double top = boxes[0].y;
    double right = left + boxes[0].w;
    double bottom = top + boxes[0].h;
    for (const Box& box : boxes) {
        left = std::min(left, box.x);
        top = std::min(top, box.y);
        right = std::max(right, box.x + box.w);
        bottom = std::max(bottom, box.y + box.h);
    }
    return {left, top, right - left, bottom - top};
}

/// One side's picture: the faces, its detections; what changed is the subject.
Exhibit side_of(const Sample& sample, const ImageEvaluation& outcome, const ImageChange& change,
                const std::vector<std::size_t>& own_alarms, const Box& focus) {
    Exhibit exhibit{outcome.sample, focus, {}, {}};
    for (std::size_t i = 0; i < sample.faces.size(); ++i) {
        const Face& face = sample.faces[i];
        const bool changed = holds(change.faces_gained, i) || holds(change.faces_lost, i);
        const bool found = outcome.face_match[i] >= 0;
        const bool ignored = is_ignored(outcome, i);
        exhibit.boxes.push_back({ignored ? DrawnBox::Kind::ignored_face : DrawnBox::Kind::face, face.box,
                                 changed,
                                 ignored ? "face that does not count"
                                 : found ? "face, found"
                                         : "face, missed"});
    }
    for (std::size_t i = 0; i < outcome.detections.size(); ++i) {
        const bool alarm = holds(own_alarms, i);
        exhibit.boxes.push_back({DrawnBox::Kind::detection, outcome.detections[i].box, alarm,
                                 "detection, score " + compact(outcome.detections[i].score) +
                                     (alarm ? ", false alarm of this side alone" : "")});
    }
    std::stable_partition(exhibit.boxes.begin(), exhibit.boxes.end(),
                          [](const DrawnBox& box) { return !box.subject; });
    return exhibit;
}

}  // namespace

std::string change_summary(const ImageChange& change) {
    std::string text;
    const auto add = [&](const std::vector<std::size_t>& list, const char* sign, const char* noun) {
        if (list.empty()) return;
        text += (text.empty() ? "" : ", ") + std::string(sign) +
                number_of(static_cast<long long>(list.size()), noun);
    };
    add(change.faces_gained, "+", "face");
    add(change.faces_lost, "−", "face");
    add(change.alarms_gained, "+", "false alarm");
    add(change.alarms_lost, "−", "false alarm");
    return text;
}

std::string changed_images(const ComparedDetections& detections, int limit, const DecodeOptions& decode) {
    const std::vector<ImageChange>& changes = detections.changes.images;
    const std::size_t shown = std::min(changes.size(), static_cast<std::size_t>(std::max(0, limit)));
    std::vector<Exhibit> of_first;
    std::vector<Exhibit> of_second;
    for (std::size_t i = 0; i < shown; ++i) {
        const ImageEvaluation& a = detections.kept[0].image_outcomes[changes[i].image];
        const ImageEvaluation& b = detections.kept[1].image_outcomes[changes[i].image];
        const Sample& sample = detections.dataset.samples[a.sample];
        Box focus = changed_region(sample, a, b, changes[i]);
        // Thumbnails show 2.4 times what they are about; here that is many boxes, which need less around
        // them.
        const Point centre = focus.centre();
        focus = {centre.x - focus.w / 4, centre.y - focus.h / 4, focus.w / 2, focus.h / 2};
        of_first.push_back(side_of(sample, a, changes[i], changes[i].alarms_lost, focus));
        of_second.push_back(side_of(sample, b, changes[i], changes[i].alarms_gained, focus));
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(detections.dataset, of_first, decode);
    std::string html =
        "<p class=\"note\">" +
        escape_html(grouped(static_cast<long long>(shown)) + " of " +
                    number_of(static_cast<long long>(changes.size()), "image") + " that changed " +
                    detections.at + ", largest change first. Left A, right B.") +
        "</p>\n" + picture_legend() + "<div class=\"gallery pairs\">\n";
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string& image = detections.dataset.samples[of_first[i].sample].image;
        const std::string summary = change_summary(changes[i]);
        const auto side = [&](const std::string& name, const Exhibit& exhibit) {
            return "<div><span class=\"side\">" + name + "</span>" +
                   thumbnail_svg(thumbnails[i], exhibit, name + " in " + image + ": " + summary) + "</div>";
        };
        const auto id_of = [&](std::size_t k) {
            return k < shown ? "change-" + std::to_string(k + 1) : std::string();
        };
        html += picture_figure(
            {id_of(i), i > 0 ? id_of(i - 1) : "", id_of(i + 1),
             "<div class=\"pair\">" + side("A", of_first[i]) + side("B", of_second[i]) + "</div>",
             "<b title=\"" + escape_html(image) + "\">" + breakable(shortened(image, 44)) + "</b>" +
                 escape_html(summary)});
    }
    return html + "</div>\n";
}

}  // namespace fovea::report
