#include <algorithm>

#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/landmarks/landmark_exhibits.hpp"
#include "lib/report/page/gallery.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

/// Pictures of every landmarker but the first, at most: a comparison must stay a page.
constexpr int pictures_of_further_landmarkers = 12;

struct PictureKind {
    const char* id;
    const char* title;
    const char* order;
    /// Absent for faces missed.
    std::optional<LandmarkRank> rank;
    /// One picture in so many is of this kind.
    std::size_t part;
};
constexpr PictureKind picture_kinds[] = {
    {"missed", "Missed faces", "largest first", std::nullopt, 2},
    {"worst", "Worst faces", "largest error first", LandmarkRank::worst, 2},
    {"median", "Median faces", "nearest to the median error first", LandmarkRank::median, 4},
    {"best", "Best faces", "smallest error first", LandmarkRank::best, 4},
};

std::vector<Exhibit> exhibits_of(const LandmarkersCompared& of, std::size_t i, const PictureKind& kind) {
    const LandmarkEvaluation& e = of.evaluations[i];
    const int wanted =
        i == 0 ? of.context.thumbnails : std::min(of.context.thumbnails, pictures_of_further_landmarkers);
    const std::size_t limit = static_cast<std::size_t>(std::max(0, wanted)) / kind.part;
    if (kind.rank) return landmark_exhibits(of.dataset, e, *kind.rank, limit);
    return missed_landmark_exhibits(of.dataset, e, limit, images_without_result(of.context.skipped, e.name));
}

}  // namespace

Section landmark_pictures_section(const LandmarkersCompared& of, std::string& missing) {
    // All are cut in one go, so that every image is read once.
    std::vector<Exhibit> all;
    std::vector<std::vector<Exhibit>> groups;
    for (std::size_t i = 0; i < of.evaluations.size(); ++i) {
        for (const PictureKind& kind : picture_kinds) {
            groups.push_back(exhibits_of(of, i, kind));
            all.insert(all.end(), groups.back().begin(), groups.back().end());
        }
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(of.dataset, all, of.context.decode);
    missing = missing_pictures(of.dataset, all, thumbnails);

    auto group = groups.begin();
    auto next = thumbnails.begin();
    std::vector<Section> of_each(of.evaluations.size());
    for (std::size_t i = 0; i < of_each.size(); ++i) {
        for (const PictureKind& kind : picture_kinds) {
            const std::vector<Exhibit>& shown = *group++;
            const auto begin = next;
            next += static_cast<std::ptrdiff_t>(shown.size());
            if (shown.empty()) continue;
            const LandmarkEvaluation& e = of.evaluations[i];
            of_each[i].add(gallery_of(
                of.dataset, shown, {begin, next}, "landmarks-" + std::to_string(i + 1) + "-" + kind.id,
                kind.title,
                how_many_shown(shown.size(), kind.rank ? e.faces_found : e.faces_missed, kind.order)));
        }
    }
    Section section{"pictures", "Faces"};
    if (!all.empty()) section.add(Paragraph{"Yellow: true landmarks. Blue: landmarks found.", true});
    add_by_rival(section, of.names, std::move(of_each));
    return section;
}

}  // namespace fovea::report
