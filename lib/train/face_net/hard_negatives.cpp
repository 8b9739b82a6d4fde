#include "lib/train/face_net/hard_negatives.hpp"

#include <algorithm>
#include <cstdint>

#include "lib/core/overlap.hpp"
#include "lib/detect/face_net_detector.hpp"
#include "lib/json/field.hpp"

namespace fovea {
namespace {

constexpr double max_covered = 0.2;
constexpr std::size_t batch_photographs = 64;

bool is_annotated(const Box& place, const FacePhotograph& photograph) {
    const auto covers = [&](const Box& box) {
        return shared_box(box, place).area() >= max_covered * place.area();
    };
    return std::any_of(photograph.faces.begin(), photograph.faces.end(), covers) ||
           std::any_of(photograph.ignored.begin(), photograph.ignored.end(), covers);
}

}  // namespace

void describe(FieldVisitor& visitor, HardNegativeSettings& mining) {
    visitor.value({.key = "share", .range = at_least_below(0, 1)}, &mining.share);
    visitor.value({.key = "interval", .range = from_to(1, 10000000)}, &mining.interval);
    visitor.value({.key = "min_score", .range = from_to(FaceNetDetector::min_score, 1)}, &mining.min_score);
    visitor.value({.key = "max_places", .range = from_to(1, 10000000)}, &mining.max_places);
}

void describe(FieldVisitor& visitor, HardNegative& place) {
    visitor.value({.key = "source"}, &place.source);
    visitor.value({.key = "photograph"}, &place.photograph);
    visitor.value({.key = "box"},
                  number_list({&place.box.x, &place.box.y, &place.box.w, &place.box.h}, "[x, y, w, h]"));
    visitor.value({.key = "score", .range = above(0)}, &place.score);
}

std::vector<HardNegative> find_hard_negatives(const FaceNet& net,
                                              const std::vector<PhotographSource>& sources,
                                              const HardNegativeSettings& settings, const JobHooks& hooks) {
    const FaceNetDetector detector({.name = {}, .net = net, .score = {}, .training = {}});
    DetectorOptions options;
    options.min_score = settings.min_score;
    std::vector<HardNegative> places;
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<HardNegative> batch;  // the photographs of the views
    const auto search = [&] {
        if (hooks.is_cancelled()) throw JobCancelled{};
        const std::vector<std::vector<Detection>> found = detector.detect(views, options);
        for (std::size_t i = 0; i < found.size(); ++i) {
            HardNegative place = batch[i];
            for (const Detection& detection : found[i]) {
                place.box = detection.box;
                place.score = detection.score;
                if (!is_annotated(place.box, sources[place.source].photographs[place.photograph]))
                    places.push_back(place);
            }
        }
        views.clear();
        batch.clear();
    };
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (std::size_t p = 0; p < sources[s].photographs.size(); ++p) {
            const FacePhotograph& photograph = sources[s].photographs[p];
            if (!photograph.is_complete) continue;
            views.push_back(photograph.image.view());
            batch.push_back({s, p, {}, 0});
            if (views.size() == batch_photographs) search();
        }
    }
    if (!views.empty()) search();
    std::stable_sort(places.begin(), places.end(),
                     [](const HardNegative& a, const HardNegative& b) { return a.score > b.score; });
    if (places.size() > settings.max_places) places.resize(settings.max_places);
    return places;
}

}  // namespace fovea
