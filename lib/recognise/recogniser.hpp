#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "kernels/face_crop/face_crop.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// The features of many faces, one behind the other.
struct FaceFeatures {
    std::size_t length = 0;  ///< of a face, words
    std::vector<std::uint16_t> words;

    std::size_t size() const { return length == 0 ? 0 : words.size() / length; }
    const std::uint16_t* of(std::size_t face) const { return words.data() + face * length; }
};

/// A recogniser on a device: faces in, features out, which are equal on every device within
/// RecogniserKind::max_difference. Not for use by several threads at once.
class Recogniser {
  public:
    /// \param share of GPUs. \throws std::invalid_argument or UsageError for a configuration out of its
    /// ranges; DeviceError.
    Recogniser(RecogniserConfig config, const DetectionDevice& device, GpuShare share = GpuShare::all);
    ~Recogniser();
    Recogniser(const Recogniser&) = delete;
    Recogniser& operator=(const Recogniser&) = delete;

    const RecogniserConfig& config() const;
    const FeatureMetric& metric() const;
    std::string device_name() const;
    /// For people: "LBP(8,2)u2 in 49 regions, 2,891 bins, chi-square".
    std::string description() const;

    /// Crops, normalises and describes faces.
    /// \param images in host memory, or in the memory of the recogniser's only GPU.
    /// \param faces boxes or eyes in these images.
    /// \throws std::logic_error if the images are on a GPU that is not the recogniser's only one;
    /// DeviceError; std::bad_alloc.
    FaceFeatures features(const ImageBatch& images, std::span<const CropTask> faces) const;

    /// The normalised faces of the same tasks, as the features see them.
    std::vector<GreyImage> normalised(std::span<const ImageView<const std::uint8_t>> images,
                                      std::span<const CropTask> faces) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
