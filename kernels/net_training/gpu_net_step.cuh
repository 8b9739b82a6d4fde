#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/net_training/gpu_net_kernels.cuh"

// The launches of a step. They are given to a function launch(blocks, threads, bytes of shared memory,
// kernel, arguments), so that tests run them without a GPU, too.
namespace fovea::cuda_backend {

// Parts that a sum is made of, at most: as many blocks work at once.
constexpr std::uint32_t max_moment_parts = 512, max_weight_parts = 256;

/// Places arrays in memory, one behind the other; without memory it only counts.
class Arena {
  public:
    explicit Arena(std::byte* base) : base_(base) {}

    template <class T>
    T* take(std::size_t count) {
        constexpr std::size_t alignment = 256;
        T* place = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
        bytes_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
        return place;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::byte* base_;
    std::size_t bytes_ = 0;
};

/// The input of a step from the host, in one piece of memory.
struct StepInput {
    StepInput(const NetPlan& plan, std::size_t crops, Arena& arena)
        : pixels(arena.take<float>(crops * plan.side * plan.side)),
          targets(arena.take<CellTarget>(crops * plan.cells_of_crop())),
          numbers(arena.take<StepNumbers>(1)) {}

    float* pixels;
    CellTarget* targets;
    StepNumbers* numbers;
};

/// A layer's numbers on the device.
struct DeviceLayer {
    MapSize size{};
    MapView result{};           ///< its values are the sums of layers that normalise
    float* values = nullptr;    ///< of `result`
    float* between = nullptr;   ///< of a unit, behind the first convolution
    float* gradient = nullptr;  ///< by the result
    GradientView back{};
    ScaleTask scale{};
    bool has_gradient = false;  ///< while launches are queued: another layer has written it
    std::uint32_t moment_parts = 0, tap_parts = 0, rows_of_part = 0, pointwise_parts = 0;
    float *parts_of_pointwise = nullptr, *parts_of_taps = nullptr;
};

/// All numbers of a network on the device.
struct DeviceNet {
    DeviceNet(const NetPlan& net_plan, std::size_t crop_count, Arena& arena)
        : plan(net_plan), crops(crop_count), input(net_plan, crop_count, arena) {
        const std::size_t count = plan.parameters();
        for (float** list : {&parameters, &averaged, &momentum, &spread, &gradient})
            *list = arena.take<float>(count);
        statistics = arena.take<float>(plan.statistics);
        decays = arena.take<char>(count);
        places = arena.take<GradientParts>(count);
        losses = arena.take<NetLosses>(1);
        squares = arena.take<double>(square_parts());
        loss_parts = arena.take<double>(2 * loss_blocks());
        std::size_t most_values = 0, most_channels = 0;
        for (const NetLayer& layer : plan.layers) {
            layers.push_back(placed(layer, arena));
            most_values = std::max(most_values, crops * layer.shape.size());
            most_channels = std::max(most_channels, layer.shape.channels);
        }
        by_between = arena.take<float>(most_values);
        moments = arena.take<double>(2 * std::size_t{max_moment_parts} * most_channels);
        for (DeviceLayer& layer : layers) layer.scale.parts = moments;
        place_gradients(arena);
    }

    std::uint32_t square_parts() const {
        return static_cast<std::uint32_t>((plan.parameters() + gradient_parameters - 1) /
                                          gradient_parameters);
    }
    std::uint32_t loss_blocks() const {
        return static_cast<std::uint32_t>((crops * plan.cells_of_crop() + loss_threads - 1) / loss_threads);
    }

    const NetPlan& plan;
    std::size_t crops;
    StepInput input;
    float *parameters = nullptr, *averaged = nullptr, *momentum = nullptr, *spread = nullptr;
    float *gradient = nullptr, *statistics = nullptr;
    char* decays = nullptr;
    GradientParts* places = nullptr;
    NetLosses* losses = nullptr;
    double *squares = nullptr, *loss_parts = nullptr, *moments = nullptr;
    float *by_between = nullptr, *parts = nullptr;
    std::vector<DeviceLayer> layers;
    std::vector<GradientParts> host_places;  ///< what `places` is to hold

  private:
    DeviceLayer placed(const NetLayer& layer, Arena& arena) const {
        DeviceLayer device;
        const std::size_t channels = layer.shape.channels, values = crops * layer.shape.size();
        device.size = {static_cast<std::uint32_t>(crops), static_cast<int>(layer.shape.height),
                       static_cast<int>(layer.shape.width), static_cast<int>(channels)};
        device.values = arena.take<float>(values);
        device.gradient = arena.take<float>(values);
        device.result.values = device.values;
        device.back.gradient = device.gradient;
        if (layer.kind == NetLayer::Kind::unit) device.between = arena.take<float>(values);
        const auto lanes = static_cast<std::uint32_t>(lanes_of(device.size.channels));
        const auto blocks = [&](std::uint32_t items, std::uint32_t most) {
            return std::min((items + lanes - 1) / lanes, most);
        };
        const std::uint32_t rows = device.size.pixels();
        const std::uint32_t items = layer.kind == NetLayer::Kind::stem ? rows : device.size.strips();
        device.moment_parts = blocks(items, max_moment_parts);
        device.tap_parts = blocks(items, max_weight_parts);
        device.rows_of_part =
            std::max<std::uint32_t>((rows / max_weight_parts + outer_rows) / outer_rows, 2) * outer_rows;
        device.pointwise_parts = (rows + device.rows_of_part - 1) / device.rows_of_part;
        if (!layer.normalises()) return device;
        ScaleTask& scale = device.scale;
        scale.channels = device.size.channels;
        scale.count = static_cast<double>(rows);
        scale.gamma = parameters + layer.gamma.first;
        scale.beta = parameters + layer.beta.first;
        scale.statistics = statistics + layer.statistics;
        for (float** list : {&scale.factors, &scale.offsets, &scale.a, &scale.b, &scale.c})
            *list = arena.take<float>(channels);
        scale.means = arena.take<double>(channels);
        scale.inverse_deviations = arena.take<double>(channels);
        device.result.factors = scale.factors;
        device.result.offsets = scale.offsets;
        device.back = {device.gradient, device.values, scale.factors, scale.offsets,
                       scale.a,         scale.b,       scale.c};
        return device;
    }

    /// Places the parts of the gradients by parameters.
    void place_gradients(Arena& arena) {
        host_places.resize(plan.parameters());
        std::size_t next = 0;
        const auto add = [&](const ParameterRange& range, std::size_t stride, std::size_t count) {
            const std::size_t first = next;
            for (std::size_t p = 0; p < range.count; ++p) {
                host_places[range.first + p] = {static_cast<std::uint32_t>(first + p),
                                                static_cast<std::uint32_t>(stride),
                                                static_cast<std::uint32_t>(count)};
            }
            next += stride * count;
            return first;
        };
        std::vector<std::array<std::size_t, 4>> firsts;
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const NetLayer& layer = plan.layers[l];
            const std::size_t channels = layer.shape.channels;
            std::array<std::size_t, 4>& first = firsts.emplace_back();
            if (layer.pointwise.count > 0)
                first[0] = add(layer.pointwise, layer.pointwise.count, layers[l].pointwise_parts);
            if (layer.depthwise.count > 0)
                first[1] = add(layer.depthwise, tap_sums * channels, layers[l].tap_parts);
            if (layer.normalises()) {
                first[2] = add(layer.gamma, channels, 1);
                first[3] = add(layer.beta, channels, 1);
            }
            for (std::size_t c = 0; c < layer.bias.count; ++c) {
                host_places[layer.bias.first + c] = host_places[layer.depthwise.first + c];
                host_places[layer.bias.first + c].first += static_cast<std::uint32_t>(9 * channels);
            }
        }
        parts = arena.take<float>(next);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            layers[l].parts_of_pointwise = parts + firsts[l][0];
            layers[l].parts_of_taps = parts + firsts[l][1];
            layers[l].scale.by_gamma = parts + firsts[l][2];
            layers[l].scale.by_beta = parts + firsts[l][3];
        }
    }
};

/// Queues the work of a network.
template <class Launch>
class NetSteps {
  public:
    NetSteps(DeviceNet& net, const Launch& launch) : net_(net), launch_(launch) {}

    /// Normalises by the batch, and updates the statistics.
    void forward() {
        for (std::size_t l = 0; l < net_.layers.size(); ++l) {
            const NetLayer& layer = net_.plan.layers[l];
            const DeviceLayer& device = net_.layers[l];
            switch (layer.kind) {
                case NetLayer::Kind::stem:
                    launch_(device.moment_parts, channel_threads, channel_shared_bytes<2>, stem_kernel,
                            StemTask{device.size, net_.input.pixels, at(layer.depthwise), device.values,
                                     net_.moments});
                    find_scale(device);
                    break;
                case NetLayer::Kind::unit:
                    run_unit(layer, device);
                    break;
                case NetLayer::Kind::pool:
                    launch_scales(pool_kernel, pool_scales(layer, device));
                    break;
                case NetLayer::Kind::join: {
                    TwoScales maps = join_scales(layer);
                    maps.fine_map = net_.layers[layer.input].result;
                    maps.fine = device.values;
                    launch_scales(join_kernel, maps);
                    break;
                }
            }
        }
    }

    /// The loss, and its gradient by the heads.
    void find_loss() {
        LossTask task{};
        for (std::size_t h = 0; h < net_.plan.heads.size(); ++h) {
            DeviceLayer& head = net_.layers[net_.plan.heads[h]];
            task.heads[h] = head.values;
            task.gradients[h] = head.gradient;
            task.sides[h] = head.size.width;
        }
        task.targets = net_.input.targets;
        task.numbers = net_.input.numbers;
        task.crops = static_cast<std::uint32_t>(net_.crops);
        task.parts = net_.loss_parts;
        launch_(net_.loss_blocks(), loss_threads, loss_shared_bytes, loss_kernel, task);
        launch_(1, loss_threads, loss_shared_bytes, add_losses_kernel, net_.loss_parts,
                static_cast<int>(net_.loss_blocks()), net_.input.numbers, net_.losses);
    }

    /// The gradient by the parameters, from those by the heads.
    void backward() {
        for (DeviceLayer& layer : net_.layers) layer.has_gradient = false;
        for (std::size_t l = net_.layers.size(); l-- > 0;) {
            const NetLayer& layer = net_.plan.layers[l];
            const DeviceLayer& device = net_.layers[l];
            switch (layer.kind) {
                case NetLayer::Kind::stem:
                    find_scale_back(device);
                    launch_(device.tap_parts, channel_threads, channel_shared_bytes<tap_sums>,
                            stem_back_kernel,
                            StemBackTask{device.size, device.back, net_.input.pixels, device.parts_of_taps});
                    break;
                case NetLayer::Kind::unit:
                    unit_back(layer, device);
                    break;
                case NetLayer::Kind::pool: {
                    TwoScales maps = pool_scales(layer, device);
                    DeviceLayer& input = net_.layers[layer.input];
                    maps.coarse_map = {device.gradient, nullptr, nullptr};
                    maps.fine = input.gradient;
                    maps.adds_fine = set_gradient(input);
                    launch_scales(pool_back_kernel, maps);
                    break;
                }
                case NetLayer::Kind::join: {
                    TwoScales maps = join_scales(layer);
                    DeviceLayer &input = net_.layers[layer.input], &coarse = net_.layers[layer.coarse];
                    maps.fine_map = {device.gradient, nullptr, nullptr};
                    maps.fine = input.gradient;
                    maps.adds_fine = set_gradient(input);
                    maps.coarse_values = coarse.gradient;
                    maps.adds_coarse = set_gradient(coarse);
                    launch_scales(join_back_kernel, maps);
                    break;
                }
            }
        }
        launch_(net_.square_parts(), gradient_threads, gradient_shared_bytes, gradient_kernel,
                GradientTask{net_.places, net_.parts, parameters(), net_.gradient, net_.squares});
    }

    /// A step of the optimiser.
    void update() {
        launch_((parameters() + adam_threads - 1) / adam_threads, adam_threads, adam_shared_bytes,
                adam_kernel,
                AdamTask{net_.input.numbers, net_.gradient, net_.squares, net_.square_parts(), parameters(),
                         net_.decays, net_.parameters, net_.momentum, net_.spread, net_.averaged});
    }

  private:
    std::uint32_t parameters() const { return static_cast<std::uint32_t>(net_.plan.parameters()); }
    const float* at(const ParameterRange& range) const { return net_.parameters + range.first; }
    /// \return whether there was a gradient by the layer's result, to which more is to be added
    static bool set_gradient(DeviceLayer& layer) { return std::exchange(layer.has_gradient, true); }

    void find_scale(const DeviceLayer& device) {
        ScaleTask task = device.scale;
        task.part_count = static_cast<int>(device.moment_parts);
        launch_(static_cast<unsigned>(task.channels / scale_channels), scale_threads, scale_shared_bytes,
                scale_kernel, task);
    }
    void find_scale_back(const DeviceLayer& device) {
        const auto lanes = static_cast<std::uint32_t>(lanes_of(device.size.channels));
        const std::uint32_t blocks = std::min((device.size.pixels() + lanes - 1) / lanes, max_moment_parts);
        launch_(blocks, channel_threads, channel_shared_bytes<2>, rectify_back_kernel, device.back,
                device.size, net_.moments);
        ScaleTask task = device.scale;
        task.part_count = static_cast<int>(blocks);
        launch_(static_cast<unsigned>(task.channels / scale_channels), scale_threads, scale_shared_bytes,
                scale_back_kernel, task);
    }

    template <bool transposed>
    void multiply(const ProductTask& task) {
        // Tiles of 64 need fewer loads than those of 16, which serve every number of channels.
        const auto launch = [&]<int columns>(std::integral_constant<int, columns>) {
            const auto rows = static_cast<std::uint32_t>(product_rows<columns>);
            launch_(dim3{(task.rows + rows - 1) / rows, static_cast<unsigned>(task.outputs / columns), 1},
                    product_threads, product_shared_bytes<columns>, product_kernel<columns, transposed>,
                    task);
        };
        if (task.outputs % 64 == 0)
            launch(std::integral_constant<int, 64>());
        else
            launch(std::integral_constant<int, 16>());
    }

    template <int tall, int wide>
    void multiply_outer(const OuterTask& task, std::uint32_t parts) {
        launch_(dim3{parts, static_cast<unsigned>(task.depth / tall * (task.outputs / wide)), 1},
                outer_threads, outer_shared_bytes, outer_kernel<tall, wide>, task);
    }

    void run_unit(const NetLayer& layer, const DeviceLayer& device) {
        multiply<false>({net_.layers[layer.input].result, at(layer.pointwise), device.between,
                         device.size.pixels(), static_cast<int>(layer.in), device.size.channels, false});
        launch_(device.moment_parts, channel_threads, channel_shared_bytes<2>, depthwise_kernel,
                DepthwiseTask{device.size, device.between, at(layer.depthwise),
                              layer.is_last ? at(layer.bias) : nullptr, device.values, net_.moments});
        if (!layer.is_last) find_scale(device);
    }

    void unit_back(const NetLayer& layer, const DeviceLayer& device) {
        if (!layer.is_last) find_scale_back(device);
        launch_(device.tap_parts, channel_threads, channel_shared_bytes<tap_sums>, depthwise_back_kernel,
                DepthwiseBackTask{device.size, device.back, device.between, at(layer.depthwise),
                                  net_.by_between, device.parts_of_taps});
        DeviceLayer& input = net_.layers[layer.input];
        const OuterTask outer{input.result,         net_.by_between,     device.parts_of_pointwise,
                              device.size.pixels(), device.rows_of_part, static_cast<int>(layer.in),
                              device.size.channels};
        const bool is_tall = layer.in % 64 == 0, is_wide = device.size.channels % 64 == 0;
        if (is_tall && is_wide)
            multiply_outer<64, 64>(outer, device.pointwise_parts);
        else if (is_tall)
            multiply_outer<64, 16>(outer, device.pointwise_parts);
        else if (is_wide)
            multiply_outer<16, 64>(outer, device.pointwise_parts);
        else
            multiply_outer<16, 16>(outer, device.pointwise_parts);
        multiply<true>({{net_.by_between, nullptr, nullptr},
                        at(layer.pointwise),
                        input.gradient,
                        device.size.pixels(),
                        device.size.channels,
                        static_cast<int>(layer.in),
                        set_gradient(input)});
    }

    TwoScales pool_scales(const NetLayer& layer, const DeviceLayer& device) const {
        TwoScales maps{};
        maps.coarse = device.size;
        maps.fine_map = net_.layers[layer.input].result;
        maps.coarse_values = device.values;
        return maps;
    }
    TwoScales join_scales(const NetLayer& layer) const {
        TwoScales maps{};
        maps.coarse = net_.layers[layer.coarse].size;
        maps.coarse_map = net_.layers[layer.coarse].result;
        return maps;
    }
    template <class Kernel>
    void launch_scales(Kernel kernel, const TwoScales& maps) {
        const std::uint32_t values = maps.coarse.pixels() * static_cast<std::uint32_t>(maps.coarse.channels);
        launch_((values + value_threads - 1) / value_threads, value_threads, 0, kernel, maps);
    }

    DeviceNet& net_;
    const Launch& launch_;
};

}  // namespace fovea::cuda_backend
