#include "lib/recognise/vector_features.hpp"

#include <algorithm>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "kernels/vector_search/vector_search.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {
namespace {

constexpr NameTable<VectorDistance, 2> vector_distances{{"euclidean", "cosine"}, "is no distance of vectors"};

/// Signed and unsigned integers of a size may stand for each other in memory.
const std::int16_t* components(const std::uint16_t* words) {
    return reinterpret_cast<const std::int16_t*>(words);
}

class VectorsOfFaces : public FeatureGallery {
  public:
    explicit VectorsOfFaces(VectorGallery gallery) : gallery_(std::move(gallery)) {}

    void add(const std::uint16_t* rows, std::size_t count) override { gallery_.add(components(rows), count); }
    std::size_t size() const override { return gallery_.size(); }
    void clear() override { gallery_.clear(); }
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count,
                                  std::size_t k) const override {
        return gallery_.search(components(queries), count, k);
    }
    void distances(const std::uint16_t* queries, std::size_t count, double* out) const override {
        gallery_.distances(components(queries), count, out);
    }

  private:
    VectorGallery gallery_;
};

}  // namespace

FaceNormalisation no_normalisation() {
    FaceNormalisation steps;
    steps.mask = steps.equalise = steps.standardise = false;
    return steps;
}

void describe_no_normalisation(FieldVisitor& visitor, const RecogniserConfig& config) {
    visitor.rule("normalisation", config.normalisation == no_normalisation(),
                 "without any step: the network has learned faces as they are");
}

void describe_vector_distance(FieldVisitor& visitor, RecogniserConfig& config, Presence presence) {
    visitor.value({.key = "distance", .presence = presence}, named(config.vector_distance, vector_distances));
}

std::string describe_vectors(const RecogniserConfig& config, std::size_t length) {
    return fmt::format("network {}{}, {} components, {} distance", config.network.name,
                       config.mirror ? " of the face and its mirror image" : "", length,
                       vector_distances.name_of(config.vector_distance));
}

FeatureMetric vector_metric(std::size_t length, VectorDistance distance) {
    return {.length = length,
            .vector_distance = distance,
            .check =
                [length](const std::uint16_t* rows, std::size_t count, const char* what, std::size_t first) {
                    constexpr std::uint16_t below_all = 0x8000;
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::uint16_t* const row = rows + i * length;
                        if (std::find(row, row + length, below_all) == row + length) continue;
                        throw std::invalid_argument(fmt::format(
                            "{} {} has a component of -32768, which no face has", what, first + i));
                    }
                },
            .distance =
                [length, distance](const std::uint16_t* first, const std::uint16_t* second) {
                    return vector_distance(distance, components(first), components(second), length);
                },
            .gallery = [length, distance](const Device& device) -> std::unique_ptr<FeatureGallery> {
                return std::make_unique<VectorsOfFaces>(VectorGallery(device, length, distance));
            }};
}

}  // namespace fovea
