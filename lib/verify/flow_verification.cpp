#include "lib/verify/flow_verification.hpp"

#include <bit>
#include <memory>
#include <utility>

#include "kernels/optical_flow/good_features.hpp"
#include "kernels/optical_flow/gpu_optical_flow.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/opencv_flow.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

constexpr GoodFeaturesOptions corners_to_follow{1000, 0.001, 3};
// Enough to see what they have in common.
constexpr std::size_t max_listed_differences = 20;

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

bool same_bits(FlowPoint a, FlowPoint b) {
    return same_bits(a.x, b.x) && same_bits(a.y, b.y);
}

FlowResult room_for(std::span<const FlowPoint> points) {
    FlowResult result;
    result.moved.resize(points.size());
    result.found.resize(points.size());
    result.errors.resize(points.size());
    return result;
}

// Compares pairs of frames and adds up what it finds.
class FlowVerifier {
  public:
    explicit FlowVerifier(const Device* gpu) {
        if (gpu == nullptr) return;
        gpu_flow_ = std::make_unique<cuda_backend::GpuOpticalFlow>(*gpu);
        gpu_name_ = gpu->name();
    }

    void compare(const std::string& from_name, const GreyImage& from, const std::string& to_name,
                 const GreyImage& to, FlowVerificationResult& outcome) {
        DifferingFrames differing{from_name, to_name, false, 0, {}};
        const std::vector<FlowPoint> points = good_features(from.view(), corners_to_follow);
        differing.corners_differ =
            !gpu_flow_ && points != good_features_with_opencv(from.view(), corners_to_follow);
        from_.build(from.view(), options_.window, options_.max_level);
        to_.build(to.view(), options_.window, options_.max_level);
        FlowResult vectors = room_for(points), plain = room_for(points);
        follow_points(from_, to_, points, vectors.moved, vectors.found, vectors.errors, options_);
        follow_points_plainly(from_, to_, points, plain.moved, plain.found, plain.errors, options_);
        list_differences(points, vectors, plain, "the CPU without vectors", differing);
        list_differences(points, vectors, reference(from, to, points), gpu_flow_ ? gpu_name_ : "OpenCV",
                         differing);
        ++outcome.pairs;
        outcome.points += points.size();
        for (const std::uint8_t found : vectors.found) outcome.found += found;
        outcome.differing_points += differing.differing_points;
        if (differing.corners_differ || differing.differing_points > 0)
            outcome.differing.push_back(std::move(differing));
    }

  private:
    FlowResult reference(const GreyImage& from, const GreyImage& to, std::span<const FlowPoint> points) {
        if (!gpu_flow_) return follow_points_with_opencv(from.view(), to.view(), points, {}, options_);
        FlowResult result = room_for(points);
        for (const GreyImage* image : {&from, &to}) {
            gpu_flow_->add_image(image->view(), ImageMemory::host, options_.window, options_.max_level);
        }
        gpu_flow_->follow(points, result.moved, result.found, result.errors, options_);
        return result;
    }

    static void list_differences(std::span<const FlowPoint> points, const FlowResult& ours,
                                 const FlowResult& other, const std::string& side,
                                 DifferingFrames& differing) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const bool equal = same_bits(ours.moved[i], other.moved[i]) && ours.found[i] == other.found[i] &&
                               same_bits(ours.errors[i], other.errors[i]);
            if (equal) continue;
            ++differing.differing_points;
            if (differing.differences.size() >= max_listed_differences) continue;
            differing.differences.push_back({points[i], side, ours.moved[i], other.moved[i],
                                             ours.found[i] != 0, other.found[i] != 0, ours.errors[i],
                                             other.errors[i]});
        }
    }

    FlowOptions options_;
    FlowPyramid from_, to_;
    std::unique_ptr<cuda_backend::GpuOpticalFlow> gpu_flow_;
    std::string gpu_name_;
};

}  // namespace

FlowVerificationResult run_flow_verification(const Dataset& dataset, int every, const Device* gpu,
                                             int threads, const JobHooks& hooks) {
    ThreadLimit limit(threads);
    FlowVerifier verifier(gpu);
    ImagePrefetcher prefetcher(places_of(dataset), {1, std::size_t{64} << 20, {}});
    FlowVerificationResult outcome;
    hooks.begin_stage("comparing");
    const auto step = static_cast<std::size_t>(every);
    std::optional<LoadedImage> before;
    for (std::size_t done = 0; done < dataset.samples.size();) {
        if (hooks.is_cancelled()) {
            outcome.interrupted = true;
            break;
        }
        std::optional<LoadedImage> loaded = prefetcher.next();
        if (!loaded) break;
        const std::string& name = dataset.samples[loaded->index].image;
        if (!loaded->unreadable.empty()) outcome.unreadable.push_back({name, loaded->unreadable});
        const bool is_pair = before && before->unreadable.empty() && loaded->unreadable.empty() &&
                             before->index % step == 0 && before->image.width == loaded->image.width &&
                             before->image.height == loaded->image.height;
        if (is_pair) {
            limit.run([&] {
                verifier.compare(dataset.samples[before->index].image, before->image, name, loaded->image,
                                 outcome);
            });
        }
        before = std::move(loaded);
        ++done;
        hooks.tell({done, dataset.samples.size(), outcome.unreadable.size()});
    }
    return outcome;
}

}  // namespace fovea
