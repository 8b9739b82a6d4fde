#include "lib/run/track/person_memory.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "lib/config/track_config.hpp"
#include "lib/core/error.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/recognise/face_place.hpp"

namespace fovea {

FaceDescriber::FaceDescriber(RecogniserConfig config)
    : recogniser_(std::move(config), DetectionDevice::cpu()) {}

std::vector<std::uint16_t> FaceDescriber::describe(const GreyImage& image,
                                                   const std::vector<Point>& landmarks) const {
    const std::optional<CropEyes> eyes = eyes_for(recogniser_.config(), landmarks, {});
    if (!eyes) return {};
    const CropTransform transform = crop_transform(*eyes, recogniser_.config().geometry);
    if (!transform.exists()) return {};
    const CropTask task{0, transform};
    const ImageView<const std::uint8_t> view = image.view();
    return recogniser_.features(view, {&task, 1}).words;
}

double FaceDescriber::distance(const std::vector<std::uint16_t>& first,
                               const std::vector<std::uint16_t>& second) const {
    return recogniser_.metric().distance(first.data(), second.data());
}

std::optional<double> default_rejoin_distance(const RecogniserConfig& recogniser) {
    const std::optional<FarThreshold> threshold = threshold_at_far(known_thresholds(recogniser), rejoin_far);
    return threshold ? std::optional(threshold->distance) : std::nullopt;
}

int PersonMemory::find(const std::vector<std::uint16_t>& face, const std::set<int>& in_use) const {
    if (face.empty()) return 0;
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [person, looks] : looks_) {
        if (in_use.contains(person)) continue;
        for (const std::vector<std::uint16_t>& look : looks) {
            const double distance = describer_.distance(look, face);
            if (distance > max_distance_ || distance >= least) continue;
            least = distance;
            nearest = person;
        }
    }
    return nearest;
}

void PersonMemory::add(int person, std::vector<std::uint16_t> face) {
    std::vector<std::vector<std::uint16_t>>& looks = looks_[person];
    if (!face.empty() && looks.size() < max_looks) looks.push_back(std::move(face));
}

}  // namespace fovea
