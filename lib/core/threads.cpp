#include "lib/core/threads.hpp"

#include <algorithm>

#include <opencv2/core/utility.hpp>
#include <tbb/info.h>

#include "lib/core/host_limits.hpp"

namespace fovea {

int resolve_threads(int requested) {
    if (requested > 0) return requested;
    const int cores = std::max(1, tbb::info::default_concurrency());
    return std::min(cores, host_limits().cores.value_or(cores));
}

ThreadLimit::ThreadLimit(int threads)
    : threads_(resolve_threads(threads)),
      opencv_threads_before_(cv::getNumThreads()),
      control_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads_)),
      arena_(threads_) {
    cv::setNumThreads(threads_);
}

ThreadLimit::~ThreadLimit() {
    cv::setNumThreads(opencv_threads_before_);
}

}  // namespace fovea
