#include "kernels/net_training/net_plan.hpp"

#include <stdexcept>

namespace fovea {
namespace {

class Planner {
  public:
    explicit Planner(NetPlan& plan) : plan_(plan) {}

    std::size_t add_stem() {
        NetLayer layer;
        layer.kind = NetLayer::Kind::stem;
        layer.shape = {plan_.side / 2, plan_.side / 2, plan_.width.stem};
        layer.depthwise = add_parameters(9 * plan_.width.stem, true);
        add_normalisation(layer);
        return add(layer);
    }

    std::size_t add_unit(std::size_t input, std::size_t out, bool is_last = false) {
        NetLayer layer;
        layer.is_last = is_last;
        layer.input = input;
        layer.shape = plan_.layers[input].shape;
        layer.in = layer.shape.channels;
        layer.shape.channels = out;
        layer.pointwise = add_parameters(layer.in * out, true);
        layer.depthwise = add_parameters(9 * out, true);
        if (is_last)
            layer.bias = add_parameters(out, false);
        else
            add_normalisation(layer);
        return add(layer);
    }

    std::size_t add_pool(std::size_t input) {
        NetLayer layer;
        layer.kind = NetLayer::Kind::pool;
        layer.input = input;
        layer.shape = plan_.layers[input].shape;
        layer.shape.height /= 2;
        layer.shape.width /= 2;
        return add(layer);
    }

    std::size_t add_join(std::size_t fine, std::size_t coarse) {
        NetLayer layer;
        layer.kind = NetLayer::Kind::join;
        layer.input = fine;
        layer.coarse = coarse;
        layer.shape = plan_.layers[fine].shape;
        return add(layer);
    }

  private:
    std::size_t add(const NetLayer& layer) {
        plan_.layers.push_back(layer);
        return plan_.layers.size() - 1;
    }

    ParameterRange add_parameters(std::size_t count, bool decays) {
        const ParameterRange range{plan_.parameters(), count};
        plan_.decays.resize(range.first + count, decays ? 1 : 0);
        return range;
    }

    void add_normalisation(NetLayer& layer) {
        layer.gamma = add_parameters(layer.shape.channels, false);
        layer.beta = add_parameters(layer.shape.channels, false);
        layer.statistics = plan_.statistics;
        plan_.statistics += 2 * layer.shape.channels;
    }

    NetPlan& plan_;
};

}  // namespace

NetPlan make_net_plan(NetWidth width, std::size_t side) {
    for (const std::size_t channels : {width.stem, width.quarter, width.trunk}) {
        if (channels == 0 || channels % 16 != 0)
            throw std::invalid_argument("a network's channels come in sixteens");
    }
    if (side == 0 || side % 32 != 0)
        throw std::invalid_argument("images of a network have sides that are multiples of 32");
    NetPlan plan;
    plan.width = width;
    plan.side = side;
    Planner planner(plan);
    std::array<std::size_t, 4> trunk{};  // at 1/4, 1/8, 1/16, 1/32
    std::size_t last = planner.add_unit(planner.add_stem(), width.stem);
    for (std::size_t& at : trunk) {
        const std::size_t out = &at == trunk.data() ? width.quarter : width.trunk;
        last = at = planner.add_unit(planner.add_unit(planner.add_pool(last), out), out);
    }
    std::array<std::size_t, 3> necks{};  // at 1/8, 1/16, 1/32
    necks[2] = planner.add_unit(trunk[3], width.trunk);
    necks[1] = planner.add_unit(planner.add_join(trunk[2], necks[2]), width.trunk);
    necks[0] = planner.add_unit(planner.add_join(trunk[1], necks[1]), width.trunk);
    for (std::size_t h = 0; h < necks.size(); ++h)
        plan.heads[h] = planner.add_unit(planner.add_unit(necks[h], width.trunk), head_channels, true);
    return plan;
}

}  // namespace fovea
