#include "lib/image/nvjpeg.hpp"

#if defined(FOVEA_HAVE_NVJPEG)

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>
#include <nvjpeg.h>

#include "lib/process/dynamic_library.hpp"

namespace fovea {
namespace {

/// The library's functions that are used here, with the types that the header gives them.
struct Api {
    DynamicLibrary library;
    bool complete = true;

    decltype(&nvjpegGetProperty) get_property = find<decltype(&nvjpegGetProperty)>("nvjpegGetProperty");
    decltype(&nvjpegCreateEx) create = find<decltype(&nvjpegCreateEx)>("nvjpegCreateEx");
    decltype(&nvjpegDestroy) destroy = find<decltype(&nvjpegDestroy)>("nvjpegDestroy");
    decltype(&nvjpegGetHardwareDecoderInfo) hardware_info =
        find<decltype(&nvjpegGetHardwareDecoderInfo)>("nvjpegGetHardwareDecoderInfo");
    decltype(&nvjpegJpegStateCreate) state_create =
        find<decltype(&nvjpegJpegStateCreate)>("nvjpegJpegStateCreate");
    decltype(&nvjpegJpegStateDestroy) state_destroy =
        find<decltype(&nvjpegJpegStateDestroy)>("nvjpegJpegStateDestroy");
    decltype(&nvjpegGetImageInfo) image_info = find<decltype(&nvjpegGetImageInfo)>("nvjpegGetImageInfo");
    decltype(&nvjpegJpegStreamCreate) stream_create =
        find<decltype(&nvjpegJpegStreamCreate)>("nvjpegJpegStreamCreate");
    decltype(&nvjpegJpegStreamDestroy) stream_destroy =
        find<decltype(&nvjpegJpegStreamDestroy)>("nvjpegJpegStreamDestroy");
    decltype(&nvjpegJpegStreamParse) stream_parse =
        find<decltype(&nvjpegJpegStreamParse)>("nvjpegJpegStreamParse");
    decltype(&nvjpegDecodeBatchedSupported) batched_supported =
        find<decltype(&nvjpegDecodeBatchedSupported)>("nvjpegDecodeBatchedSupported");
    decltype(&nvjpegDecodeBatchedInitialize) batched_initialize =
        find<decltype(&nvjpegDecodeBatchedInitialize)>("nvjpegDecodeBatchedInitialize");
    decltype(&nvjpegDecodeBatchedPreAllocate) preallocate =
        find<decltype(&nvjpegDecodeBatchedPreAllocate)>("nvjpegDecodeBatchedPreAllocate");
    decltype(&nvjpegDecodeBatched) decode_batched =
        find<decltype(&nvjpegDecodeBatched)>("nvjpegDecodeBatched");

    explicit Api(const std::vector<std::string>& names) : library(names) {}

  private:
    template <class Function>
    Function find(const char* name) {
        const auto function = library.find<Function>(name);
        complete = complete && function != nullptr;
        return function;
    }
};

const Api& api() {
    // In a build folder that was moved, beside the program; else where the build found it; else as the loader
    // finds it. Never unloaded: its own static objects may still be in use when the program ends.
    static const auto* loaded = new Api({
#if defined(FOVEA_NVJPEG_BESIDE_PROGRAM)
        std::string("$ORIGIN/") + FOVEA_NVJPEG_BESIDE_PROGRAM,
#endif
            FOVEA_NVJPEG_FILE, "libnvjpeg.so." + std::to_string(NVJPEG_VER_MAJOR)
    });
    return *loaded;
}

const char* reason(nvjpegStatus_t status) {
    switch (status) {
        case NVJPEG_STATUS_SUCCESS:
            return "no error";
        case NVJPEG_STATUS_NOT_INITIALIZED:
            return "not initialised";
        case NVJPEG_STATUS_INVALID_PARAMETER:
            return "invalid parameter";
        case NVJPEG_STATUS_BAD_JPEG:
            return "damaged JPEG";
        case NVJPEG_STATUS_JPEG_NOT_SUPPORTED:
            return "this kind of JPEG is not supported";
        case NVJPEG_STATUS_ALLOCATOR_FAILURE:
            return "out of memory";
        case NVJPEG_STATUS_EXECUTION_FAILED:
            return "execution failed";
        case NVJPEG_STATUS_ARCH_MISMATCH:
            return "this chip does not have it";
        case NVJPEG_STATUS_INTERNAL_ERROR:
            return "internal error";
        case NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED:
            return "this backend is not supported here";
        case NVJPEG_STATUS_INCOMPLETE_BITSTREAM:
            return "truncated JPEG";
        default:
            return "unknown status";
    }
}

std::string described(nvjpegStatus_t status) {
    return std::string(reason(status)) + " (nvJPEG status " + std::to_string(static_cast<int>(status)) + ")";
}

bool is_of_the_file(nvjpegStatus_t status) {
    return status == NVJPEG_STATUS_BAD_JPEG || status == NVJPEG_STATUS_JPEG_NOT_SUPPORTED ||
           status == NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
}

NvJpegLibrary describe_library() {
    NvJpegLibrary library;
    library.built = true;
    library.built_version = std::to_string(NVJPEG_VER_MAJOR) + "." + std::to_string(NVJPEG_VER_MINOR) + "." +
                            std::to_string(NVJPEG_VER_PATCH);
    library.file = api().library.file();
    library.loaded = api().library.loaded() && api().complete;
    if (!api().library.loaded()) {
        library.why_none = "nvJPEG cannot be loaded: " + api().library.why_none();
    } else if (!api().complete) {
        library.why_none = library.file + " lacks functions of nvJPEG " + library.built_version +
                           ", for which this program was built";
    } else {
        int major = 0, minor = 0, patch = 0;
        const bool known = api().get_property(MAJOR_VERSION, &major) == NVJPEG_STATUS_SUCCESS &&
                           api().get_property(MINOR_VERSION, &minor) == NVJPEG_STATUS_SUCCESS &&
                           api().get_property(PATCH_LEVEL, &patch) == NVJPEG_STATUS_SUCCESS;
        library.version =
            known ? std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch)
                  : "unknown";
    }
    return library;
}

}  // namespace

const NvJpegLibrary& nvjpeg_library() {
    static const NvJpegLibrary library = describe_library();
    return library;
}

class NvJpegDecoder::Implementation {
  public:
    Implementation(const Device& device, NvJpegBackend backend, int cpu_threads)
        : device_(device), backend_(backend), cpu_threads_(cpu_threads) {
        if (!nvjpeg_library().loaded) throw NvJpegUnavailable(nvjpeg_library().why_none);
        if (!device.is_cuda()) throw NvJpegUnavailable("nvJPEG decodes on a GPU only");
        select_device();
        const auto kind =
            backend == NvJpegBackend::engines ? NVJPEG_BACKEND_HARDWARE : NVJPEG_BACKEND_GPU_HYBRID;
        // The callers' threads overlap batches; what nvJPEG does for that itself costs the engines 7 to 9 %
        // of their rate.
        const unsigned flags =
            backend == NvJpegBackend::engines ? NVJPEG_FLAGS_HW_DECODE_NO_PIPELINE : NVJPEG_FLAGS_DEFAULT;
        const nvjpegStatus_t status = api().create(kind, nullptr, nullptr, flags, &handle_);
        if (status == NVJPEG_STATUS_ARCH_MISMATCH || status == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED ||
            (status != NVJPEG_STATUS_SUCCESS && backend == NvJpegBackend::engines)) {
            throw NvJpegUnavailable(device.name() + " cannot decode JPEG with " + backend_name() + ": " +
                                    described(status));
        }
        check(status, "starting nvJPEG");
        // The rest is released by the destructor only if the constructor comes to its end.
        try {
            check(api().state_create(handle_, &state_), "making nvJPEG's state");
            check(api().stream_create(handle_, &header_), "making nvJPEG's header parser");
        } catch (...) {
            release();
            throw;
        }
    }
    ~Implementation() { release(); }
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    NvJpegBackend backend() const { return backend_; }

    int engines() const {
        unsigned engines = 0, cores = 0;
        if (backend_ != NvJpegBackend::engines ||
            api().hardware_info(handle_, &engines, &cores) != NVJPEG_STATUS_SUCCESS) {
            return 0;
        }
        return static_cast<int>(engines);
    }

    Size size(codec::Bytes jpeg) const {
        int components = 0, widths[NVJPEG_MAX_COMPONENT] = {}, heights[NVJPEG_MAX_COMPONENT] = {};
        nvjpegChromaSubsampling_t subsampling{};
        check(api().image_info(handle_, jpeg.data(), jpeg.size(), &components, &subsampling, widths, heights),
              "reading a JPEG header");
        return {widths[0], heights[0]};
    }

    bool supports(codec::Bytes jpeg) {
        select_device();
        const nvjpegStatus_t status = api().stream_parse(handle_, jpeg.data(), jpeg.size(), 0, 0, header_);
        if (is_of_the_file(status)) return false;
        check(status, "reading a JPEG header");
        int unsupported = 1;  // 0 = supported, see nvJPEG's documentation of the batched interface
        check(api().batched_supported(handle_, header_, &unsupported), "asking whether a JPEG is supported");
        return unsupported == 0;
    }

    void decode_grey(std::span<const codec::Bytes> jpegs, std::span<const ImageView<std::uint8_t>> images) {
        if (jpegs.size() != images.size())
            throw std::invalid_argument("as many images as JPEG files are needed");
        if (jpegs.empty()) return;
        select_device();
        std::vector<const unsigned char*> data(jpegs.size());
        std::vector<std::size_t> lengths(jpegs.size());
        std::vector<nvjpegImage_t> targets(jpegs.size());
        Size largest{0, 0};
        for (std::size_t i = 0; i < jpegs.size(); ++i) {
            const Size header = size(jpegs[i]);
            largest = {std::max(largest.width, header.width), std::max(largest.height, header.height)};
            if (header.width > images[i].width || header.height > images[i].height)
                throw NvJpegRefused("nvJPEG reads another size from a JPEG's header than its frame has");
            data[i] = jpegs[i].data();
            lengths[i] = jpegs[i].size();
            targets[i].channel[0] = images[i].data;
            targets[i].pitch[0] =
                static_cast<std::remove_reference_t<decltype(targets[i].pitch[0])>>(images[i].stride);
        }
        const bool is_new_size = jpegs.size() != batch_;
        const std::size_t batch = jpegs.size();
        batch_ = 0;
        if (is_new_size) {
            check_files(api().batched_initialize(handle_, state_, static_cast<int>(batch), cpu_threads_,
                                                 NVJPEG_OUTPUT_Y),
                        "setting nvJPEG up for a batch");
        }
        preallocate(batch, largest);
        check_files(api().decode_batched(handle_, state_, data.data(), lengths.data(), targets.data(),
                                         static_cast<cudaStream_t>(device_.stream())),
                    "decoding JPEG files");
        batch_ = batch;
    }

  private:
    const char* backend_name() const {
        return backend_ == NvJpegBackend::engines ? "JPEG engines" : "its multiprocessors";
    }

    void select_device() const {
        const cudaError_t status = cudaSetDevice(device_.index());
        if (status != cudaSuccess)
            throw DeviceError(device_.name() + " cannot be selected: " + cudaGetErrorString(status));
    }

    void check(nvjpegStatus_t status, const char* doing) const {
        if (status == NVJPEG_STATUS_SUCCESS) return;
        const std::string message =
            device_.name() + " failed in " + doing + " with " + backend_name() + ": " + described(status);
        if (is_of_the_file(status)) throw NvJpegRefused(message);
        throw DeviceError(message);
    }

    // Whatever nvJPEG says of files that it was given, as long as the GPU goes on, is said of these files:
    // another decoder may know better, and no file may stop a job. Begun work of a batch ends before the
    // files are let go.
    void check_files(nvjpegStatus_t status, const char* doing) const {
        if (status == NVJPEG_STATUS_SUCCESS) return;
        const std::string message =
            device_.name() + " failed in " + doing + " with " + backend_name() + ": " + described(status);
        cudaGetLastError();
        const cudaError_t gpu = cudaStreamSynchronize(static_cast<cudaStream_t>(device_.stream()));
        if (gpu != cudaSuccess) throw DeviceError(message + "; " + cudaGetErrorString(gpu));
        throw NvJpegRefused(message);
    }

    // nvJPEG lets the buffers of each engine grow with the files that it meets, and to let go of memory waits
    // for all work on the GPU: thousands of pictures long, other work is held up. So they get the size of the
    // largest picture that is likely at once. It only saves time: without memory for it, nvJPEG says later
    // whether it can do with less.
    void preallocate(std::size_t batch, Size picture) {
        constexpr int max_side = 4096;
        const auto side = [max_side](int wanted, int had) {
            return std::max(
                had, std::min(max_side, static_cast<int>(std::bit_ceil(static_cast<unsigned>(wanted)))));
        };
        const Size room{side(picture.width, room_.width), side(picture.height, room_.height)};
        if (backend_ != NvJpegBackend::engines || room == room_) return;
        room_ = room;
        if (api().preallocate(handle_, state_, static_cast<int>(batch), room.width, room.height,
                              NVJPEG_CSS_420, NVJPEG_OUTPUT_Y) != NVJPEG_STATUS_SUCCESS) {
            cudaGetLastError();  // or a later, unrelated launch would report it again
        }
    }

    void release() noexcept {
        if (cudaSetDevice(device_.index()) != cudaSuccess) return;
        if (header_ != nullptr) api().stream_destroy(header_);
        if (state_ != nullptr) api().state_destroy(state_);
        if (handle_ != nullptr) api().destroy(handle_);
    }

    const Device& device_;
    NvJpegBackend backend_;
    int cpu_threads_;
    nvjpegHandle_t handle_ = nullptr;
    nvjpegJpegState_t state_ = nullptr;
    nvjpegJpegStream_t header_ = nullptr;
    std::size_t batch_ = 0;  // that the state is set up for
    Size room_{0, 0};        // that the engines' buffers have at least
};

}  // namespace fovea

#else

namespace fovea {

const NvJpegLibrary& nvjpeg_library() {
    static const NvJpegLibrary library = [] {
        NvJpegLibrary none;
        none.why_none =
            "this program was built without nvJPEG (without CUDA, or nvjpeg.h was not found: see "
            "FOVEA_NVJPEG_ROOT)";
        return none;
    }();
    return library;
}

/// Stands for nvJPEG where it was not built in: refuses to be made.
class NvJpegDecoder::Implementation {
  public:
    Implementation(const Device&, NvJpegBackend, int) { throw NvJpegUnavailable(nvjpeg_library().why_none); }

    NvJpegBackend backend() const { return NvJpegBackend::multiprocessors; }
    int engines() const { return 0; }
    Size size(codec::Bytes) const { return {}; }
    bool supports(codec::Bytes) const { return false; }
    void decode_grey(std::span<const codec::Bytes>, std::span<const ImageView<std::uint8_t>>) {}
};

}  // namespace fovea

#endif

namespace fovea {

NvJpegDecoder::NvJpegDecoder(const Device& device, NvJpegBackend backend, int cpu_threads)
    : implementation_(std::make_unique<Implementation>(device, backend, cpu_threads)) {}

NvJpegDecoder::~NvJpegDecoder() = default;

NvJpegBackend NvJpegDecoder::backend() const {
    return implementation_->backend();
}

int NvJpegDecoder::engines() const {
    return implementation_->engines();
}

Size NvJpegDecoder::size(codec::Bytes jpeg) const {
    return implementation_->size(jpeg);
}

bool NvJpegDecoder::supports(codec::Bytes jpeg) const {
    return implementation_->supports(jpeg);
}

void NvJpegDecoder::decode_grey(std::span<const codec::Bytes> jpegs,
                                std::span<const ImageView<std::uint8_t>> images) {
    implementation_->decode_grey(jpegs, images);
}

}  // namespace fovea
