#include <map>
#include <mutex>
#include <new>

#include <cuda.h>

#include "kernels/core/device.hpp"
#include "kernels/core/gpu_device.hpp"
#include "kernels/core/gpu_launch.cuh"
#include "kernels/core/gpu_memory.cuh"

namespace fovea {
namespace {

// A GPU of fewer would miss those that are kept for the decoder.
constexpr int worth_sharing = 32;

// Enough for the copies of 6,000 pictures of 1080p a second. Neither they nor detection were faster with two
// or eight.
constexpr unsigned kept_for_decoder = 4;

/// The part of a GPU's multiprocessors that work beside the decoder gets: a green context of CUDA's. It lives
/// as long as the program, like the primary context that it is a part of.
class PartOfGpu {
  public:
    /// For the device that is selected.
    explicit PartOfGpu(int index) : multiprocessors_(fovea::multiprocessors(index, GpuShare::all)) {
#if CUDART_VERSION >= 12050
        if (multiprocessors_ >= worth_sharing) split(index);
#endif
    }

    int multiprocessors() const {
        return multiprocessors_;
    }

    /// nullptr where the GPU cannot be shared out: the work then takes all of it.
    cudaStream_t open_stream() const {
#if CUDART_VERSION >= 12050
        CUstream stream = nullptr;
        if (context_ != nullptr && open_(&stream, context_, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS)
            return stream;
#endif
        return nullptr;
    }

  private:
#if CUDART_VERSION >= 12050
    // The driver's functions are asked for by name, so that the program starts without a driver.
    template <class Function>
    static bool find(Function& function, const char* name) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result{};
        if (cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result) !=
            cudaSuccess) {
            cudaGetLastError();  // or a later, unrelated launch would report it again
            return false;
        }
        function = reinterpret_cast<Function>(found);
        return result == cudaDriverEntryPointSuccess && found != nullptr;
    }

    void split(int index) {
        decltype(&cuDeviceGetDevResource) resource_of = nullptr;
        decltype(&cuDevSmResourceSplitByCount) split_by_count = nullptr;
        decltype(&cuDevResourceGenerateDesc) describe = nullptr;
        decltype(&cuGreenCtxCreate) create = nullptr;
        if (!find(resource_of, "cuDeviceGetDevResource") ||
            !find(split_by_count, "cuDevSmResourceSplitByCount") ||
            !find(describe, "cuDevResourceGenerateDesc") || !find(create, "cuGreenCtxCreate") ||
            !find(open_, "cuGreenCtxStreamCreate")) {
            return;
        }
        CUdevResource all{}, decoder{}, others{};
        CUdevResourceDesc description = nullptr;
        unsigned parts = 1;
        // Multiprocessors may be taken one pair at a time by those who launch no clusters of blocks.
        if (resource_of(index, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS ||
            split_by_count(&decoder, &parts, &all, &others, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
                           kept_for_decoder) != CUDA_SUCCESS ||
            describe(&description, &others, 1) != CUDA_SUCCESS ||
            create(&context_, description, index, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS) {
            context_ = nullptr;
            return;
        }
        multiprocessors_ = static_cast<int>(others.sm.smCount);
    }

    CUgreenCtx context_ = nullptr;
    decltype(&cuGreenCtxStreamCreate) open_ = nullptr;
#endif
    int multiprocessors_;
};

// \throws DeviceError if the device cannot be selected.
const PartOfGpu& part_beside_decoder(int index) {
    static std::mutex mutex;
    static std::map<int, PartOfGpu> parts;
    cuda_backend::check(cudaSetDevice(index), index, "selecting the device");
    const std::lock_guard lock(mutex);
    return parts.try_emplace(index, index).first->second;
}

// CUDA says of a machine without a driver that its driver is too old.
std::string why_no_gpu(cudaError_t status) {
    if (status == cudaSuccess) return "CUDA sees no GPU";
    int driver = 0;
    const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    if (!has_driver) return "there is no NVIDIA driver on this machine";
    return std::string("CUDA sees no GPU: ") + cudaGetErrorString(status);
}

}  // namespace

bool cuda_built() {
    return true;
}

std::string cuda_build_version() {
    return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

std::vector<CudaDeviceInfo> cuda_devices(std::string* why_none) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        if (why_none != nullptr) *why_none = why_no_gpu(status);
        cudaGetLastError();  // clears the error, so that it is not reported again by a later, unrelated call
        return {};
    }
    std::vector<CudaDeviceInfo> devices(count);
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        cuda_backend::check(cudaGetDeviceProperties(&properties, index), index,
                            "reading the device's properties");
        CudaDeviceInfo& info = devices[index];
        info.index = index;
        info.name = properties.name;
        info.compute_major = properties.major;
        info.compute_minor = properties.minor;
        info.multiprocessors = properties.multiProcessorCount;
        info.memory_bytes = properties.totalGlobalMem;
        cuda_backend::check(cudaDeviceGetAttribute(&info.clock_khz, cudaDevAttrClockRate, index), index,
                            "reading the device's clock");
    }
    return devices;
}

int multiprocessors(int index, GpuShare share) {
    if (share == GpuShare::leave_room_for_nvjpeg) return part_beside_decoder(index).multiprocessors();
    int count = 0;
    cuda_backend::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, index), index,
                        "reading the device's properties");
    return count;
}

namespace cuda_backend {

void select(int index) {
    check(cudaSetDevice(index), index, "selecting the device");
    // Before CUDA 12, the context is made by the first call that needs it.
    check(cudaFree(nullptr), index, "making the device's context");
}

void* open_stream(int index, GpuShare share) {
    check(cudaSetDevice(index), index, "selecting the device");
    if (share == GpuShare::leave_room_for_nvjpeg) {
        if (cudaStream_t stream = part_beside_decoder(index).open_stream()) return stream;
    }
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), index, "creating a stream");
    return stream;
}

void close_stream(int index, void* stream) noexcept {
    // Nothing can be done about an error here: the device is being let go.
    if (cudaSetDevice(index) == cudaSuccess) cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void synchronize(int index, void* stream) {
    check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), index, "waiting for queued work");
}

void* make_event(int index) {
    check(cudaSetDevice(index), index, "selecting the device");
    return new Event(index);
}

void drop_event(int index, void* event) noexcept {
    if (cudaSetDevice(index) == cudaSuccess) delete static_cast<Event*>(event);
}

void record_event(void* stream, void* event) {
    static_cast<Event*>(event)->record(static_cast<cudaStream_t>(stream));
}

void wait_for_event(const void* event) {
    static_cast<const Event*>(event)->wait();
}

void* allocate(int index, std::size_t bytes) {
    check(cudaSetDevice(index), index, "selecting the device");
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // so that no later call reports it again
        throw std::bad_alloc();
    }
    check(status, index, "allocating memory");
    return memory;
}

void release(int index, void* memory) noexcept {
    if (cudaSetDevice(index) == cudaSuccess) cudaFree(memory);
}

void copy(int index, void* stream, void* destination, const void* source, std::size_t bytes) {
    check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
          index, "copying");
}

}  // namespace cuda_backend
}  // namespace fovea
