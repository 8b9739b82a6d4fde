#include "lib/image/gpu_images.hpp"

#include <algorithm>
#include <new>

#include "kernels/core/align.hpp"
#include "kernels/core/host_copy.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/orient/orient.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

// nvJPEG writes rows of this alignment at full speed, and the gathering of images into batches reads them so.
constexpr std::size_t row_alignment = 256;

// Sides of the largest picture that the engines of Hopper take: 16,384 pixels.
constexpr int max_engine_side = 16384;

std::size_t row_bytes(int width) {
    return align_up(static_cast<std::size_t>(width), row_alignment);
}

std::size_t plane_bytes(Size size) {
    return row_bytes(size.width) * static_cast<std::size_t>(size.height);
}

bool is_turned(const LoadedImage& image, const DecodeOptions& options) {
    return options.apply_exif_orientation && image.jpeg->frame.orientation != 1;
}

void reserve_buffer(const Device& device, Buffer<std::uint8_t>& buffer, std::size_t bytes) {
    constexpr std::size_t large = std::size_t{1} << 30;
    if (buffer.size() >= bytes && (buffer.size() <= large || buffer.size() / 8 <= bytes)) return;
    buffer = {};
    buffer = Buffer<std::uint8_t>(device, bytes + bytes / 8);
}

}  // namespace

void ResidentImages::reserve(const Device& device, std::size_t bytes) {
    reserve_buffer(device, pixels_, bytes);
}

bool nvjpeg_takes(const JpegFrame& frame, NvJpegBackend backend) {
    if (!frame.baseline || !frame.complete || !frame.ycc_or_grey || !frame.subsampling_common) return false;
    return backend != NvJpegBackend::engines ||
           (frame.size.width <= max_engine_side && frame.size.height <= max_engine_side);
}

const GreyImage& HostCopy::bring(const Device& device, const ImageView<const std::uint8_t>& view) {
    image_.width = view.width;
    image_.height = view.height;
    image_.pixels.resize(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height));
    if (view.empty()) return image_;
    if (!device.is_cuda()) {
        copy_rows(view, image_.pixels.data());
        return image_;
    }
    // One copy, with what lies between the rows, is many times as fast as a copy of each row.
    const auto stride = static_cast<std::size_t>(view.stride);
    rows_.resize(stride * static_cast<std::size_t>(view.height - 1) + static_cast<std::size_t>(view.width));
    cuda_backend::copy(device.index(), device.stream(), rows_.data(), view.data, rows_.size());
    device.synchronize();
    copy_rows({rows_.data(), view.width, view.height, view.stride}, image_.pixels.data());
    return image_;
}

GreyImage ResidentImages::to_host(const Device& device, std::size_t image) const {
    wait();
    return HostCopy().bring(device, views_.at(image));
}

class GpuImageLoader::Implementation {
  public:
    Implementation(int gpu, std::optional<NvJpegBackend> backend, const DecodeOptions& options)
        : device_(Device::cuda(gpu)), options_(options) {
        if (backend) decoder_.emplace(device_, *backend);
    }

    GpuLoadCounts load(std::vector<LoadedImage>& images, ResidentImages& resident) {
        counts_ = {};
        place(images, resident);
        decode(images, resident);
        upload(images, resident);
        resident.loading_.take(device_);
        return counts_;
    }

    const Device& device() const { return device_; }

  private:
    // Gives each image a place, and turned ones one more, for before they are turned.
    void place(const std::vector<LoadedImage>& images, ResidentImages& resident) {
        std::vector<std::size_t> offsets(images.size(), 0);
        std::size_t bytes = 0;
        std::size_t stored_bytes = 0;
        resident.views_.assign(images.size(), {});
        stored_.assign(images.size(), {});
        for (std::size_t i = 0; i < images.size(); ++i) {
            const LoadedImage& image = images[i];
            if (!image.unreadable.empty()) continue;
            const Size size = image.jpeg ? Size{image.size.width, image.size.height}
                                         : Size{image.image.width, image.image.height};
            const std::size_t row = image.jpeg ? row_bytes(size.width) : static_cast<std::size_t>(size.width);
            resident.views_[i] = {nullptr, size.width, size.height, static_cast<std::ptrdiff_t>(row)};
            offsets[i] = bytes;
            bytes += align_up(row * static_cast<std::size_t>(size.height), row_alignment);
            if (image.jpeg && is_turned(image, options_)) stored_bytes += plane_bytes(image.jpeg->frame.size);
        }
        resident.reserve(device_, bytes);
        reserve_buffer(device_, stored_pixels_, stored_bytes);
        std::size_t stored_at = 0;
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (!images[i].unreadable.empty()) continue;
            resident.views_[i].data = resident.pixels_.data() + offsets[i];
            if (!images[i].jpeg) continue;
            const Size size = images[i].jpeg->frame.size;
            const auto stride = static_cast<std::ptrdiff_t>(row_bytes(size.width));
            if (is_turned(images[i], options_)) {
                stored_[i] = {stored_pixels_.data() + stored_at, size.width, size.height, stride};
                stored_at += plane_bytes(size);
            } else {
                stored_[i] = writable(resident, i);
            }
        }
    }

    static ImageView<std::uint8_t> writable(const ResidentImages& resident, std::size_t i) {
        const ImageView<const std::uint8_t>& view = resident.views_[i];
        const auto offset = view.data - resident.pixels_.data();
        return {resident.pixels_.data() + offset, view.width, view.height, view.stride};
    }

    void decode(std::vector<LoadedImage>& images, ResidentImages& resident) {
        const Stopwatch watch;
        std::vector<std::size_t> indices;
        for (std::size_t i = 0; i < images.size(); ++i) {
            if (images[i].unreadable.empty() && images[i].jpeg) indices.push_back(i);
        }
        if (indices.empty()) return;
        if (!decoded(images, indices)) {
            // One of them spoils the batch: each by itself tells which.
            for (const std::size_t i : indices) {
                if (!decoded(images, {i})) decode_on_cpu(images[i]);
            }
        }
        std::vector<OrientTask> turned;
        for (const std::size_t i : indices) {
            if (!images[i].jpeg) continue;
            images[i].by_nvjpeg = true;
            ++counts_.by_nvjpeg;
            if (!is_turned(images[i], options_)) continue;
            turned.push_back({stored_[i], writable(resident, i), images[i].jpeg->frame.orientation});
        }
        orient_images(device_, turned);
        // The next batch's pictures take the places of those that were turned.
        if (!turned.empty()) device_.synchronize();
        counts_.decode_seconds += watch.seconds();
    }

    bool decoded(const std::vector<LoadedImage>& images, const std::vector<std::size_t>& indices) {
        std::vector<codec::Bytes> files;
        std::vector<ImageView<std::uint8_t>> targets;
        for (const std::size_t i : indices) {
            files.emplace_back(images[i].jpeg->bytes);
            targets.push_back(stored_[i]);
        }
        try {
            decoder_->decode_grey(files, targets);
        } catch (const NvJpegRefused&) {
            return false;
        }
        return true;
    }

    void decode_on_cpu(LoadedImage& image) {
        image.refused_by_nvjpeg = true;
        ++counts_.refused;
        try {
            image.image = decode_grey_image(image.jpeg->bytes, options_);
        } catch (const ImageError& error) {
            image.unreadable = error.what();
        }
        image.file = std::move(image.jpeg->bytes);
        image.jpeg.reset();
    }

    void upload(std::vector<LoadedImage>& images, ResidentImages& resident) {
        const Stopwatch watch;
        bool any = false;
        for (std::size_t i = 0; i < images.size(); ++i) {
            GreyImage& image = images[i].image;
            if (!images[i].unreadable.empty()) resident.views_[i] = {};
            if (image.empty()) continue;
            ImageView<const std::uint8_t>& view = resident.views_[i];
            // The room follows from the frame header that was walked, the picture from the one that the
            // decoder took.
            if (image.width != view.width || image.height != view.height) {
                images[i].unreadable = "corrupt JPEG: header and picture differ in size";
                image = {};
                view = {};
                continue;
            }
            // Also where room was left for nvJPEG, whose rows may be longer.
            view.stride = view.width;
            cuda_backend::copy(device_.index(), device_.stream(), writable(resident, i).data,
                               image.pixels.data(), image.pixels.size());
            any = true;
        }
        if (any) device_.synchronize();
        counts_.upload_seconds += watch.seconds();
    }

    Device device_;
    DecodeOptions options_;
    std::optional<NvJpegDecoder> decoder_;
    Buffer<std::uint8_t> stored_pixels_;
    std::vector<ImageView<std::uint8_t>> stored_;  // of JPEG files, as nvJPEG writes them
    GpuLoadCounts counts_;
};

GpuImageLoader::GpuImageLoader(int gpu, std::optional<NvJpegBackend> backend, const DecodeOptions& options)
    : implementation_(std::make_unique<Implementation>(gpu, backend, options)) {}

GpuImageLoader::~GpuImageLoader() = default;

GpuLoadCounts GpuImageLoader::load(std::vector<LoadedImage>& images, ResidentImages& resident) {
    return implementation_->load(images, resident);
}

const Device& GpuImageLoader::device() const {
    return implementation_->device();
}

}  // namespace fovea
