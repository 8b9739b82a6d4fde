#include "lib/core/threads.hpp"

#include <algorithm>

#include <opencv2/core/utility.hpp>
#include <tbb/info.h>

namespace fovea {

int resolve_threads(int requested) {
    return requested > 0 ? requested : std::max(1, tbb::info::default_concurrency());
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
