#include "lib/core/opencv_scopes.hpp"

#include <memory>
#include <mutex>
#include <sstream>
#include <utility>

#include <opencv2/core.hpp>
#include <opencv2/core/parallel/backend/parallel_for.tbb.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "lib/core/text.hpp"

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

std::mutex quiet_mutex;
int quiet_count = 0;
cv::utils::logging::LogLevel level_before = cv::utils::logging::LOG_LEVEL_WARNING;

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

QuietOpenCv::QuietOpenCv() {
    const std::lock_guard lock(quiet_mutex);
    if (quiet_count++ == 0)
        level_before = cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
}

QuietOpenCv::~QuietOpenCv() {
    const std::lock_guard lock(quiet_mutex);
    if (--quiet_count == 0) cv::utils::logging::setLogLevel(level_before);
}

std::string message_of(const cv::Exception& error) {
    constexpr std::size_t longest = 300;
    std::istringstream words(error.err);
    std::string text;
    // OpenCV begins each of its own lines with "> ".
    for (std::string word; words >> word;) {
        if (word != ">") text += (text.empty() ? "" : " ") + word;
    }
    return excerpt(text, longest);
}

}  // namespace fovea
