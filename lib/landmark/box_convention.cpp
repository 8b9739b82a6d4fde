#include "lib/landmark/box_convention.hpp"

#include <algorithm>
#include <stdexcept>

namespace fovea {

Box tight_box_of_initial_shape(const LandmarkModel& model) {
    double low[2] = {model.initial_shape[0], model.initial_shape[1]};
    double high[2] = {low[0], low[1]};
    for (std::size_t i = 0; i < model.initial_shape.size(); ++i) {
        low[i % 2] = std::min<double>(low[i % 2], model.initial_shape[i]);
        high[i % 2] = std::max<double>(high[i % 2], model.initial_shape[i]);
    }
    return {low[0], low[1], high[0] - low[0], high[1] - low[1]};
}

BoxEdges model_edges(const BoxConvention& convention, const LandmarkModel& model) {
    const Box tight = tight_box_of_initial_shape(model);
    if (!(tight.w > 0 && tight.h > 0)) {
        throw std::invalid_argument("the initial shape of the landmark model has no extent");
    }
    const double across = (convention.landmarks.right - convention.landmarks.left) / tight.w;
    const double down = (convention.landmarks.bottom - convention.landmarks.top) / tight.h;
    BoxEdges edges;
    edges.left = convention.landmarks.left - tight.x * across;
    edges.top = convention.landmarks.top - tight.y * down;
    edges.right = edges.left + across;
    edges.bottom = edges.top + down;
    return edges;
}

}  // namespace fovea
