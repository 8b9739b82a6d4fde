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

/// Makes a JPEG of 1920×1080, baseline, quality 90, 4:2:0: coloured texture of all sizes, made of noise, with
/// about as many bits per pixel as a detailed photograph. Its pixels are the same everywhere with the
/// same OpenCV.
JpegSample synthetic_jpeg_sample();

/// Reads a JPEG file. \throws UsageError if it is no JPEG; ImageError with its name if it cannot be decoded.
JpegSample read_jpeg_sample(const std::filesystem::path& file);

/// Times decoding the sample to grey on one core, with the program's decoder. The timing's work is images.
Timing measure_cpu_jpeg(const JpegSample& sample, int repeat);

/// Times decoding the sample `batch` times to grey on a GPU, from host memory to device memory, as one batch,
/// with the host's clock, as the host parses headers. The timing's work is images.
/// \throws NvJpegRefused if the backend does not take this sample; DeviceError
Timing measure_nvjpeg(NvJpegDecoder& decoder, const Device& device, const JpegSample& sample, int batch,
                      int repeat);

// The highest rate at which an archive can be decoded: different images, by the whole machine at once.

/// Times decoding samples in turn to grey on `threads` threads for about `seconds` in each repetition. The
/// timing's work is 1 image, at the rate of all threads together. \param samples at least one.
/// \throws ImageError
Timing measure_cpu_jpeg(std::span<const JpegSample> samples, int threads, double seconds, int repeat);

/// The load that keeps nvJPEG busy.
struct NvJpegLoad {
    int decoders = 1;  ///< each with a thread and a stream of its own
    int batch = 64;    ///< images per call of a decoder
};

/// Times decoding samples in turn to grey on a GPU, from host memory to device memory, by several decoders
/// for about `seconds` in each repetition. The timing's work is 1 image. \param samples at least one.
/// \throws NvJpegUnavailable; NvJpegRefused if the backend does not take a sample; DeviceError
Timing measure_nvjpeg(int gpu, NvJpegBackend backend, std::span<const JpegSample> samples,
                      const NvJpegLoad& load, double seconds, int repeat);

}  // namespace fovea
