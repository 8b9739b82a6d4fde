#pragma once

#include "kernels/core/device.hpp"

namespace fovea {

/// The work that was queued on a device's stream up to some moment, for another thread to wait for.
class QueuedWork {
  public:
    QueuedWork() = default;
    ~QueuedWork();
    QueuedWork(const QueuedWork&) = delete;
    QueuedWork& operator=(const QueuedWork&) = delete;

    /// Takes the work that is queued on the stream now, in place of what was taken before.
    /// \throws DeviceError
    void take(const Device& device);
    /// Waits until that work is done; returns at once if there is none.
    /// \throws DeviceError with CUDA's reason.
    void wait() const;

  private:
    int index_ = 0;
    void* event_ = nullptr;  // made by the first take() on a GPU
};

}  // namespace fovea
