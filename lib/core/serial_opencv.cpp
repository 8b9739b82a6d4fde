#include "lib/core/serial_opencv.hpp"

#include <memory>
#include <utility>

#include <opencv2/core/parallel/backend/parallel_for.tbb.hpp>
#include <opencv2/core/utility.hpp>

namespace fovea {
namespace {

thread_local bool is_serial = false;

// OpenCV's own backend for TBB, but for threads within a SerialOpenCv.
class ScopedBackend : public cv::parallel::tbb::ParallelForBackend {
  public:
    void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
        if (is_serial) {
            body(0, tasks, data);
        } else {
            ParallelForBackend::parallel_for(tasks, body, data);
        }
    }

    int getNumThreads() const override { return is_serial ? 1 : ParallelForBackend::getNumThreads(); }
};

}  // namespace

SerialOpenCv::SerialOpenCv() : before_(std::exchange(is_serial, true)) {}

SerialOpenCv::~SerialOpenCv() {
    is_serial = before_;
}

void SerialOpenCv::prepare() {
    static const bool is_prepared = [] {
        const int threads = cv::getNumThreads();
        cv::parallel::setParallelForBackend(std::make_shared<ScopedBackend>(), false);
        cv::setNumThreads(threads);
        return true;
    }();
    static_cast<void>(is_prepared);
}

}  // namespace fovea
