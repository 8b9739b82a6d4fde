#include "tests/support/dlib_resnets.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include "lib/core/splitmix.hpp"
#include "tests/support/dlib_models.hpp"

namespace fovea::test {
namespace {

constexpr std::array<float, 3> means{122.5F, 117.25F, 104};

// Sixteenths, so that all products and sums of the test are exact.
float invented(std::size_t layer, std::size_t i) {
    return static_cast<float>(static_cast<int>(mixed(layer * 10'000'000 + i) % 33) - 16) / 16;
}

class DlibResnetWriter {
  public:
    explicit DlibResnetWriter(const DlibResnetSettings& settings) : settings_(settings) {}

    std::vector<DlibPart> write() {
        describe_layers();
        label_ = "network";
        integer("version", 1);
        name(settings_.other_names ? "loss_metric_" : "loss_metric_2");
        if (!settings_.other_names) {
            real("margin", 0.04F);
            real("threshold", 0.6F);
        }
        for (std::size_t i = layers_.size(); i-- > 0;) {
            label_ = "layer " + std::to_string(i);
            const bool is_mark = layers_[i].name == "mark";
            integer("version", is_mark ? 1 : i == 0 ? 3 : 2);
        }
        label_ = "input";
        name("input_rgb_image_sized");
        for (const float mean : means) real("mean", mean);
        integer("height", 150);
        integer("width", 150);
        for (number_ = 0; number_ < layers_.size(); ++number_) {
            label_ = "layer " + std::to_string(number_);
            if (layers_[number_].name != "mark") write_layer(layers_[number_]);
        }
        return std::move(parts_);
    }

  private:
    struct Layer {
        std::string name;
        std::size_t inputs = 0, outputs = 0, taps = 0, stride = 0, border = 0;
    };

    void describe_layers() {
        const auto convolution = [&](std::size_t inputs, std::size_t outputs, std::size_t taps,
                                     std::size_t stride, std::size_t border) {
            layers_.push_back(
                {settings_.other_names ? "con_5" : "con_4", inputs, outputs, taps, stride, border});
            layers_.push_back({settings_.other_names ? "affine_2" : "affine_", 0, outputs});
        };
        convolution(3, 32, 7, 2, 0);
        layers_.push_back({"relu_"});
        layers_.push_back({"max_pool_2", 0, 0, 3, 2});
        for (const FaceResnetBlock& block : face_resnet_blocks) {
            layers_.push_back({"mark"});
            convolution(block.inputs, block.channels, 3, block.stride, block.stride == 2 ? 0 : 1);
            layers_.push_back({"relu_"});
            convolution(block.channels, block.channels, 3, 1, 1);
            if (block.stride == 2) {
                layers_.push_back({"mark"});
                layers_.push_back({"mark"});
                layers_.push_back({"avg_pool_2", 0, 0, 2, 2});
            }
            layers_.push_back({"add_prev_"});
            layers_.push_back({"relu_"});
        }
        layers_.push_back({"avg_pool_2", 0, 0, 0, 1});
        layers_.push_back({settings_.other_names ? "fc_3" : "fc_2"});
    }

    void add(const char* label, std::string bytes) {
        parts_.push_back({label_ + ": " + label, std::move(bytes)});
    }
    void integer(const char* label, std::int64_t value) { add(label, dlib_integer(value)); }
    void real(const char* label, float value) { add(label, dlib_real(value)); }
    void flag(const char* label, bool value) { add(label, value ? "1" : "0"); }
    void name(const std::string& text) {
        add("name", dlib_integer(static_cast<std::int64_t>(text.size())) + text);
    }
    void tensor(const std::array<std::size_t, 4>& dimensions) {
        integer("tensor's version", 2);
        std::size_t count = 1;
        for (const std::size_t dimension : dimensions) {
            integer("dimension", static_cast<std::int64_t>(dimension));
            count *= dimension;
        }
        std::string bytes;
        for (std::size_t i = 0; i < count; ++i) {
            const auto word = std::bit_cast<std::uint32_t>(invented(number_, i));
            for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 255U);
        }
        add("values", std::move(bytes));
    }
    void part_of_tensor(const std::array<std::size_t, 4>& dimensions) {
        integer("part's version", 1);
        for (const std::size_t dimension : dimensions)
            integer("part's dimension", static_cast<std::int64_t>(dimension));
    }
    void rates() {
        for (int i = 0; i < 4; ++i) real("rate", 1);
    }
    void window(const Layer& layer) {
        for (const char* const label : {"height", "width"})
            integer(label, static_cast<std::int64_t>(layer.taps));
        for (int i = 0; i < 2; ++i) integer("stride", static_cast<std::int64_t>(layer.stride));
        for (int i = 0; i < 2; ++i) integer("border", static_cast<std::int64_t>(layer.border));
    }

    void write_layer(const Layer& layer) {
        name(layer.name);
        if (layer.name.rfind("con", 0) == 0) {
            tensor({layer.outputs * (layer.inputs * layer.taps * layer.taps + 1), 1, 1, 1});
            integer("outputs", static_cast<std::int64_t>(layer.outputs));
            window(layer);
            part_of_tensor({layer.outputs, layer.inputs, layer.taps, layer.taps});
            part_of_tensor({1, layer.outputs, 1, 1});
            rates();
            if (settings_.other_names) flag("use of biases", true);
        } else if (layer.name.rfind("affine", 0) == 0) {
            tensor({2 * layer.outputs, 1, 1, 1});
            for (int i = 0; i < 2; ++i) part_of_tensor({1, layer.outputs, 1, 1});
            integer("mode", 0);
            if (settings_.other_names) flag("disabled", false);
        } else if (layer.name.rfind("fc", 0) == 0) {
            integer("outputs", 128);
            integer("inputs", 256);
            tensor({256, 128, 1, 1});
            part_of_tensor({256, 128, 1, 1});
            part_of_tensor({0, 0, 0, 0});
            integer("mode", 1);
            rates();
            if (settings_.other_names) flag("use of biases", true);
        } else if (layer.stride > 0) {
            window(layer);
        }
        for (int i = 0; i < 3; ++i) flag("state", i < 2);
        for (int i = 0; i < 3; ++i) {
            const std::size_t side = settings_.has_training_state ? 2 : 0;
            tensor({side, side, 1, side});
        }
        if (number_ == 0) integer("pictures of a picture", 1);
    }

    DlibResnetSettings settings_;
    std::vector<Layer> layers_;
    std::size_t number_ = 0;
    std::string label_;
    std::vector<DlibPart> parts_;
};

// One affine layer follows each convolution.
FaceResnetConvolution folded(std::size_t layer, std::size_t inputs, std::size_t outputs, std::size_t taps) {
    FaceResnetConvolution convolution;
    const std::size_t size = inputs * taps * taps;
    for (std::size_t output = 0; output < outputs; ++output) {
        const float factor = invented(layer + 1, output);
        for (std::size_t i = 0; i < size; ++i)
            convolution.weights.push_back(factor * invented(layer, output * size + i));
        convolution.bias.push_back(factor * invented(layer, outputs * size + output) +
                                   invented(layer + 1, outputs + output));
    }
    return convolution;
}

}  // namespace

std::vector<DlibPart> dlib_resnet_parts(const DlibResnetSettings& settings) {
    return DlibResnetWriter(settings).write();
}

std::string joined_parts(const std::vector<DlibPart>& parts) {
    std::string bytes;
    for (const DlibPart& part : parts) bytes += part.bytes;
    return bytes;
}

FaceResnetWeights folded_dlib_resnet() {
    FaceResnetWeights weights;
    const FaceResnetConvolution colours = folded(0, 3, 32, 7);
    for (std::size_t output = 0; output < 32; ++output) {
        // level - mean = (level - 128) + (128 - mean)
        double bias = colours.bias[output];
        for (std::size_t tap = 0; tap < 49; ++tap) {
            double sum = 0;
            for (std::size_t colour = 0; colour < 3; ++colour) {
                const double weight = colours.weights[(output * 3 + colour) * 49 + tap];
                sum += weight / 256;
                bias += weight * (128 - double{means[colour]}) / 256;
            }
            weights.stem.weights.push_back(static_cast<float>(sum));
        }
        weights.stem.bias.push_back(static_cast<float>(bias));
    }
    // Behind the stem: convolution, affine, rectifier, maxima.
    std::size_t layer = 4;
    for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
        const FaceResnetBlock& block = face_resnet_blocks[b];
        weights.blocks[b][0] = folded(layer + 1, block.inputs, block.channels, 3);
        weights.blocks[b][1] = folded(layer + 4, block.channels, block.channels, 3);
        layer += block.stride == 2 ? 11 : 8;
    }
    for (std::size_t output = 0; output < 128; ++output) {
        for (std::size_t input = 0; input < 256; ++input)
            weights.projection.push_back(invented(layer + 1, input * 128 + output));
    }
    return weights;
}

}  // namespace fovea::test
