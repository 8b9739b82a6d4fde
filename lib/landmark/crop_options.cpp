#include "lib/landmark/crop_options.hpp"

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr int max_crop_size = 4096;
constexpr double max_crop_margin = 4;

}  // namespace

std::optional<CropKind> crop_kind_of(const std::string& name) {
    if (name == "aligned") return CropKind::aligned;
    if (name == "box") return CropKind::box;
    return std::nullopt;
}

std::string to_string(CropKind kind) {
    return kind == CropKind::aligned ? "aligned" : "box";
}

void check_crop_options(const CropOptions& options) {
    if (options.size < 0 || options.size > max_crop_size) {
        throw UsageError("the size of crops is 1 to " + std::to_string(max_crop_size) + " pixels, but is " +
                         std::to_string(options.size));
    }
    if (!(options.margin >= 0 && options.margin <= max_crop_margin))
        throw UsageError("the margin of crops is a share of the box from 0 to 4");
}

}  // namespace fovea
