#include "lib/recognise/network_recogniser.hpp"

#include <map>
#include <memory>
#include <mutex>

#include "kernels/core/scratch.hpp"
#include "kernels/face_embedding/face_resnet.hpp"
#include "kernels/face_embedding/vector_words.hpp"
#include "kernels/lbp/mirror.hpp"
#include "lib/json/field_json.hpp"
#include "lib/recognise/networks/dlib_resnet.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/recognise/vector_features.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int side = static_cast<int>(face_resnet_side);

constexpr const char* network_hint =
    "; scripts/fetch-recogniser.sh brings dlib's, and FOVEA_MODELS can name a folder whose recognisers/ "
    "holds it";

/// The weights of a network's file. A job has a describer for each of its threads: those that are there at
/// the same time share what one has read.
std::shared_ptr<const FaceResnetWeights> weights_of(const NetworkFile& network) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<const FaceResnetWeights>> known;  // by SHA-256
    const std::lock_guard lock(mutex);
    std::shared_ptr<const FaceResnetWeights> weights = known[network.sha256].lock();
    if (!weights) {
        weights = std::make_shared<const FaceResnetWeights>(
            read_dlib_resnet(find_checked_network(network, network_hint)));
        known[network.sha256] = weights;
    }
    return weights;
}

class NetworkDescriber : public CropDescriber {
  public:
    NetworkDescriber(const RecogniserConfig& config, const Device& device)
        : device_(device),
          weights_(weights_of(config.network)),
          network_(device, *weights_),
          is_mirrored_(config.mirror) {}

    void describe(const std::uint8_t* faces, std::size_t count, std::uint16_t* words) override {
        const std::size_t size = count * face_resnet_length;
        if (!is_mirrored_) {
            float* const vectors = vectors_.of_size(device_, size);
            network_.describe(faces, count, vectors);
            round_vectors(device_, vectors, nullptr, size, words);
            return;
        }
        // Together: a GPU describes many faces in hardly more time than few.
        const std::size_t pixels = count * side * side;
        std::uint8_t* const both = both_.of_size(device_, 2 * pixels);
        both_.buffer().upload(faces, pixels);
        mirror_faces(device_, faces, count, {side, side}, both + pixels);
        float* const vectors = vectors_.of_size(device_, 2 * size);
        network_.describe(both, 2 * count, vectors);
        round_vectors(device_, vectors, vectors + size, size, words);
    }

  private:
    const Device& device_;
    const std::shared_ptr<const FaceResnetWeights> weights_;
    const FaceResnet network_;
    const bool is_mirrored_;
    Scratch<float> vectors_;
    Scratch<std::uint8_t> both_;  // faces, then their mirror images
};

void describe_network(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    visitor.value({.key = "mirror", .presence = Presence::optional}, &config.mirror);
    visitor.object("network", [&](FieldVisitor& members) {
        describe_network_file(members, config.network, folder, network_hint);
    });
    visitor.rule("face", config.geometry.size == Size{side, side},
                 "150 wide and 150 high, as the network takes faces");
    describe_no_normalisation(visitor, config);
}

void describe_network_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& /*folder*/) {
    describe_vector_distance(visitor, config);
}

std::string network_description(const RecogniserConfig& config) {
    return describe_vectors(config, face_resnet_length);
}

std::unique_ptr<CropDescriber> network_describer(const RecogniserConfig& config, const Device& device) {
    return std::make_unique<NetworkDescriber>(config, device);
}

FeatureMetric network_metric(const RecogniserConfig& config) {
    return vector_metric(face_resnet_length, config.vector_distance);
}

}  // namespace

RecogniserKind network_recognisers() {
    return {.name = "a network",
            .key = "network",
            .features = "a vector of the face",
            .numpy_type = "<i2",
            .distance = "Euclidean or cosine",
            .max_difference = 1,
            .normalisation = no_normalisation(),
            .describe_features = describe_network,
            .describe_distance = describe_network_distance,
            .description = network_description,
            .describer = network_describer,
            .metric = network_metric};
}

}  // namespace fovea
