#include "lib/train/face_net/crop_drawer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

/// A face in a mosaic is learned if this share of its box lies on its side of the seams.
constexpr double min_visible = 0.6;
/// Faces of a mosaic have this share of a tile's side at most.
constexpr double max_tile_face = 0.9;

Box moved(Box box, double dx, double dy) {
    box.x += dx;
    box.y += dy;
    return box;
}

/// Adds what is known of a tile. \param tile its place in the crop
void add_tile(const CropTruth& truth, const Box& tile, CropTruth& to) {
    for (const Box& box : truth.ignored) to.ignored.push_back(shared_box(moved(box, tile.x, tile.y), tile));
    for (const Box& box : truth.faces) {
        const Box face = moved(box, tile.x, tile.y), seen = shared_box(face, tile);
        if (seen.area() >= min_visible * face.area())
            to.faces.push_back(face);
        else
            to.ignored.push_back(seen);
    }
    // Only the crop as a whole can be incomplete: nothing but the tile's faces is learned.
    if (!truth.is_complete) to.ignored.push_back(tile);
}

}  // namespace

CropDrawer::CropDrawer(const std::vector<PhotographSource>& sources, const CropSettings& settings,
                       std::uint64_t seed)
    : sources_(sources), settings_(settings), seed_(seed) {
    for (const PhotographSource& source : sources) {
        if (source.share > 0 && !source.photographs.empty()) shares_ += source.share;
        for (const FacePhotograph& photograph : source.photographs) {
            if (photograph.is_complete && photograph.faces.empty() && photograph.ignored.empty())
                fillers_.push_back(&photograph);
        }
    }
    if (!(shares_ > 0)) throw std::invalid_argument("a network cannot be trained without photographs");
}

void CropDrawer::show_often(std::vector<HardNegative> places, double share) {
    double sum = 0;
    score_sums_.clear();
    for (const HardNegative& place : places) {
        if (place.source >= sources_.size() || place.photograph >= sources_[place.source].photographs.size())
            throw std::invalid_argument("a hard negative lies in a photograph that is not there");
        score_sums_.push_back(sum += place.score);
    }
    hard_negatives_ = std::move(places);
    hard_share_ = share;
}

CropSubject CropDrawer::subject_for(CounterRandom& random) const {
    // No number is drawn without hard negatives: crops of a training that mines none stay the same.
    if (!hard_negatives_.empty() && random.unit() < hard_share_) {
        const auto at =
            std::upper_bound(score_sums_.begin(), score_sums_.end() - 1, random.unit() * score_sums_.back());
        const HardNegative& place = hard_negatives_[static_cast<std::size_t>(at - score_sums_.begin())];
        return {&sources_[place.source].photographs[place.photograph], &place.box};
    }
    double at = random.unit() * shares_;
    const PhotographSource* chosen = nullptr;
    for (const PhotographSource& source : sources_) {
        if (source.share <= 0 || source.photographs.empty()) continue;
        chosen = &source;
        at -= source.share;
        if (at < 0) break;
    }
    return {&chosen->photographs[random.below(chosen->photographs.size())]};
}

CropTruth CropDrawer::draw_one(const CropSettings& settings, CounterRandom& random, float* pixels) const {
    const CropSubject subject = subject_for(random);
    const FacePhotograph* filler = fillers_.empty() ? nullptr : fillers_[random.below(fillers_.size())];
    return draw_crop(subject, filler, settings, random, pixels);
}

CropTruth CropDrawer::draw_mosaic(CounterRandom& random, float* pixels) const {
    const std::size_t side = settings_.side, half = side / 2;
    CropSettings settings = settings_;
    settings.side = half;
    settings.max_face =
        std::max(settings.min_face, std::min(settings.max_face, max_tile_face * static_cast<double>(half)));
    std::vector<float> tile(half * half);
    CropTruth truth;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t x = i % 2 * half, y = i / 2 * half;
        CounterRandom of_tile(random.next());
        const CropTruth part = draw_one(settings, of_tile, tile.data());
        for (std::size_t row = 0; row < half; ++row)
            std::copy_n(tile.data() + row * half, half, pixels + (y + row) * side + x);
        const auto edge = static_cast<double>(half);
        add_tile(part, {static_cast<double>(x), static_cast<double>(y), edge, edge}, truth);
    }
    return truth;
}

CropTruth CropDrawer::draw(std::uint64_t step, std::uint64_t number, float* pixels) const {
    CounterRandom random(seed_, step, number);
    if (settings_.mosaic > 0 && random.unit() < settings_.mosaic) return draw_mosaic(random, pixels);
    return draw_one(settings_, random, pixels);
}

}  // namespace fovea
