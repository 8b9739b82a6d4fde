#include "lib/recognise/recogniser.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "kernels/core/host_copy.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/core/scratch.hpp"
#include "kernels/core/share_work.hpp"
#include "kernels/face_normalise/face_normalise.hpp"

namespace fovea {
namespace {

using Views = std::span<const ImageView<const std::uint8_t>>;
using Faces = std::span<const CropTask>;

constexpr std::size_t max_faces = 4096;  // in work on a device at once

std::size_t pixels_of(Size size) {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// The work of one device on its part of the faces.
class DescribingDevice {
  public:
    DescribingDevice(Device device, const RecogniserConfig& config, std::size_t length)
        : device_(std::move(device)),
          config_(config),
          length_(length),
          describer_(config.kind->describer(config, config.kind->runs_on_gpus ? device_ : host_)) {}

    void features(Views images, ImageMemory memory, Faces faces, std::uint16_t* words) {
        in_parts(images, memory, faces,
                 [&](std::size_t first, std::size_t count, const std::uint8_t* normalised) {
                     if (!device_.is_cuda()) {
                         describer_->describe(normalised, count, words + first * length_);
                         return;
                     }
                     if (!config_.kind->runs_on_gpus) {
                         const std::size_t pixels = count * pixels_of(config_.geometry.size);
                         host_crops_.resize(pixels);
                         crops_.buffer().download(host_crops_.data(), pixels);
                         describer_->describe(host_crops_.data(), count, words + first * length_);
                         return;
                     }
                     describer_->describe(normalised, count, words_.of_size(device_, count * length_));
                     words_.buffer().download(words + first * length_, count * length_);
                 });
    }

    void normalised(Views images, Faces faces, std::uint8_t* pixels) {
        const std::size_t size = pixels_of(config_.geometry.size);
        in_parts(images, ImageMemory::host, faces,
                 [&](std::size_t first, std::size_t count, const std::uint8_t* normalised) {
                     if (device_.is_cuda()) {
                         crops_.buffer().download(pixels + first * size, count * size);
                     } else {
                         std::copy_n(normalised, count * size, pixels + first * size);
                     }
                 });
    }

  private:
    // Normalised faces, max_faces of them at a time, on the device.
    template <class Take>
    void in_parts(Views images, ImageMemory memory, Faces faces, Take&& take) {
        const ImageView<const std::uint8_t>* views = images.data();
        if (device_.is_cuda()) {
            views = memory == ImageMemory::host ? uploaded(images, faces) : uploaded_views(images);
        }
        for (std::size_t first = 0; first < faces.size(); first += max_faces) {
            const std::size_t count = std::min(max_faces, faces.size() - first);
            const Size size = config_.geometry.size;
            std::uint8_t* crops = crops_.of_size(device_, count * pixels_of(size));
            const CropTask* tasks = faces.data() + first;
            if (device_.is_cuda()) {
                tasks_.of_size(device_, count);
                tasks_.buffer().upload(tasks, count);
                tasks = tasks_.buffer().data();
            }
            crop_faces(device_, views, tasks, count, size, crops);
            normalise_faces(device_, crops, count, size, config_.normalisation);
            take(first, count, crops);
        }
    }

    // Those that have a face in this part; the others' views stay empty.
    const ImageView<const std::uint8_t>* uploaded(Views images, Faces faces) {
        std::set<std::uint32_t> used;
        std::size_t bytes = 0;
        for (const CropTask& face : faces) {
            if (used.insert(face.image).second) bytes += pixels_of(size_of(images[face.image]));
        }
        host_pixels_.resize(bytes);
        std::uint8_t* target = pixels_.of_size(device_, bytes);
        host_views_.assign(images.size(), {});
        std::size_t at = 0;
        for (const std::uint32_t i : used) {
            const ImageView<const std::uint8_t>& image = images[i];
            copy_rows(image, host_pixels_.data() + at);
            host_views_[i] = {target + at, image.width, image.height, image.width};
            at += pixels_of(size_of(image));
        }
        pixels_.buffer().upload(host_pixels_.data(), bytes);
        return uploaded_views(host_views_);
    }

    // For images that are on the device.
    const ImageView<const std::uint8_t>* uploaded_views(Views images) {
        views_.of_size(device_, images.size());
        views_.buffer().upload(images.data(), images.size());
        return views_.buffer().data();
    }

    static Size size_of(const ImageView<const std::uint8_t>& image) { return {image.width, image.height}; }

    Device device_;
    const Device host_ = Device::cpu();
    const RecogniserConfig& config_;
    const std::size_t length_;
    std::unique_ptr<CropDescriber> describer_;
    Scratch<std::uint8_t> pixels_;
    Scratch<ImageView<const std::uint8_t>> views_;
    Scratch<CropTask> tasks_;
    Scratch<std::uint8_t> crops_;
    Scratch<std::uint16_t> words_;
    std::vector<std::uint8_t> host_pixels_;
    std::vector<std::uint8_t> host_crops_;  // for a describer on the CPU
    std::vector<ImageView<const std::uint8_t>> host_views_;
};

}  // namespace

class Recogniser::Implementation {
  public:
    Implementation(RecogniserConfig given, const DetectionDevice& where, GpuShare share)
        : config(std::move(given)), metric(config.kind->metric(config)), device(where) {
        if (!device.is_cuda())
            parts.push_back(std::make_unique<DescribingDevice>(Device::cpu(), config, metric.length));
        for (const int gpu : device.gpus) {
            parts.push_back(
                std::make_unique<DescribingDevice>(Device::cuda(gpu, share), config, metric.length));
        }
    }

    // Calls work(device, faces, first) for the part of the faces, from the first-th on, that a device takes.
    template <class Work>
    void share(Faces faces, const Work& work) const {
        share_work(faces.size(), parts.size(), [&](std::size_t i, IndexRange part) {
            work(*parts[i], faces.subspan(part.first, part.count), part.first);
        });
    }

    RecogniserConfig config;
    FeatureMetric metric;
    DetectionDevice device;
    std::vector<std::unique_ptr<DescribingDevice>> parts;

    FaceFeatures features_of(std::size_t faces) const {
        FaceFeatures features;
        features.length = metric.length;
        features.words.resize(faces * metric.length);
        return features;
    }
};

Recogniser::Recogniser(RecogniserConfig config, const DetectionDevice& device, GpuShare share)
    : implementation_(std::make_unique<Implementation>(std::move(config), device, share)) {}

Recogniser::~Recogniser() = default;

const RecogniserConfig& Recogniser::config() const {
    return implementation_->config;
}

const FeatureMetric& Recogniser::metric() const {
    return implementation_->metric;
}

std::string Recogniser::device_name() const {
    return implementation_->device.name();
}

std::string Recogniser::description() const {
    return config().kind->description(config());
}

FaceFeatures Recogniser::features(const ImageBatch& images, Faces faces) const {
    if (images.is_on_gpu() && implementation_->device.gpus != std::vector{images.gpu}) {
        throw std::logic_error(
            "the recogniser on " + device_name() +
            " does not describe faces in images that lie in a GPU's memory; one on one GPU does");
    }
    const ImageMemory memory = images.is_on_gpu() ? ImageMemory::device : ImageMemory::host;
    FaceFeatures found = implementation_->features_of(faces.size());
    implementation_->share(faces, [&](DescribingDevice& device, Faces part, std::size_t first) {
        device.features(images.views, memory, part, found.words.data() + first * found.length);
    });
    return found;
}

std::vector<GreyImage> Recogniser::normalised(Views images, Faces faces) const {
    const Size size = config().geometry.size;
    const std::size_t pixels = pixels_of(size);
    std::vector<std::uint8_t> all(faces.size() * pixels);
    implementation_->share(faces, [&](DescribingDevice& device, Faces part, std::size_t first) {
        device.normalised(images, part, all.data() + first * pixels);
    });
    std::vector<GreyImage> found;
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const std::uint8_t* first = all.data() + i * pixels;
        found.push_back({size.width, size.height, {first, first + pixels}});
    }
    return found;
}

}  // namespace fovea
