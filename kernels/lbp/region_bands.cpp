#include "kernels/lbp/region_bands.hpp"

#include <algorithm>

namespace fovea {

std::vector<RegionBand> region_bands(Size face, const std::vector<Rect>& regions, int margin) {
    std::vector<RegionBand> bands;
    const int last_row = face.height - margin, last_column = face.width - margin;
    std::vector<int> edges;
    for (const Rect& region : regions) {
        for (const int y : {region.y, region.y + region.height}) {
            edges.push_back(std::clamp(y, margin, std::max(margin, last_row)));
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        RegionBand band{edges[i], edges[i + 1], last_column, margin, {}};
        for (std::size_t r = 0; r < regions.size(); ++r) {
            const Rect& region = regions[r];
            if (region.y > band.top || region.y + region.height < band.bottom) continue;
            const int begin = std::max(region.x, margin);
            const int end = std::min(region.x + region.width, last_column);
            if (begin >= end) continue;
            band.spans.push_back({r, begin, end});
            band.begin = std::min(band.begin, begin);
            band.end = std::max(band.end, end);
        }
        if (!band.spans.empty()) bands.push_back(std::move(band));
    }
    return bands;
}

}  // namespace fovea
