#include <algorithm>
#include <cmath>

#include "kernels/face_embedding/vector_words_body.hpp"
#include "kernels/lbp/mirror.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/network_recogniser.hpp"
#include "lib/recognise/networks/onnx_network.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/recognise/vector_features.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr NameTable<OnnxChannels, 3> onnx_channels{{"bgr", "rgb", "grey"}, "is no order of channels"};

constexpr const char* onnx_hint =
    "; put it beside the recogniser's file, or let FOVEA_MODELS name a folder whose recognisers/ holds it";

/// A vector, made 1 long, in words; one of zeros alone stays as it is.
void write_direction(const float* vector, std::size_t length, std::uint16_t* words) {
    double squares = 0;
    for (std::size_t i = 0; i < length; ++i) squares += static_cast<double>(vector[i]) * vector[i];
    const double norm = squares > 0 ? std::sqrt(squares) : 1;
    std::transform(vector, vector + length, words,
                   [norm](float component) { return vector_word(component / norm); });
}

class OnnxDescriber : public CropDescriber {
  public:
    OnnxDescriber(const RecogniserConfig& config, const Device& device)
        : device_(device),
          size_(config.geometry.size),
          length_(static_cast<std::size_t>(config.onnx.length)),
          network_(find_checked_network(config.network, onnx_hint), size_, config.onnx),
          is_mirrored_(config.mirror) {}

    void describe(const std::uint8_t* faces, std::size_t count, std::uint16_t* words) override {
        vectors_.resize(count * length_);
        network_.describe(faces, count, vectors_.data());
        if (is_mirrored_) {
            mirrored_.resize(count * static_cast<std::size_t>(size_.width) *
                             static_cast<std::size_t>(size_.height));
            mirror_faces(device_, faces, count, size_, mirrored_.data());
            mirrored_vectors_.resize(vectors_.size());
            network_.describe(mirrored_.data(), count, mirrored_vectors_.data());
            // Half of each, so that no sum of finite numbers is infinite.
            std::transform(vectors_.begin(), vectors_.end(), mirrored_vectors_.begin(), vectors_.begin(),
                           [](float face, float mirrored) { return face / 2 + mirrored / 2; });
        }
        for (std::size_t face = 0; face < count; ++face)
            write_direction(vectors_.data() + face * length_, length_, words + face * length_);
    }

  private:
    const Device& device_;
    const Size size_;
    const std::size_t length_;
    const OnnxNetwork network_;
    const bool is_mirrored_;
    std::vector<float> vectors_;
    std::vector<std::uint8_t> mirrored_;
    std::vector<float> mirrored_vectors_;
};

void describe_onnx(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& folder) {
    visitor.value({.key = "mirror", .presence = Presence::optional}, &config.mirror);
    visitor.object("onnx", [&](FieldVisitor& members) {
        OnnxSettings& settings = config.onnx;
        describe_network_file(members, config.network, folder, onnx_hint);
        members.value({.key = "channels", .presence = Presence::always},
                      named(settings.channels, onnx_channels));
        members.value({.key = "mean"}, &settings.mean);
        members.value({.key = "scale"}, &settings.scale);
        members.value({.key = "length",
                       .range = from_to(1, static_cast<double>(max_vector_length)),
                       .presence = Presence::always},
                      &settings.length);
        const auto fits = [&](const std::vector<double>& numbers) {
            return numbers.size() == 1 || numbers.size() == channel_count(settings.channels);
        };
        constexpr const char* expected = "a list of one number, or of one for each channel";
        members.rule("mean", fits(settings.mean), expected);
        members.rule("scale", fits(settings.scale), expected);
    });
    describe_no_normalisation(visitor, config);
}

void describe_onnx_distance(FieldVisitor& visitor, RecogniserConfig& config, const fs::path& /*folder*/) {
    describe_vector_distance(visitor, config, Presence::always);
}

std::string onnx_description(const RecogniserConfig& config) {
    return describe_vectors(config, static_cast<std::size_t>(config.onnx.length));
}

std::unique_ptr<CropDescriber> onnx_describer(const RecogniserConfig& config, const Device& device) {
    return std::make_unique<OnnxDescriber>(config, device);
}

FeatureMetric onnx_metric(const RecogniserConfig& config) {
    return vector_metric(static_cast<std::size_t>(config.onnx.length), config.vector_distance);
}

}  // namespace

RecogniserKind onnx_recognisers() {
    return {.name = "a network in ONNX",
            .key = "onnx",
            .features = "the direction of a vector of the face",
            .numpy_type = "<i2",
            .distance = "cosine or Euclidean",
            .runs_on_gpus = false,
            .normalisation = no_normalisation(),
            .describe_features = describe_onnx,
            .describe_distance = describe_onnx_distance,
            .description = onnx_description,
            .describer = onnx_describer,
            .metric = onnx_metric};
}

}  // namespace fovea
