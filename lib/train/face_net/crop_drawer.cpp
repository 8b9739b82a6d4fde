#include "lib/train/face_net/crop_drawer.hpp"

#include <stdexcept>

namespace fovea {

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

const FacePhotograph& CropDrawer::photograph_for(CounterRandom& random) const {
    double at = random.unit() * shares_;
    const PhotographSource* chosen = nullptr;
    for (const PhotographSource& source : sources_) {
        if (source.share <= 0 || source.photographs.empty()) continue;
        chosen = &source;
        at -= source.share;
        if (at < 0) break;
    }
    return chosen->photographs[random.below(chosen->photographs.size())];
}

CropTruth CropDrawer::draw(std::uint64_t step, std::uint64_t number, float* pixels) const {
    CounterRandom random(seed_, step, number);
    const FacePhotograph& photograph = photograph_for(random);
    const FacePhotograph* filler = fillers_.empty() ? nullptr : fillers_[random.below(fillers_.size())];
    return draw_crop(photograph, filler, settings_, random, pixels);
}

}  // namespace fovea
