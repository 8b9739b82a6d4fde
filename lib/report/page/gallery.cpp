#include "lib/report/page/gallery.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

/// Ungrouped windows come by the thousand.
constexpr std::size_t max_drawn_boxes = 60;

DrawnKind kind_of(DrawnBox::Kind kind) {
    switch (kind) {
        case DrawnBox::Kind::ignored_face:
            return DrawnKind::ignored_face;
        case DrawnBox::Kind::detection:
            return DrawnKind::detection;
        case DrawnBox::Kind::face:
            break;
    }
    return DrawnKind::face;
}

bool are_touching(const Box& a, const Box& b) {
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

}  // namespace

Picture picture_of(const std::string& image, const Exhibit& exhibit, const Thumbnail& thumbnail) {
    Picture picture{image, exhibit.facts, thumbnail.jpeg};
    if (thumbnail.jpeg.empty()) {
        picture.unreadable = thumbnail.unreadable;
        return picture;
    }
    const Box& region = thumbnail.region;
    const double scale = std::min(1.0, thumbnail_side / std::max(region.w, region.h));
    picture.width = std::max(1, static_cast<int>(std::lround(region.w * scale)));
    picture.height = std::max(1, static_cast<int>(std::lround(region.h * scale)));
    for (const DrawnBox& drawn : exhibit.boxes) {
        const Box& box = drawn.box;
        if (!are_touching(box, region)) continue;
        picture.boxes.push_back(
            {kind_of(drawn.kind),
             {(box.x - region.x) * scale, (box.y - region.y) * scale, box.w * scale, box.h * scale},
             drawn.subject,
             drawn.note,
             drawn.score,
             drawn.is_alarm});
    }
    // The subject is the last.
    if (picture.boxes.size() > max_drawn_boxes) {
        picture.boxes.erase(picture.boxes.begin(),
                            picture.boxes.end() - static_cast<std::ptrdiff_t>(max_drawn_boxes));
    }
    for (const DrawnPoints& drawn : exhibit.points) {
        PicturePoints points{kind_of(drawn.kind), {}};
        for (const Point& point : drawn.points)
            points.points.push_back({(point.x - region.x) * scale, (point.y - region.y) * scale});
        picture.points.push_back(std::move(points));
    }
    return picture;
}

Gallery gallery_of(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                   const std::vector<Thumbnail>& thumbnails, const std::string& id, const std::string& title,
                   const std::string& note) {
    Gallery gallery{id, title, note};
    for (std::size_t i = 0; i < exhibits.size(); ++i)
        gallery.pictures.push_back(
            picture_of(dataset.samples[exhibits[i].sample].image, exhibits[i], thumbnails[i]));
    return gallery;
}

Paragraph picture_legend() {
    return {
        "Yellow: face (ground truth); dotted where it is marked ignore. Blue and dashed: detection. Thick: "
        "the miss or false positive itself.",
        true};
}

std::string how_many_shown(std::size_t shown, long long all, const std::string& order) {
    if (static_cast<long long>(shown) >= all)
        return all == 1 ? "The only one." : "All " + grouped(all) + ", " + order + ".";
    return grouped(static_cast<long long>(shown)) + " of " + grouped(all) + ", " + order + ".";
}

}  // namespace fovea::report
