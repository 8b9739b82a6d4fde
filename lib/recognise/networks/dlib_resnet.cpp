#include "lib/recognise/networks/dlib_resnet.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/dlib/packed_reader.hpp"
#include "lib/files/model_file.hpp"

// The format is that of dlib 19's serialize() for the layers of dnn/layers.h, in dnn/core.h. A layer writes
// its version, then the layer below it (nearer to the picture), then its own parameters. So the file begins
// with the versions of all layers, the last layer first, and continues with their parameters, the first
// layer first.
namespace fovea {
namespace {

constexpr std::size_t colours = 3;

enum class DlibLayerKind : std::uint8_t {
    convolution,
    affine,
    rectifier,
    largest,
    mean,
    sum,
    mark,  // tag or skip: a name for what comes out of a layer
    projection
};

struct DlibLayer {
    DlibLayerKind kind = DlibLayerKind::mark;
    // A convolution has all of these, pooling `taps` and `stride`, an affine layer `outputs`.
    std::size_t inputs = 0, outputs = 0, taps = 0, stride = 0, border = 0;
    FaceResnetConvolution* target = nullptr;  // of a convolution and of the affine layer behind it
};

/// The layers that the network has, the first first.
std::vector<DlibLayer> expected_layers(FaceResnetWeights& weights) {
    using enum DlibLayerKind;
    std::vector<DlibLayer> layers;
    const auto add_convolution = [&](std::size_t inputs, std::size_t outputs, std::size_t taps,
                                     std::size_t stride, FaceResnetConvolution& target) {
        const std::size_t border = stride == 1 ? taps / 2 : 0;
        layers.push_back({convolution, inputs, outputs, taps, stride, border, &target});
        layers.push_back({affine, 0, outputs, 0, 0, 0, &target});
    };
    const auto add = [&](DlibLayerKind kind, std::size_t taps = 0, std::size_t stride = 0) {
        layers.push_back({kind, 0, 0, taps, stride, 0, nullptr});
    };
    add_convolution(colours, face_resnet_stem_channels, face_resnet_stem_taps, 2, weights.stem);
    add(rectifier);
    add(largest, 3, 2);
    for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
        const FaceResnetBlock& block = face_resnet_blocks[b];
        add(mark);
        add_convolution(block.inputs, block.channels, 3, block.stride, weights.blocks[b][0]);
        add(rectifier);
        add_convolution(block.channels, block.channels, 3, 1, weights.blocks[b][1]);
        if (block.stride == 2) {
            add(mark);
            add(mark);
            add(mean, 2, 2);
        }
        add(sum);
        add(rectifier);
    }
    add(mean, 0, 1);
    add(projection);
    return layers;
}

[[noreturn]] void fail_to_read_resnet(std::string_view name, std::size_t offset, const std::string& what) {
    throw Error(std::string(name) + " is not dlib's face recognition network: at offset " +
                std::to_string(offset) + " " + what +
                "; fetch dlib_face_recognition_resnet_model_v1.dat again.");
}

class DlibResnetParser {
  public:
    DlibResnetParser(std::string_view bytes, std::string_view name) : in_(bytes, name, fail_to_read_resnet) {}

    FaceResnetWeights parse() {
        const std::vector<DlibLayer> layers = expected_layers(weights_);
        read_loss();
        std::vector<std::int64_t> versions(layers.size());
        for (std::size_t i = layers.size(); i-- > 0;) versions[i] = read_version(layers[i], i == 0);
        read_input();
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (layers[i].kind == DlibLayerKind::mark) continue;
            read_layer(layers[i]);
            skip_training_state(i == 0, versions[i]);
        }
        if (in_.left() > 0) {
            in_.fail(in_.offset(),
                     "the network ends, but the file continues for " + counted(in_.left(), "byte"));
        }
        return std::move(weights_);
    }

  private:
    /// Reads a number that must be this one.
    void expect(const char* what, std::size_t expected) {
        const std::size_t start = in_.offset();
        const std::int64_t value = in_.integer(what);
        if (value < 0 || static_cast<std::uint64_t>(value) != expected) {
            in_.fail(start, std::string("is ") + what + ", " + std::to_string(value) + ", where " +
                                std::to_string(expected) + " is expected");
        }
    }

    std::int64_t version(const char* what, std::int64_t least, std::int64_t most) {
        const std::size_t start = in_.offset();
        const std::int64_t value = in_.integer(what);
        if (value < least || value > most) {
            in_.fail(start, std::string("is ") + what + ", " + std::to_string(value) + ", where " +
                                std::to_string(least) +
                                (most > least ? " to " + std::to_string(most) : std::string()) +
                                " is expected");
        }
        return value;
    }

    /// Reads the name with which a layer begins. \return the number of the name that it is.
    std::size_t read_name(std::span<const char* const> names) {
        const std::size_t start = in_.offset();
        constexpr std::size_t max_length = 64;
        const std::size_t length = in_.count("the length of a layer's name", 1);
        if (length > max_length) {
            in_.fail(start, "a name of " + std::to_string(length) + " characters begins, where '" +
                                names.front() + "' is expected");
        }
        const std::string_view name = in_.bytes(length, "a layer's name");
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (name == names[i]) return i;
        }
        std::string shown(name);
        for (char& character : shown) {
            if (character < ' ' || character > '~') character = '?';
        }
        in_.fail(start, "the layer '" + shown + "' begins, where '" + names.front() + "' is expected");
    }
    std::size_t read_name(const char* name) { return read_name({&name, 1}); }

    bool flag(const char* what) {
        const std::size_t start = in_.offset();
        const char value = in_.bytes(1, what).front();
        if (value != '0' && value != '1') in_.fail(start, std::string(what) + " is neither '0' nor '1'");
        return value == '1';
    }

    /// Reads what stands before a tensor's values. \return their bytes.
    std::string_view tensor(const char* what) {
        const std::size_t start = in_.offset();
        version("the version of a tensor", 2, 2);
        std::uint64_t size = 1;
        for (int i = 0; i < 4; ++i) {
            const std::size_t place = in_.offset();
            const std::int64_t length = in_.integer("a tensor's dimension");
            constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
            if (length < 0 || length > most) {
                in_.fail(place, "is a tensor's dimension, " + std::to_string(length) +
                                    ", which is not between 0 and " + std::to_string(most));
            }
            size *= static_cast<std::uint64_t>(length);
            if (size > in_.left() / sizeof(float)) {
                in_.fail(start,
                         std::string("has more values for ") + what + " than the rest of the file can hold");
            }
        }
        return in_.bytes(static_cast<std::size_t>(size) * sizeof(float), what);
    }

    /// Reads a tensor of so many values, whatever its dimensions.
    std::vector<float> values(const char* what, std::size_t expected) {
        const std::size_t start = in_.offset();
        const std::string_view bytes = tensor(what);
        if (bytes.size() != expected * sizeof(float)) {
            in_.fail(start, "has " + counted(bytes.size() / sizeof(float), "value") + " for " + what +
                                ", where " + std::to_string(expected) + " are expected");
        }
        std::vector<float> numbers(expected);
        for (std::size_t i = 0; i < expected; ++i) {
            std::uint32_t word = 0;
            for (std::size_t byte = sizeof(float); byte-- > 0;) {
                word = word << 8 | static_cast<std::uint8_t>(bytes[i * sizeof(float) + byte]);
            }
            numbers[i] = std::bit_cast<float>(word);
            if (!std::isfinite(numbers[i])) {
                in_.fail(in_.offset() - bytes.size() + i * sizeof(float),
                         std::string("a value of ") + what + " is not a finite number");
            }
        }
        return numbers;
    }

    /// The dimensions of a part of a tensor.
    void expect_part(const char* what, const std::array<std::size_t, 4>& dimensions) {
        version("the version of a tensor's part", 1, 1);
        for (const std::size_t dimension : dimensions) expect(what, dimension);
    }

    float finite(const char* what) {
        const std::size_t start = in_.offset();
        const float value = in_.real(what);
        if (!std::isfinite(value)) in_.fail(start, std::string(what) + " is not a finite number");
        return value;
    }

    void read_loss() {
        version("the version of the network", 1, 1);
        static constexpr std::array<const char*, 2> names{"loss_metric_2", "loss_metric_"};
        if (read_name(names) == 1) return;
        in_.real("the loss's margin");
        in_.real("the loss's threshold");
    }

    std::int64_t read_version(const DlibLayer& layer, bool is_first) {
        if (layer.kind == DlibLayerKind::mark) return version("the version of a tag", 1, 1);
        return version("the version of a layer", is_first ? 2 : 1, is_first ? 3 : 2);
    }

    void read_input() {
        read_name("input_rgb_image_sized");
        for (double& mean : means_) mean = static_cast<double>(finite("a colour's mean"));
        expect("the picture's height", face_resnet_side);
        expect("the picture's width", face_resnet_side);
    }

    void read_layer(const DlibLayer& layer) {
        switch (layer.kind) {
            case DlibLayerKind::convolution:
                read_convolution(layer);
                return;
            case DlibLayerKind::affine:
                read_affine(layer);
                return;
            case DlibLayerKind::rectifier:
                read_name("relu_");
                return;
            case DlibLayerKind::largest:
                read_pooling("max_pool_2", layer);
                return;
            case DlibLayerKind::mean:
                read_pooling("avg_pool_2", layer);
                return;
            case DlibLayerKind::sum:
                read_name("add_prev_");
                return;
            case DlibLayerKind::projection:
                read_projection();
                return;
            case DlibLayerKind::mark:
                return;
        }
    }

    void read_window(std::size_t taps, std::size_t stride, std::size_t border) {
        expect("a window's height", taps);
        expect("a window's width", taps);
        expect("a vertical stride", stride);
        expect("a horizontal stride", stride);
        expect("a vertical border", border);
        expect("a horizontal border", border);
    }

    void read_pooling(const char* name, const DlibLayer& layer) {
        read_name(name);
        read_window(layer.taps, layer.stride, 0);
    }

    /// Factors of rates with which a layer was trained.
    void skip_rates() {
        for (int i = 0; i < 4; ++i) in_.real("a learning rate");
    }

    void read_convolution(const DlibLayer& layer) {
        static constexpr std::array<const char*, 2> names{"con_4", "con_5"};
        const std::size_t name = read_name(names);
        const std::size_t weights = layer.outputs * layer.inputs * layer.taps * layer.taps;
        std::vector<float> numbers = values("the weights of a convolution", weights + layer.outputs);
        const auto bias = numbers.begin() + static_cast<std::ptrdiff_t>(weights);
        layer.target->bias.assign(bias, numbers.end());
        numbers.erase(bias, numbers.end());
        layer.target->weights = std::move(numbers);
        expect("the number of a convolution's outputs", layer.outputs);
        read_window(layer.taps, layer.stride, layer.border);
        expect_part("a dimension of weights", {layer.outputs, layer.inputs, layer.taps, layer.taps});
        expect_part("a dimension of biases", {1, layer.outputs, 1, 1});
        skip_rates();
        if (name == 1 && !flag("the use of a convolution's biases")) {
            in_.fail(in_.offset() - 1, "a convolution without biases ends");
        }
    }

    void read_affine(const DlibLayer& layer) {
        static constexpr std::array<const char*, 2> names{"affine_", "affine_2"};
        const std::size_t name = read_name(names);
        const std::size_t start = in_.offset();
        const std::vector<float> numbers = values("the parameters of an affine layer", 2 * layer.outputs);
        expect_part("a dimension of factors", {1, layer.outputs, 1, 1});
        expect_part("a dimension of offsets", {1, layer.outputs, 1, 1});
        expect("the mode of an affine layer", 0);  // one factor for each channel
        if (name == 1 && flag("the state of an affine layer")) {
            in_.fail(in_.offset() - 1, "an affine layer ends that does nothing");
        }
        fold(std::span(numbers).first(layer.outputs), std::span(numbers).last(layer.outputs), *layer.target);
        if (layer.target == &weights_.stem) fold_colours(weights_.stem);
        const auto is_finite = [](float number) { return std::isfinite(number); };
        if (!std::all_of(layer.target->weights.begin(), layer.target->weights.end(), is_finite) ||
            !std::all_of(layer.target->bias.begin(), layer.target->bias.end(), is_finite)) {
            in_.fail(start, "the products of an affine layer and its convolution are not finite");
        }
    }

    static void fold(std::span<const float> factors, std::span<const float> offsets,
                     FaceResnetConvolution& convolution) {
        const std::size_t taps = convolution.weights.size() / factors.size();
        for (std::size_t output = 0; output < factors.size(); ++output) {
            const auto factor = static_cast<double>(factors[output]);
            for (std::size_t tap = output * taps; tap < (output + 1) * taps; ++tap) {
                convolution.weights[tap] = static_cast<float>(factor * convolution.weights[tap]);
            }
            convolution.bias[output] =
                static_cast<float>(factor * convolution.bias[output] + offsets[output]);
        }
    }

    /// A weight times (level - mean) / 256 is weight / 256 times (level - 128), and weight · (128 - mean) /
    /// 256.
    void fold_colours(FaceResnetConvolution& stem) const {
        constexpr std::size_t taps = face_resnet_stem_taps * face_resnet_stem_taps;
        std::vector<float> folded;
        for (std::size_t output = 0; output < stem.bias.size(); ++output) {
            double bias = stem.bias[output];
            for (std::size_t tap = 0; tap < taps; ++tap) {
                double sum = 0;
                for (std::size_t colour = 0; colour < colours; ++colour) {
                    const double weight = stem.weights[(output * colours + colour) * taps + tap] / 256.0;
                    sum += weight;
                    bias += weight * (face_resnet_grey - means_[colour]);
                }
                folded.push_back(static_cast<float>(sum));
            }
            stem.bias[output] = static_cast<float>(bias);
        }
        stem.weights = std::move(folded);
    }

    void read_projection() {
        static constexpr std::array<const char*, 2> names{"fc_2", "fc_3"};
        const std::size_t name = read_name(names);
        expect("the length of a vector", face_resnet_length);
        expect("the number of the projection's inputs", face_resnet_last_channels);
        const std::vector<float> numbers =
            values("the weights of the projection", face_resnet_last_channels * face_resnet_length);
        expect_part("a dimension of the projection", {face_resnet_last_channels, face_resnet_length, 1, 1});
        expect_part("a dimension of the projection's biases", {0, 0, 0, 0});
        expect("the mode of the projection", 1);  // no bias
        skip_rates();
        if (name == 1) flag("the use of the projection's biases");
        for (std::size_t output = 0; output < face_resnet_length; ++output) {
            for (std::size_t input = 0; input < face_resnet_last_channels; ++input)
                weights_.projection.push_back(numbers[input * face_resnet_length + output]);
        }
    }

    /// Passes over tensors that a layer keeps between two steps of a training: empty, as a rule.
    void skip_training_state(bool is_first, std::int64_t layer_version) {
        for (int i = 0; i < 3; ++i) flag("a layer's state");
        tensor("a layer's gradient");
        tensor("a layer's output");
        if (is_first || layer_version == 2) tensor("a layer's gradient");
        if (is_first && layer_version == 3) expect("the pictures that a picture becomes", 1);
    }

    PackedReader in_;
    std::array<double, colours> means_{};
    FaceResnetWeights weights_;
};

}  // namespace

FaceResnetWeights parse_dlib_resnet(std::string_view bytes, std::string_view name) {
    return DlibResnetParser(bytes, name).parse();
}

FaceResnetWeights read_dlib_resnet(const std::filesystem::path& file) {
    return parse_dlib_resnet(read_model_file(file, "face recognition network"), file.string());
}

}  // namespace fovea
