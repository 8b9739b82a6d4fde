#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include <cuda_runtime.h>

#include "kernels/core/align.hpp"
#include "kernels/core/gpu_device.hpp"
#include "kernels/core/gpu_launch.cuh"

namespace fovea::cuda_backend {

/// Untyped device memory that grows as needed; a Buffer has elements and keeps its size.
class DeviceMemory {
  public:
    explicit DeviceMemory(int device) : device_(device) {}
    ~DeviceMemory() { release(); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// True if reserve() would replace the memory: if it is too small, or large and hardly used.
    bool moves(std::size_t bytes) const {
        constexpr std::size_t large = std::size_t{1} << 30;
        return bytes > bytes_ || (bytes_ > large && bytes < bytes_ / 8);
    }
    /// Makes room for `bytes`. New memory is 0, and the old content is lost.
    /// \throws std::bad_alloc if there is not enough; DeviceError.
    void reserve(std::size_t bytes) {
        if (!moves(bytes)) return;
        release();
        std::size_t wanted = align_up(bytes + bytes / 8);
        try {
            data_ = allocate(device_, wanted);
        } catch (const std::bad_alloc&) {
            wanted = bytes;
            data_ = allocate(device_, wanted);
        }
        bytes_ = wanted;
        // Cleared, because parts that no kernel writes are copied to the host along with the written ones.
        // Other streams do not wait for the default stream, which clears.
        check(cudaMemset(data_, 0, bytes_), device_, "clearing memory");
        check(cudaStreamSynchronize(nullptr), device_, "clearing memory");
    }
    void release() noexcept {
        if (data_ != nullptr) cuda_backend::release(device_, data_);
        data_ = nullptr;
        bytes_ = 0;
    }
    template <class T = std::byte>
    T* at(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + offset);
    }

  private:
    int device_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Host memory that only grows, which loses the content: plain, or page-locked, so that a GPU copies it at
/// full speed and without the host.
class HostMemory {
  public:
    HostMemory(int device, bool pinned) : device_(device), pinned_(pinned) {}
    ~HostMemory() { release(); }
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    bool moves(std::size_t bytes) const { return bytes > bytes_; }
    void reserve(std::size_t bytes) {
        if (!moves(bytes)) return;
        release();
        const std::size_t wanted = align_up(bytes + bytes / 8);
        if (pinned_) {
            const cudaError_t status = cudaHostAlloc(&data_, wanted, cudaHostAllocDefault);
            if (status == cudaErrorMemoryAllocation) {
                cudaGetLastError();
                data_ = nullptr;
                throw std::bad_alloc();
            }
            check(status, device_, "allocating page-locked memory");
        } else {
            data_ = ::operator new(wanted);
        }
        bytes_ = wanted;
    }
    void release() noexcept {
        if (data_ != nullptr) {
            if (pinned_) {
                cudaFreeHost(data_);
            } else {
                ::operator delete(data_);
            }
        }
        data_ = nullptr;
        bytes_ = 0;
    }
    template <class T = std::byte>
    T* at(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + offset);
    }

  private:
    int device_;
    bool pinned_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

class Event {
  public:
    explicit Event(int device) : device_(device) {
        check(cudaEventCreate(&event_), device, "creating an event");
    }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(cudaStream_t stream) {
        check(cudaEventRecord(event_, stream), device_, "recording an event");
    }
    /// Waits until all work queued before record() is done; returns at once if nothing was recorded.
    void wait() const { check(cudaEventSynchronize(event_), device_, "waiting for an event"); }
    /// Milliseconds from `start` to this event, which have both been reached.
    float since(const Event& start) const {
        float time_ms = 0;
        check(cudaEventElapsedTime(&time_ms, start.event_, event_), device_, "reading an event");
        return time_ms;
    }

  private:
    int device_;
    cudaEvent_t event_ = nullptr;
};

/// A graph that is ready to be launched.
class GraphExecutable {
  public:
    explicit GraphExecutable(cudaGraphExec_t executable) : executable_(executable) {}
    ~GraphExecutable() { cudaGraphExecDestroy(executable_); }
    GraphExecutable(const GraphExecutable&) = delete;
    GraphExecutable& operator=(const GraphExecutable&) = delete;
    cudaGraphExec_t get() const { return executable_; }

  private:
    cudaGraphExec_t executable_;
};

}  // namespace fovea::cuda_backend
