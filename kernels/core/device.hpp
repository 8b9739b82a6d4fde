#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace fovea {

/// A device that was asked for is not there, or a call to it failed. The message names the device.
class DeviceError : public std::runtime_error {
  public:
    explicit DeviceError(const std::string& message) : std::runtime_error(message) {}
};

/// One GPU as CUDA describes it.
struct CudaDeviceInfo {
    int index = 0;
    std::string name;
    int compute_major = 0;
    int compute_minor = 0;
    int multiprocessors = 0;
    std::size_t memory_bytes = 0;
    int clock_khz = 0;
};

/// True if this program was built with its CUDA kernels.
bool cuda_built();

/// CUDA version this program was built with, e.g. "13.0"; empty without CUDA.
std::string cuda_build_version();

/// The GPUs that CUDA sees, in CUDA's order. Empty if there are none; `why_none` (if given) then says why in
/// a sentence (not built in, no driver, driver too old, no GPU).
std::vector<CudaDeviceInfo> cuda_devices(std::string* why_none = nullptr);

/// Which of a GPU's multiprocessors the work on a stream may take.
enum class GpuShare {
    all,
    /// All but a few, where CUDA and its driver (from 12.5 on) can do that, on a GPU of 32 multiprocessors or
    /// more; else all. Kernels of milliseconds on every multiprocessor would hold up even the shortest other
    /// kernel, such as the copies by which the JPEG engines bring each picture into its place.
    leave_room_for_nvjpeg,
};

/// The number of multiprocessors that the work on a stream of this share can take. \param index of the GPU.
/// \throws DeviceError if there is no such GPU or the program was built without CUDA.
int multiprocessors(int index, GpuShare share);

/// The device that an operation runs on: the CPU, or one CUDA device and its stream.
///
/// Operations take a Device and views of memory that lies there. On a CUDA device they are queued on the
/// device's stream and run asynchronously to the host; on the CPU they are done when they return.
class Device {
  public:
    enum class Kind { cpu, cuda };

    static Device cpu();
    /// \throws DeviceError if there is no such GPU or the program was built without CUDA.
    static Device cuda(int index, GpuShare share = GpuShare::all);

    Device(Device&& other) noexcept;
    Device& operator=(Device&& other) noexcept;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device();

    Kind kind() const { return kind_; }
    bool is_cuda() const { return kind_ == Kind::cuda; }
    int index() const { return index_; }
    GpuShare share() const { return share_; }
    /// "cpu" or "cuda:0".
    std::string name() const;
    /// The cudaStream_t of a CUDA device, opaque so that this header needs no CUDA; nullptr on the CPU.
    void* stream() const { return stream_; }
    /// Waits until all work queued on the stream is done; returns at once on the CPU.
    /// \throws DeviceError with CUDA's reason.
    void synchronize() const;

  private:
    Device(Kind kind, int index, GpuShare share = GpuShare::all)
        : kind_(kind), index_(index), share_(share) {}

    Kind kind_ = Kind::cpu;
    int index_ = 0;
    GpuShare share_ = GpuShare::all;
    void* stream_ = nullptr;
};

}  // namespace fovea
