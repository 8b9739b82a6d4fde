#include "lib/recognise/networks/onnx_network.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <new>

#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/core/idle_pool.hpp"
#include "lib/core/error.hpp"
#include "lib/core/opencv_scopes.hpp"
#include "lib/files/model_file.hpp"
#include "lib/recognise/networks/onnx_ports.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int float_elements = 1;
constexpr std::size_t levels = 256;

[[noreturn]] void throw_failure(const cv::Exception& error, const std::string& file) {
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
    throw Error(fmt::format("OpenCV {} cannot run the network {} ({})", CV_VERSION, file, message_of(error)));
}

const OnnxPort& only_port(const std::vector<OnnxPort>& ports, const std::string& file, const char* kind,
                          const char* content) {
    if (ports.size() == 1) return ports.front();
    std::vector<std::string> names;
    for (const OnnxPort& port : ports) names.push_back(port.name);
    throw Error(fmt::format("{} has {} {}s{}; the network of a recogniser has one, {}", file, ports.size(),
                            kind, names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")),
                            content));
}

/// The name of the output. \param image shape of the input.
std::string checked_output(const OnnxPorts& ports, const std::string& file,
                           const std::vector<std::int64_t>& image) {
    const OnnxPort& input = only_port(ports.inputs, file, "input", "an image");
    const OnnxPort& output = only_port(ports.outputs, file, "output", "a vector");
    if (input.element_type != float_elements && input.element_type != 0) {
        throw Error(
            fmt::format("{} takes elements of ONNX's type {}; the network of a recogniser takes "
                        "32-bit floats",
                        file, input.element_type));
    }
    const bool fits =
        !input.has_shape ||
        std::equal(input.shape.begin(), input.shape.end(), image.begin(), image.end(),
                   [](std::int64_t wanted, std::int64_t given) { return wanted == 0 || wanted == given; });
    if (!fits) {
        throw UsageError(
            fmt::format("{} takes {} of {}, but the recogniser's file, by 'face' and 'channels', "
                        "gives it {} (images x channels x height x width)",
                        file, input.name, shape_text(input.shape), shape_text(image)));
    }
    return output.name;
}

/// A network that one thread runs.
class SingleOnnx {
  public:
    SingleOnnx(const std::string& bytes, const std::string& output) {
        const QuietOpenCv quiet;
        network_ = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
        network_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        network_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        // Branches that lead nowhere are outputs to OpenCV, too.
        const std::vector<std::string> ends = network_.getUnconnectedOutLayersNames();
        if (std::find(ends.begin(), ends.end(), output) != ends.end()) output_ = output;
    }

    cv::Mat run(const cv::Mat& image) {
        network_.setInput(image);
        return network_.forward(output_);
    }

  private:
    cv::dnn::Net network_;
    std::string output_;  // empty: the last one
};

}  // namespace

std::size_t channel_count(OnnxChannels channels) {
    return channels == OnnxChannels::grey ? 1 : 3;
}

class OnnxNetwork::Implementation {
  public:
    Implementation(const fs::path& file, Size face, const OnnxSettings& settings)
        : name_(file.string()),
          bytes_(read_model_file(file, "network")),
          length_(static_cast<std::size_t>(settings.length)),
          shape_{1, static_cast<int>(channel_count(settings.channels)), face.height, face.width},
          pixels_(static_cast<std::size_t>(face.width) * static_cast<std::size_t>(face.height)),
          output_(checked_output(parse_onnx_ports(bytes_, name_), name_, {shape_.begin(), shape_.end()})) {
        for (std::size_t c = 0; c < channel_count(settings.channels); ++c) {
            const auto of_channel = [&](const std::vector<double>& numbers) {
                return numbers.size() == 1 ? numbers.front() : numbers.at(c);
            };
            auto& elements = elements_.emplace_back();
            for (std::size_t level = 0; level < levels; ++level) {
                elements[level] = static_cast<float>(
                    (static_cast<double>(level) - of_channel(settings.mean)) * of_channel(settings.scale));
            }
        }
        SerialOpenCv::prepare();
        try_out();
    }

    void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const {
        const std::size_t at_once = std::max<std::size_t>(1, max_bytes_at_once / bytes_.size());
        const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
        std::atomic<std::size_t> following{0};
        tbb::parallel_for(
            std::size_t{0}, std::min({count, threads, at_once}),
            [&](std::size_t) {
                std::unique_ptr<SingleOnnx> network;
                for (std::size_t face = following++; face < count; face = following++) {
                    if (!network) network = take();
                    run(*network, faces + face * pixels_, vectors + face * length_);
                }
                if (network) networks_.give_back(std::move(network));
            },
            tbb::simple_partitioner());
    }

  private:
    std::unique_ptr<SingleOnnx> take() const {
        try {
            return networks_.take([this] { return std::make_unique<SingleOnnx>(bytes_, output_); });
        } catch (const cv::Exception& error) {
            throw_failure(error, name_);
        }
    }

    // Only a run tells whether OpenCV has all layers, and what the network gives.
    void try_out() const {
        std::unique_ptr<SingleOnnx> network = take();
        const QuietOpenCv quiet;
        const std::vector<std::uint8_t> face(pixels_, levels / 2);
        const cv::Mat vector = result_of(*network, face.data());
        const std::vector<std::int64_t> shape(vector.size.p, vector.size.p + vector.dims);
        if (vector.type() != CV_32F || std::count(shape.begin(), shape.end(), 1) + 1 < vector.dims) {
            throw Error(
                fmt::format("{} gives {} of {}, which is no vector", name_, output_, shape_text(shape)));
        }
        if (vector.total() != length_) {
            throw UsageError(
                fmt::format("{} gives vectors of {} numbers, but the recogniser's file says {} "
                            "('length')",
                            name_, vector.total(), length_));
        }
        networks_.give_back(std::move(network));
    }

    void run(SingleOnnx& network, const std::uint8_t* face, float* vector) const {
        const cv::Mat result = result_of(network, face);
        const auto* const numbers = result.ptr<float>();
        if (!std::all_of(numbers, numbers + length_, [](float number) { return std::isfinite(number); })) {
            throw Error(
                fmt::format("the network {} gives a face numbers that are not finite; are 'mean' and "
                            "'scale' of the recogniser's file right?",
                            name_));
        }
        std::copy_n(numbers, length_, vector);
    }

    cv::Mat result_of(SingleOnnx& network, const std::uint8_t* face) const {
        const SerialOpenCv serial;
        try {
            cv::Mat image(static_cast<int>(shape_.size()), shape_.data(), CV_32F);
            auto* element = image.ptr<float>();
            for (const std::array<float, levels>& elements : elements_) {
                element = std::transform(face, face + pixels_, element,
                                         [&](std::uint8_t level) { return elements[level]; });
            }
            return network.run(image);
        } catch (const cv::Exception& error) {
            throw_failure(error, name_);
        }
    }

    const std::string name_;
    const std::string bytes_;
    const std::size_t length_;
    const std::array<int, 4> shape_;
    const std::size_t pixels_;
    const std::string output_;
    std::vector<std::array<float, levels>> elements_;  // of each channel, by grey level
    mutable IdlePool<SingleOnnx> networks_;
};

OnnxNetwork::OnnxNetwork(const fs::path& file, Size face, const OnnxSettings& settings)
    : implementation_(std::make_unique<Implementation>(file, face, settings)) {}

OnnxNetwork::~OnnxNetwork() = default;

void OnnxNetwork::describe(const std::uint8_t* faces, std::size_t count, float* vectors) const {
    implementation_->describe(faces, count, vectors);
}

}  // namespace fovea
