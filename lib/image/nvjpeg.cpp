#include "lib/image/nvjpeg.hpp"

#if defined(FOVEA_HAVE_NVJPEG)

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <nvjpeg.h>

#include "kernels/core/idle_pool.hpp"
#include "lib/process/dynamic_library.hpp"
#include "lib/video/nvdec.hpp"

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

namespace {

const char* name_of(NvJpegBackend backend) {
    return backend == NvJpegBackend::engines ? "JPEG engines" : "its multiprocessors";
}

std::string failed_in(const Device& device, NvJpegBackend backend, const char* doing, nvjpegStatus_t status) {
    return device.name() + " failed in " + doing + " with " + name_of(backend) + ": " + described(status);
}

void check(nvjpegStatus_t status, const Device& device, NvJpegBackend backend, const char* doing) {
    if (status == NVJPEG_STATUS_SUCCESS) return;
    const std::string message = failed_in(device, backend, doing, status);
    if (is_of_the_file(status)) throw NvJpegRefused(message);
    throw DeviceError(message);
}

void select(const Device& device) {
    const cudaError_t status = cudaSetDevice(device.index());
    if (status != cudaSuccess)
        throw DeviceError(device.name() + " cannot be selected: " + cudaGetErrorString(status));
}

nvjpegHandle_t make_handle(const Device& device, NvJpegBackend backend) {
    select(device);
    const auto kind = backend == NvJpegBackend::engines ? NVJPEG_BACKEND_HARDWARE : NVJPEG_BACKEND_GPU_HYBRID;
    // The callers' threads overlap batches; what nvJPEG does for that itself costs the engines 7 to 9 % of
    // their rate.
    const unsigned flags =
        backend == NvJpegBackend::engines ? NVJPEG_FLAGS_HW_DECODE_NO_PIPELINE : NVJPEG_FLAGS_DEFAULT;
    nvjpegHandle_t handle = nullptr;
    const nvjpegStatus_t status = api().create(kind, nullptr, nullptr, flags, &handle);
    if (status == NVJPEG_STATUS_ARCH_MISMATCH || status == NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED ||
        (status != NVJPEG_STATUS_SUCCESS && backend == NvJpegBackend::engines)) {
        throw NvJpegUnavailable(device.name() + " cannot decode JPEG with " + name_of(backend) + ": " +
                                described(status));
    }
    check(status, device, backend, "starting nvJPEG");
    return handle;
}

/// nvJPEG on one GPU with one backend. Several threads may use it.
struct Handle {
    Handle(const Device& device, NvJpegBackend backend)
        : gpu(device.index()), handle(make_handle(device, backend)) {}
    ~Handle() {
        if (cudaSetDevice(gpu) == cudaSuccess) api().destroy(handle);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    const int gpu;
    const nvjpegHandle_t handle;
};

/// The part of nvJPEG that one decoder holds.
struct Session {
    Session(const Handle& of, const Device& device, NvJpegBackend backend) : gpu(of.gpu) {
        check(api().state_create(of.handle, &state), device, backend, "making nvJPEG's state");
        const nvjpegStatus_t status = api().stream_create(of.handle, &header);
        if (status != NVJPEG_STATUS_SUCCESS) api().state_destroy(state);
        check(status, device, backend, "making nvJPEG's header parser");
    }
    ~Session() {
        if (cudaSetDevice(gpu) != cudaSuccess) return;
        api().stream_destroy(header);
        api().state_destroy(state);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const int gpu;
    nvjpegJpegState_t state = nullptr;
    nvjpegJpegStream_t header = nullptr;
    std::size_t batch = 0;       // that the state is set up for
    Size room{0, 0};             // that the engines' buffers have at least,
    std::size_t room_batch = 0;  // for batches of so many
};

/// Sessions wait for the next decoder when theirs is gone: to make one takes 0.09 s, to destroy it 0.06 s.
struct StartedNvJpeg {
    StartedNvJpeg(const Device& device, NvJpegBackend backend) : nvjpeg(device, backend) {}

    const Handle nvjpeg;
    IdlePool<Session> idle{};  // destroyed before the handle
};

StartedNvJpeg& started(const Device& device, NvJpegBackend backend) {
    if (!nvjpeg_library().loaded) throw NvJpegUnavailable(nvjpeg_library().why_none);
    if (!device.is_cuda()) throw NvJpegUnavailable("nvJPEG decodes on a GPU only");
    keep_nvdec_in_use(device.index());
    // Made after the libraries, so it is destroyed before them.
    static std::mutex mutex;
    static std::map<std::pair<int, NvJpegBackend>, std::unique_ptr<StartedNvJpeg>> all;
    const std::lock_guard lock(mutex);
    std::unique_ptr<StartedNvJpeg>& nvjpeg = all[{device.index(), backend}];
    if (!nvjpeg) nvjpeg = std::make_unique<StartedNvJpeg>(device, backend);
    return *nvjpeg;
}

}  // namespace

void start_nvjpeg(const Device& device, NvJpegBackend backend) {
    started(device, backend);
}

class NvJpegDecoder::Implementation {
  public:
    Implementation(const Device& device, NvJpegBackend backend, int cpu_threads)
        : device_(device),
          backend_(backend),
          cpu_threads_(cpu_threads),
          started_(started(device, backend)),
          handle_(started_.nvjpeg.handle) {
        select(device_);
        session_ =
            started_.idle.take([&] { return std::make_unique<Session>(started_.nvjpeg, device_, backend_); });
        // The decoder before may have had another number of threads.
        session_->batch = 0;
    }
    ~Implementation() { started_.idle.give_back(std::move(session_)); }
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
        select(device_);
        const nvjpegStatus_t status =
            api().stream_parse(handle_, jpeg.data(), jpeg.size(), 0, 0, session_->header);
        if (is_of_the_file(status)) return false;
        check(status, "reading a JPEG header");
        int unsupported = 1;  // 0 = supported, see nvJPEG's documentation of the batched interface
        check(api().batched_supported(handle_, session_->header, &unsupported),
              "asking whether a JPEG is supported");
        return unsupported == 0;
    }

    void decode_grey(std::span<const codec::Bytes> jpegs, std::span<const ImageView<std::uint8_t>> images) {
        if (jpegs.size() != images.size())
            throw std::invalid_argument("as many images as JPEG files are needed");
        if (jpegs.empty()) return;
        select(device_);
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
        const bool is_new_size = jpegs.size() != session_->batch;
        const std::size_t batch = jpegs.size();
        session_->batch = 0;
        if (is_new_size) {
            check_files(api().batched_initialize(handle_, session_->state, static_cast<int>(batch),
                                                 cpu_threads_, NVJPEG_OUTPUT_Y),
                        "setting nvJPEG up for a batch");
        }
        preallocate(batch, largest);
        check_files(api().decode_batched(handle_, session_->state, data.data(), lengths.data(),
                                         targets.data(), static_cast<cudaStream_t>(device_.stream())),
                    "decoding JPEG files");
        session_->batch = batch;
    }

  private:
    void check(nvjpegStatus_t status, const char* doing) const {
        fovea::check(status, device_, backend_, doing);
    }

    // Whatever nvJPEG says of files that it was given, as long as the GPU goes on, is said of these files:
    // another decoder may know better, and no file may stop a job. Begun work of a batch ends before the
    // files are let go.
    void check_files(nvjpegStatus_t status, const char* doing) const {
        if (status == NVJPEG_STATUS_SUCCESS) return;
        const std::string message = failed_in(device_, backend_, doing, status);
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
        const Size room{side(picture.width, session_->room.width),
                        side(picture.height, session_->room.height)};
        const bool is_there = room == session_->room && batch <= session_->room_batch;
        if (backend_ != NvJpegBackend::engines || is_there) return;
        session_->room = room;
        session_->room_batch = std::max(batch, session_->room_batch);
        if (api().preallocate(handle_, session_->state, static_cast<int>(batch), room.width, room.height,
                              NVJPEG_CSS_420, NVJPEG_OUTPUT_Y) != NVJPEG_STATUS_SUCCESS) {
            cudaGetLastError();  // or a later, unrelated launch would report it again
        }
    }

    const Device& device_;
    NvJpegBackend backend_;
    int cpu_threads_;
    StartedNvJpeg& started_;
    const nvjpegHandle_t handle_;
    std::unique_ptr<Session> session_;
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

void start_nvjpeg(const Device&, NvJpegBackend) {
    throw NvJpegUnavailable(nvjpeg_library().why_none);
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
