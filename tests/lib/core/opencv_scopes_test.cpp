#include "lib/core/opencv_scopes.hpp"

#include <atomic>
#include <set>
#include <thread>

#include <catch2/catch.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "lib/core/threads.hpp"

using namespace fovea;

namespace {

// The number of pieces into which OpenCV divides 64 places, and whether all of them were on this thread.
struct Loop {
    int pieces = 0;
    int places = 0;
    bool stayed = true;
};

Loop run_loop() {
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<int> pieces{0};
    std::atomic<int> places{0};
    std::atomic<bool> stayed{true};
    cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range& range) {
        ++pieces;
        places += range.size();
        if (std::this_thread::get_id() != here) stayed = false;
    });
    return {pieces, places, stayed};
}

}  // namespace

TEST_CASE("OpenCV counts and uses one thread within the scope, and as many as before after it",
          "[core][opencv]") {
    SerialOpenCv::prepare();
    SerialOpenCv::prepare();  // again means nothing
    const ThreadLimit limit(3);
    CHECK(cv::getNumThreads() == 3);
    CHECK(run_loop().pieces > 1);
    {
        const SerialOpenCv outer;
        CHECK(cv::getNumThreads() == 1);
        {
            const SerialOpenCv inner;
            CHECK(cv::getNumThreads() == 1);
        }
        CHECK(cv::getNumThreads() == 1);
        const Loop loop = run_loop();
        CHECK(loop.pieces == 1);
        CHECK(loop.places == 64);
        CHECK(loop.stayed);
        int elsewhere = 0;
        std::thread([&] { elsewhere = cv::getNumThreads(); }).join();
        CHECK(elsewhere == 3);
    }
    CHECK(cv::getNumThreads() == 3);
    const Loop loop = run_loop();
    CHECK(loop.pieces > 1);
    CHECK(loop.places == 64);
}

TEST_CASE("OpenCV takes the numbers of threads that it is given", "[core][opencv]") {
    SerialOpenCv::prepare();
    const int before = cv::getNumThreads();
    {
        const ThreadLimit one(1);
        CHECK(cv::getNumThreads() == 1);
        const Loop loop = run_loop();
        CHECK(loop.pieces == 1);
        CHECK(loop.stayed);
    }
    CHECK(cv::getNumThreads() == before);
}

TEST_CASE("OpenCV is quiet while a scope lives, whichever ends first", "[core][opencv]") {
    namespace logging = cv::utils::logging;
    const auto before = logging::getLogLevel();
    auto first = std::make_unique<QuietOpenCv>();
    auto second = std::make_unique<QuietOpenCv>();
    CHECK(logging::getLogLevel() == logging::LOG_LEVEL_SILENT);
    first.reset();
    CHECK(logging::getLogLevel() == logging::LOG_LEVEL_SILENT);
    second.reset();
    CHECK(logging::getLogLevel() == before);
}

TEST_CASE("what OpenCV says of a failure is one short line", "[core][opencv]") {
    cv::Exception error;
    error.err = "> first\n>   second\n";
    CHECK(message_of(error) == "first second");
    error.err.assign(1000, 'x');
    CHECK(message_of(error).size() == 303);
    CHECK(message_of(error).substr(298) == "xx...");
    error.err.clear();
    CHECK(message_of(error).empty());
}
