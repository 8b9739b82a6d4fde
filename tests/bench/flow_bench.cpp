// Points followed on one thread beside OpenCV's calcOpticalFlowPyrLK, in the same run and in turns.
//   fovea_flow_bench VIDEO [FRAME] [POINTS]
// Follows the corners of a frame (default: 30) into the next one, 1,000 at most. Prints medians of 25 rounds
// with their quartiles: processor time of the thread, with and without the making of pyramids. The same for
// the search for the corners; on GPU 0, if there is one, elapsed time from the image in host memory and in
// the GPU's.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <tbb/global_control.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/optical_flow/good_features.hpp"
#include "kernels/optical_flow/gpu_good_features.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

// Other programs on the machine do not count.
double thread_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double time_ms(const std::function<void()>& work) {
    const double start = thread_ms();
    work();
    return thread_ms() - start;
}

std::vector<GreyImage> read_two_frames(const std::string& video, std::size_t first) {
    const Dataset dataset = read_dataset(video);
    if (first + 1 >= dataset.samples.size()) throw std::runtime_error("the video has no such frame");
    ImagePrefetcher frames({dataset.samples[first].place(), dataset.samples[first + 1].place()},
                           {1, std::size_t{64} << 20, {}});
    std::vector<GreyImage> images;
    while (std::optional<LoadedImage> frame = frames.next()) {
        if (!frame->unreadable.empty()) throw std::runtime_error(frame->unreadable);
        images.push_back(std::move(frame->image));
    }
    return images;
}

cv::Mat mat_of(const GreyImage& image) {
    return {image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data())};
}

struct Times {
    std::vector<double> pyramids, points, both;
};

void print(const char* name, const Times& times, std::size_t points) {
    const TimeSummary pyramids = summarise_times(times.pyramids), alone = summarise_times(times.points),
                      both = summarise_times(times.both);
    std::printf(
        "  %-8s pyramids %6.3f ms, points %7.3f ms (quartiles %.3f - %.3f; %5.2f us a point), "
        "all %7.3f ms (%.3f - %.3f)\n",
        name, pyramids.median_ms, alone.median_ms, alone.quartile_1_ms, alone.quartile_3_ms,
        alone.median_ms * 1e3 / static_cast<double>(points), both.median_ms, both.quartile_1_ms,
        both.quartile_3_ms);
}

void compare(const std::vector<GreyImage>& images, const std::vector<FlowPoint>& points,
             const FlowOptions& options) {
    const cv::Size window(options.window.width, options.window.height);
    std::vector<cv::Mat> from_mats, to_mats;
    std::vector<cv::Point2f> cv_points, cv_moved;
    for (const FlowPoint& point : points) cv_points.emplace_back(point.x, point.y);
    std::vector<std::uint8_t> cv_found, found(points.size());
    std::vector<float> cv_errors, errors(points.size());
    std::vector<FlowPoint> moved(points.size());
    FlowPyramid from, to;
    const auto build = [&] {
        from.build(images[0].view(), options.window, options.max_level);
        to.build(images[1].view(), options.window, options.max_level);
    };
    const auto follow = [&] { follow_points(from, to, points, moved, found, errors, options); };
    const auto cv_build = [&] {
        cv::buildOpticalFlowPyramid(mat_of(images[0]), from_mats, window, options.max_level, true);
        cv::buildOpticalFlowPyramid(mat_of(images[1]), to_mats, window, options.max_level, false);
    };
    const auto cv_follow = [&](cv::InputArray a, cv::InputArray b) {
        cv::calcOpticalFlowPyrLK(a, b, cv_points, cv_moved, cv_found, cv_errors, window, options.max_level);
    };
    Times ours, theirs;
    for (int round = -1; round < 25; ++round) {
        Times one, other;
        one.pyramids.push_back(time_ms(build));
        one.points.push_back(time_ms(follow));
        one.both.push_back(time_ms([&] { build(), follow(); }));
        other.pyramids.push_back(time_ms(cv_build));
        other.points.push_back(time_ms([&] { cv_follow(from_mats, to_mats); }));
        other.both.push_back(time_ms([&] { cv_follow(mat_of(images[0]), mat_of(images[1])); }));
        if (round < 0) continue;
        for (const auto member : {&Times::pyramids, &Times::points, &Times::both}) {
            (ours.*member).push_back((one.*member)[0]);
            (theirs.*member).push_back((other.*member)[0]);
        }
    }
    std::size_t differing = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (moved[i].x != cv_moved[i].x || moved[i].y != cv_moved[i].y || found[i] != cv_found[i])
            ++differing;
    }
    std::printf(
        "%dx%d, window %dx%d, levels to %d: %zu points, %zu differ; points %.2f times, all %.2f times\n",
        images[0].width, images[0].height, window.width, window.height, options.max_level, points.size(),
        differing, summarise_times(theirs.points).median_ms / summarise_times(ours.points).median_ms,
        summarise_times(theirs.both).median_ms / summarise_times(ours.both).median_ms);
    print("Fovea", ours, points.size());
    print("OpenCV", theirs, points.size());
}

void print_corners(const char* name, std::size_t corners, bool same, const std::vector<double>& times) {
    const TimeSummary summary = summarise_times(times);
    std::printf("  %-20s %zu corners%s, %7.3f ms (%.3f - %.3f)\n", name, corners, same ? "" : " THAT DIFFER",
                summary.median_ms, summary.quartile_1_ms, summary.quartile_3_ms);
}

void compare_corners(const GreyImage& image, const GoodFeaturesOptions& options) {
    std::vector<FlowPoint> ours;
    std::vector<cv::Point2f> cv_corners;
    std::vector<double> our_times, cv_times;
    for (int round = -1; round < 25; ++round) {
        const double our_time = time_ms([&] { ours = good_features(image.view(), options); });
        const double cv_time = time_ms([&] {
            cv::goodFeaturesToTrack(mat_of(image), cv_corners, options.max_corners, options.quality,
                                    options.min_distance);
        });
        if (round < 0) continue;
        our_times.push_back(our_time);
        cv_times.push_back(cv_time);
    }
    std::vector<FlowPoint> theirs;
    for (const cv::Point2f& corner : cv_corners) theirs.push_back({corner.x, corner.y});
    std::printf("%dx%d, at most %d corners, quality %g, distance %g\n", image.width, image.height,
                options.max_corners, options.quality, options.min_distance);
    print_corners("Fovea", ours.size(), true, our_times);
    print_corners("OpenCV", theirs.size(), theirs == ours, cv_times);
    if (cuda_devices().empty()) return;
    const Device device = Device::cuda(0);
    cuda_backend::GpuGoodFeatures features(device);
    Buffer<std::uint8_t> resident(device, image.pixels.size());
    resident.upload(image.pixels.data(), image.pixels.size());
    const auto find = [&](const char* name, const std::uint8_t* pixels, ImageMemory memory) {
        std::vector<FlowPoint> found;
        std::vector<double> times;
        for (int round = -3; round < 25; ++round) {
            const Stopwatch watch;
            found = features.find({pixels, image.width, image.height, image.width}, memory, options);
            if (round >= 0) times.push_back(watch.seconds() * 1e3);
        }
        print_corners(name, found.size(), found == ours, times);
    };
    find("cuda:0, from the host", image.pixels.data(), ImageMemory::host);
    find("cuda:0, resident", resident.data(), ImageMemory::device);
}

}  // namespace
}  // namespace fovea

int main(int argument_count, char** arguments) {
    using namespace fovea;
    try {
        if (argument_count < 2) throw std::runtime_error("usage: fovea_flow_bench VIDEO [FRAME] [POINTS]");
        const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
        cv::setNumThreads(1);
        const int frame = argument_count > 2 ? std::atoi(arguments[2]) : 30;
        const int count = argument_count > 3 ? std::atoi(arguments[3]) : 1000;
        const std::vector<GreyImage> images =
            read_two_frames(arguments[1], static_cast<std::size_t>(std::max(frame, 0)));
        const GoodFeaturesOptions wanted{count, 0.001, 3};
        compare_corners(images[0], wanted);
        const std::vector<FlowPoint> points = good_features(images[0].view(), wanted);
        for (const Size window : {Size{21, 21}, Size{15, 15}}) {
            for (const int max_level : {2, 3}) {
                FlowOptions options;
                options.window = window;
                options.max_level = max_level;
                compare(images, points, options);
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_flow_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
