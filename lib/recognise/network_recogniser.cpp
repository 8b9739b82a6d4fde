#include "lib/recognise/network_recogniser.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>

#include "kernels/face_embedding/face_resnet.hpp"
#include "kernels/face_embedding/vector_words.hpp"
#include "kernels/lbp/mirror.hpp"
#include "kernels/vector_search/vector_search.hpp"
#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/networks/dlib_resnet.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/recognise/scratch.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr NameTable<VectorDistance, 2> vector_distances{{"euclidean", "cosine"}, "is no distance of vectors"};

FaceNormalisation no_steps() {
    FaceNormalisation steps;
    steps.mask = steps.equalise = steps.standardise = false;
    return steps;
}

constexpr int side = static_cast<int>(face_resnet_side);

/// \throws UsageError naming the places that were searched.
fs::path find_network(const NetworkFile& network) {
    std::vector<ModelPlace> places;
    if (!network.folder.empty()) places.push_back({network.folder, {}});
    for (const fs::path& folder : model_folders()) places.push_back({folder / "recognisers", {}});
    return find_by_name(places, network.name, "network", "",
                        "; scripts/fetch-recogniser.sh brings dlib's, and FOVEA_MODELS can name a folder "
                        "whose recognisers/ holds it");
}

/// \throws as find_network(); UsageError if the file is another one than the recogniser's.
fs::path find_checked_network(const NetworkFile& network) {
    fs::path file = find_network(network);
    if (const std::string found = sha256_of_file(file.string()); found != network.sha256) {
        throw UsageError(file.string() + " is not the network of this recogniser: its SHA-256 is " + found +
                         ", but must be " + network.sha256);
    }
    return file;
}

/// Signed and unsigned integers of a size may stand for each other in memory.
const std::int16_t* components(const std::uint16_t* words) {
    return reinterpret_cast<const std::int16_t*>(words);
}

class NetworkDescriber : public CropDescriber {
  public:
    NetworkDescriber(const RecogniserConfig& config, const Device& device)
        : device_(device),
          network_(device, read_dlib_resnet(find_checked_network(config.network))),
          is_mirrored_(config.mirror) {}

    void describe(const std::uint8_t* faces, std::size_t count, std::uint16_t* words) override {
        const std::size_t size = count * face_resnet_length;
        float* const vectors = vectors_.of_size(device_, size);
        network_.describe(faces, count, vectors);
        float* mirrored_vectors = nullptr;
        if (is_mirrored_) {
            std::uint8_t* const mirrored = mirrored_.of_size(device_, count * side * side);
            mirror_faces(device_, faces, count, {side, side}, mirrored);
            mirrored_vectors = mirrored_vectors_.of_size(device_, size);
            network_.describe(mirrored, count, mirrored_vectors);
        }
        round_vectors(device_, vectors, mirrored_vectors, size, words);
    }

  private:
    const Device& device_;
    const FaceResnet network_;
    const bool is_mirrored_;
    Scratch<float> vectors_, mirrored_vectors_;
    Scratch<std::uint8_t> mirrored_;
};

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

void describe_network(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    visitor.value({.key = "mirror", .presence = Presence::optional}, &config.mirror);
    NetworkFile& network = config.network;
    visitor.object("network", [&](FieldVisitor& members) {
        members.value({.key = "file"}, &network.name);
        members.demand("file", [&] {
            const fs::path given(network.name);
            network.folder = given.has_parent_path() ? folder / given.parent_path() : folder;
            network.name = given.filename().string();
            if (network.name.empty()) throw UsageError("it must name the file of a network");
        });
        members.value({.key = "sha256", .presence = Presence::optional}, &network.sha256);
        members.demand("file", [&] {
            if (network.sha256.empty()) network.sha256 = sha256_of_file(find_network(network).string());
        });
    });
    visitor.rule("face", config.geometry.size == Size{side, side},
                 "150 wide and 150 high, as the network takes faces");
    visitor.rule("normalisation", config.normalisation == no_steps(),
                 "without any step: the network has learned faces as they are");
}

void describe_vector_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& /*folder*/) {
    visitor.value({.key = "distance"}, named(config.vector_distance, vector_distances));
}

std::string network_description(const RecogniserConfig& config) {
    return fmt::format("network {}{}, {} components, {} distance", config.network.name,
                       config.mirror ? " of the face and its mirror image" : "", face_resnet_length,
                       vector_distances.name_of(config.vector_distance));
}

std::unique_ptr<CropDescriber> network_describer(const RecogniserConfig& config, const Device& device) {
    return std::make_unique<NetworkDescriber>(config, device);
}

void check_vectors(const std::uint16_t* rows, std::size_t count, const char* what, std::size_t first) {
    constexpr std::uint16_t below_all = 0x8000;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t* const row = rows + i * face_resnet_length;
        if (std::find(row, row + face_resnet_length, below_all) == row + face_resnet_length) continue;
        throw std::invalid_argument(
            fmt::format("{} {} has a component of -32768, which no face has", what, first + i));
    }
}

FeatureMetric vector_metric(const RecogniserConfig& config) {
    const VectorDistance distance = config.vector_distance;
    return {.length = face_resnet_length,
            .vector_distance = distance,
            .check = check_vectors,
            .distance =
                [distance](const std::uint16_t* first, const std::uint16_t* second) {
                    return vector_distance(distance, components(first), components(second),
                                           face_resnet_length);
                },
            .gallery = [distance](const Device& device) -> std::unique_ptr<FeatureGallery> {
                return std::make_unique<VectorsOfFaces>(VectorGallery(device, face_resnet_length, distance));
            }};
}

}  // namespace

RecogniserKind network_recognisers() {
    return {.name = "a network",
            .key = "network",
            .features = "a vector of the face",
            .numpy_type = "<i2",
            .distance = "Euclidean or cosine",
            .max_difference = 1,
            .normalisation = no_steps(),
            .describe_features = describe_network,
            .describe_distance = describe_vector_distance,
            .description = network_description,
            .describer = network_describer,
            .metric = vector_metric};
}

}  // namespace fovea
