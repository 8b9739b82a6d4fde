#include "kernels/face_embedding/cpu_face_resnet.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/core/idle_pool.hpp"
#include "kernels/face_embedding/face_resnet_simd.hpp"

namespace fovea {
namespace {

/// Faces that share what is read of the weights of small maps.
constexpr std::size_t max_faces = 16;
/// Neighbourhoods that are gathered at once.
constexpr std::size_t max_patches = 48;
/// Rows and columns of the stem's result that the maxima read.
constexpr std::size_t stem_side = 71;
constexpr std::size_t pooled_side = 35;

/// Results of 4×4 need the fewest products. Maps of 4×4 take 2×2: weights for 4×4 would be 9 MB a layer, and
/// reading them takes longer than the products.
constexpr std::size_t tile_of(std::size_t side) {
    return side > 4 ? 4 : 2;
}

/// So many tiles at once, that their values and products stay in the fast caches, or that they share what is
/// read of large weights.
constexpr std::size_t tiles_at_once(std::size_t side) {
    return side > 8 ? 27 : 32;
}

std::size_t strided_side(std::size_t side) {
    return (side - 3) / 2 + 1;
}

struct PackedBlock {
    std::optional<StridedLayer> strided;    // first, with stride 2
    std::optional<WinogradLayer> first;     // first, with stride 1
    std::optional<WinogradLayer> second;    // on maps of more than one value
    std::optional<FaceResnetPanels> alone;  // second, on maps of one value: all else is border
    LineVector<float> alone_bias;
};

PackedBlock pack_block(const FaceResnetBlock& shape, const std::array<FaceResnetConvolution, 2>& block) {
    PackedBlock packed;
    std::size_t side = shape.side;
    if (shape.stride == 2) {
        packed.strided = make_strided_layer(block[0]);
        side = strided_side(side);
    } else {
        packed.first = make_winograd_layer(block[0], tile_of(side));
    }
    if (side > 1) {
        packed.second = make_winograd_layer(block[1], tile_of(side));
        return packed;
    }
    constexpr std::size_t centre = 4;
    packed.alone = pack_panels(shape.channels, shape.channels, [&](std::size_t output, std::size_t input) {
        return block[1].weights[9 * (output * shape.channels + input) + centre];
    });
    packed.alone_bias.assign(block[1].bias.begin(), block[1].bias.end());
    return packed;
}

struct PackedResnet {
    explicit PackedResnet(const FaceResnetWeights& weights)
        : stem(pack_panels(
              face_resnet_stem_taps * face_resnet_stem_taps, face_resnet_stem_channels,
              [&](std::size_t output, std::size_t tap) {
                  return weights.stem.weights[output * face_resnet_stem_taps * face_resnet_stem_taps + tap];
              })),
          stem_bias(weights.stem.bias.begin(), weights.stem.bias.end()),
          projection(pack_panels(face_resnet_last_channels, face_resnet_length,
                                 [&](std::size_t output, std::size_t input) {
                                     return weights.projection[output * face_resnet_last_channels + input];
                                 })) {
        for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b)
            blocks.push_back(pack_block(face_resnet_blocks[b], weights.blocks[b]));
    }

    FaceResnetPanels stem;
    LineVector<float> stem_bias;
    std::vector<PackedBlock> blocks;
    FaceResnetPanels projection;
};

/// The maps of the blocks of one size: two, which convolutions turn into each other.
struct MapPair {
    MapPair(std::size_t faces, std::size_t side, std::size_t channels)
        : kept(faces, side, tile_of(side), channels), between(faces, side, tile_of(side), channels) {}

    FaceMaps kept, between;
};

/// The network with its memory, for up to max_faces faces at once. Large maps are made face by face, as then
/// they stay in the caches; small ones for all faces together, as then their large weights are read once.
class FaceResnetPass {
  public:
    explicit FaceResnetPass(const PackedResnet& net)
        : net_(net),
          maps35_(1, 35, 32),
          maps17_(1, 17, 64),
          maps8_(max_faces, 8, 128),
          maps4_(max_faces, 4, 256),
          maps3_(max_faces, 3, tile_of(3), 256),
          maps2_(max_faces, 2, 2, 256),
          grey_(face_resnet_side * face_resnet_side),
          stem_rows_(3 * (stem_side + 1) * face_resnet_stem_channels),
          patches_(max_patches * 9 * 256),
          results_(max_patches * 256),
          ones_(2 * max_faces * 256) {}

    /// \param count 1 to max_faces.
    void run(const std::uint8_t* faces, std::size_t count, float* vectors) {
        const FaceMapView kept8 = maps8_.kept.view(), between8 = maps8_.between.view();
        const FaceMapView kept4 = maps4_.kept.view();
        for (std::size_t face = 0; face < count; ++face) {
            run_stem(faces + face * face_resnet_side * face_resnet_side);
            for (std::size_t b = 0; b < 3; ++b) run_block(b, maps35_, 1);
            start_block(3, maps35_.kept.view(), 1, maps17_.between.view(), maps17_.kept.view());
            finish_block(3, maps17_.between.view(), 1, maps17_.kept.view());
            for (std::size_t b = 4; b < 7; ++b) run_block(b, maps17_, 1);
            start_block(7, maps17_.kept.view(), 1, between8.from_face(face), kept8.from_face(face));
        }
        finish_block(7, between8, count, kept8);
        for (std::size_t b = 8; b < 10; ++b) run_block(b, maps8_, count);
        start_block(10, kept8, count, maps3_.view(), kept4);
        finish_block(10, maps3_.view(), count, kept4);
        for (std::size_t b = 11; b < 13; ++b) run_block(b, maps4_, count);
        run_last_block(kept4, count);
        project(count, vectors);
    }

  private:
    void run_stem(const std::uint8_t* face) {
        for (std::size_t i = 0; i < grey_.size(); ++i)
            grey_[i] = static_cast<float>(face[i]) - face_resnet_grey;
        const auto stem_row = [&](std::size_t y) {
            return stem_rows_.data() + y % 3 * (stem_side + 1) * face_resnet_stem_channels;
        };
        FaceResnetProduct product;
        product.rows = stem_side;
        product.row_step = 2;
        product.runs = product.run_length = face_resnet_stem_taps;
        product.run_step = face_resnet_side;
        product.panels = net_.stem.values.data();
        product.outputs = product.to_step = face_resnet_stem_channels;
        product.start = net_.stem_bias.data();
        product.rectifies = true;
        for (std::size_t y = 0; y < stem_side; ++y) {
            product.from = grey_.data() + 2 * y * face_resnet_side;
            product.to = stem_row(y);
            multiply(product);
            if (y < 2 || y % 2 != 0) continue;
            pool_maxima({stem_row(y - 2), stem_row(y - 1), stem_row(y)}, pooled_side,
                        face_resnet_stem_channels, maps35_.kept.view().at(0, y / 2 - 1, 0));
        }
    }

    /// A block of stride 1.
    void run_block(std::size_t b, MapPair& maps, std::size_t faces) {
        const FaceMapView kept = maps.kept.view(), between = maps.between.view();
        convolve(*net_.blocks[b].first, kept, faces, false, between, tiles_at_once(kept.side), scratch_);
        finish_block(b, between, faces, kept);
    }

    /// The first convolution of a block of stride 2, and the means to which its result will be added.
    void start_block(std::size_t b, const FaceMapView& from, std::size_t faces, const FaceMapView& between,
                     const FaceMapView& kept) {
        pool_means(from, faces, kept);
        const std::size_t side = between.side;
        run_strided(*net_.blocks[b].strided, from, faces, side, [&](std::size_t place) {
            return between.at(place / (side * side), place / side % side, place % side);
        });
    }

    void finish_block(std::size_t b, const FaceMapView& between, std::size_t faces, const FaceMapView& kept) {
        convolve(*net_.blocks[b].second, between, faces, true, kept, tiles_at_once(between.side), scratch_);
    }

    /// \param to gives the place of a result by its number.
    template <class To>
    void run_strided(const StridedLayer& layer, const FaceMapView& from, std::size_t faces, std::size_t side,
                     const To& to) {
        const std::size_t results = faces * side * side;
        const std::size_t inputs = layer.panels.inputs, outputs = layer.panels.outputs;
        for (std::size_t first = 0; first < results; first += max_patches) {
            FaceResnetProduct product;
            product.rows = std::min(max_patches, results - first);
            gather_patches(from, side, first, product.rows, patches_.data());
            product.from = patches_.data();
            product.row_step = product.run_length = inputs;
            product.panels = layer.panels.values.data();
            product.outputs = product.to_step = outputs;
            product.start = layer.bias.data();
            product.rectifies = true;
            product.to = results_.data();
            multiply(product);
            for (std::size_t i = 0; i < product.rows; ++i)
                std::copy_n(results_.data() + i * outputs, outputs, to(first + i));
        }
    }

    /// The block whose convolutions make one value of a channel, and the mean of its 2×2 results.
    void run_last_block(const FaceMapView& from, std::size_t faces) {
        constexpr std::size_t channels = face_resnet_last_channels;
        const PackedBlock& block = net_.blocks.back();
        const FaceMapView kept = maps2_.view();
        pool_means(from, faces, kept);
        float* const between = ones_.data();
        float* const last = between + max_faces * channels;
        run_strided(*block.strided, from, faces, 1,
                    [&](std::size_t place) { return between + place * channels; });
        FaceResnetProduct product;
        product.from = between;
        product.rows = faces;
        product.row_step = product.run_length = channels;
        product.panels = block.alone->values.data();
        product.outputs = product.to_step = channels;
        product.start = block.alone_bias.data();
        product.to = last;
        multiply(product);
        for (std::size_t face = 0; face < faces; ++face) {
            float* const sums = last + face * channels;
            const float* const above = kept.at(face, 0, 0);
            const float* const below = kept.at(face, 1, 0);
            // The other three are means of rectified values.
            for (std::size_t c = 0; c < channels; ++c) {
                const float corner = std::max(above[c] + sums[c], 0.0F);
                sums[c] = ((corner + above[channels + c]) + (below[c] + below[channels + c])) * 0.25F;
            }
        }
    }

    void project(std::size_t faces, float* vectors) {
        FaceResnetProduct product;
        product.from = ones_.data() + max_faces * face_resnet_last_channels;
        product.rows = faces;
        product.row_step = product.run_length = face_resnet_last_channels;
        product.panels = net_.projection.values.data();
        product.outputs = product.to_step = face_resnet_length;
        product.to = vectors;
        multiply(product);
    }

    const PackedResnet& net_;
    MapPair maps35_, maps17_, maps8_, maps4_;
    FaceMaps maps3_, maps2_;
    LineVector<float> grey_;       // of one face
    LineVector<float> stem_rows_;  // the last three
    LineVector<float> patches_, results_;
    LineVector<float> ones_;  // maps of one value: [2][face][channel]
    WinogradScratch scratch_;
};

class CpuFaceResnet : public FaceResnetBackend {
  public:
    explicit CpuFaceResnet(const FaceResnetWeights& weights) : net_(weights) {}

    void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const override {
        const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
        const std::size_t part = std::clamp<std::size_t>((count + threads - 1) / threads, 1, max_faces);
        tbb::parallel_for(std::size_t{0}, (count + part - 1) / part, [&](std::size_t i) {
            const std::size_t first = i * part;
            // A pass that an exception ended is not given back.
            auto pass = passes_.take([&] { return std::make_unique<FaceResnetPass>(net_); });
            pass->run(faces + first * face_resnet_side * face_resnet_side, std::min(part, count - first),
                      vectors + first * face_resnet_length);
            passes_.give_back(std::move(pass));
        });
    }

  private:
    PackedResnet net_;
    mutable IdlePool<FaceResnetPass> passes_;
};

}  // namespace

std::unique_ptr<const FaceResnetBackend> make_cpu_face_resnet(const FaceResnetWeights& weights) {
    return std::make_unique<CpuFaceResnet>(weights);
}

}  // namespace fovea
