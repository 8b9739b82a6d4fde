#include "kernels/core/queued_work.hpp"

#include "kernels/core/gpu_device.hpp"

namespace fovea {

QueuedWork::~QueuedWork() {
    if (event_ != nullptr) cuda_backend::drop_event(index_, event_);
}

void QueuedWork::take(const Device& device) {
    if (event_ != nullptr && (!device.is_cuda() || device.index() != index_)) {
        cuda_backend::drop_event(index_, event_);
        event_ = nullptr;
    }
    if (!device.is_cuda()) return;
    index_ = device.index();
    if (event_ == nullptr) event_ = cuda_backend::make_event(index_);
    cuda_backend::record_event(device.stream(), event_);
}

void QueuedWork::wait() const {
    if (event_ != nullptr) cuda_backend::wait_for_event(event_);
}

}  // namespace fovea
