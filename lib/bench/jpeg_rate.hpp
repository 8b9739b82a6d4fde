#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/measure/measure.hpp"
#include "lib/image/nvjpeg.hpp"

namespace fovea {

/// A JPEG file in memory to measure decoders with.
struct JpegSample {
    std::string description;  ///< "synthetic, ..." or the file's name
    Size size;
    std::vector<std::uint8_t> bytes;
};

/// 1920×1080, baseline, quality 90, 4:2:0: texture of all sizes in colour, made of noise, about as many bits
/// a pixel as a detailed photograph. The same pixels everywhere with the same OpenCV.
JpegSample synthetic_jpeg_sample();

/// \throws UsageError if the file is no JPEG, ImageError with its name if it cannot be decoded.
JpegSample read_jpeg_sample(const std::filesystem::path& file);

/// Decodes the sample to grey on one core, with the decoder of the program. Work: images.
Timing measure_cpu_jpeg(const JpegSample& sample, int repeat);

/// Decodes `batch` times the sample to grey on a GPU, from host memory to device memory, as one batch. Timed
/// on the host until all images are there, as headers are parsed on the host. Work: images.
/// \throws NvJpegRefused if the backend does not take this sample; DeviceError
Timing measure_nvjpeg(NvJpegDecoder& decoder, const Device& device, const JpegSample& sample, int batch,
                      int repeat);

// The highest rate at which an archive can be decoded: different images, by all that the machine has at once.

/// Decodes samples in turn to grey on `threads` threads for about `seconds` in each repetition. Work: 1
/// image, at the rate of all threads together. \param samples at least one; likewise below. \throws
/// ImageError
Timing measure_cpu_jpeg(std::span<const JpegSample> samples, int threads, double seconds, int repeat);

/// How nvJPEG is kept busy.
struct NvJpegLoad {
    int decoders = 1;  ///< each with a thread and a stream of its own
    int batch = 64;    ///< images that a decoder is given at once
};

/// The same on a GPU, from host memory to device memory. \throws NvJpegUnavailable; NvJpegRefused if the
/// backend does not take a sample; DeviceError
Timing measure_nvjpeg(int gpu, NvJpegBackend backend, std::span<const JpegSample> samples,
                      const NvJpegLoad& load, double seconds, int repeat);

}  // namespace fovea
