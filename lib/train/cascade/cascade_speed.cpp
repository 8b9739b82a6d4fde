#include "lib/train/cascade/cascade_speed.hpp"

#include <deque>
#include <memory>
#include <optional>

#include "kernels/core/device.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "kernels/resize/resize.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/files/find_model.hpp"
#include "lib/train/cascade/cascade_trainer.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {
namespace {

constexpr std::size_t most_rounds = 15;
constexpr std::size_t least_rounds = 3;
constexpr double budget_seconds = 10;
/// Without grouping: OpenCV compares each window with each other one, and a cascade of few stages lets
/// hundreds of thousands pass.
constexpr CascadeScan scan{.parameters = {}, .min_neighbors = 0};

std::optional<std::filesystem::path> installed(const std::string& name) {
    try {
        return find_model(name);
    } catch (const UsageError&) {
        return std::nullopt;
    }
}

struct TimedDetector {
    CascadeSpeed speed;
    std::function<void()> detect;
    std::vector<double> times_ms;
};

class Race {
  public:
    explicit Race(const GreyImage& picture) : image_{speed_image_size.width, speed_image_size.height, {}} {
        image_.pixels.resize(pixels_of(speed_image_size));
        resize_linear(Device::cpu(), picture.view(),
                      {image_.pixels.data(), image_.width, image_.height, image_.width});
    }

    void add_own(const std::string& name, Cascade cascade) {
        const Cascade& kept = cascades_.emplace_back(std::move(cascade));
        CascadeEngine* const engine = engines_.emplace_back(make_cpu_engine(kept)).get();
        add(name, false, kept, [this, engine] {
            const std::vector<ImageView<const std::uint8_t>> views{image_.view()};
            engine->detect(views, scan);
        });
    }

    void add_opencv(const std::string& name, const std::filesystem::path& file, const Cascade& cascade) {
        DetectorOptions options;
        options.scale_factor = scan.parameters.scale_factor;
        options.min_neighbors = scan.min_neighbors;
        OpenCvReference* const reference =
            references_.emplace_back(std::make_unique<OpenCvReference>(file)).get();
        add(name, true, cascade, [this, reference, options] { reference->detect(image_.view(), options); });
    }

    std::vector<CascadeSpeed> run(const CountProgress& progress) {
        for (const TimedDetector& candidate : candidates_) candidate.detect();
        const Stopwatch watch;
        for (std::size_t round = 0; round < most_rounds; ++round) {
            if (round >= least_rounds && watch.seconds() > budget_seconds) break;
            for (TimedDetector& candidate : candidates_)
                candidate.times_ms.push_back(1e3 * host_seconds(candidate.detect));
            if (progress) progress(round + 1, most_rounds);
        }
        std::vector<CascadeSpeed> speeds;
        for (TimedDetector& candidate : candidates_) {
            candidate.speed.repetitions = candidate.times_ms.size();
            candidate.speed.time = summarise_times(std::move(candidate.times_ms));
            speeds.push_back(std::move(candidate.speed));
        }
        return speeds;
    }

  private:
    void add(const std::string& name, bool by_opencv, const Cascade& cascade, std::function<void()> detect) {
        CascadeSpeed speed{name, by_opencv, cascade.stages.size(), cascade.trees.size(), 0, {}};
        candidates_.push_back({std::move(speed), std::move(detect), {}});
    }

    GreyImage image_;
    std::deque<Cascade> cascades_;
    std::vector<std::unique_ptr<CascadeEngine>> engines_;
    std::vector<std::unique_ptr<OpenCvReference>> references_;
    std::vector<TimedDetector> candidates_;
};

}  // namespace

std::vector<CascadeSpeed> cascade_speeds(const Cascade& cascade, const std::filesystem::path& file,
                                         const GreyImage& picture, const CountProgress& progress) {
    const std::vector<std::string> others =
        cascade.feature == Cascade::Feature::haar
            ? std::vector<std::string>{"haarcascade_frontalface_default", "haarcascade_frontalface_alt2"}
            : std::vector<std::string>{"lbpcascade_frontalface_improved", "lbpcascade_frontalface"};
    std::vector<CascadeSpeed> speeds;
    ThreadLimit one(1);
    one.run([&] {
        Race race(picture);
        const std::string name = file.stem().string();
        race.add_own(name, as_read(cascade));
        race.add_opencv(name, file, cascade);
        for (const std::string& other : others) {
            if (const auto found = installed(other)) race.add_own(other, read_cascade(*found));
        }
        speeds = race.run(progress);
    });
    return speeds;
}

}  // namespace fovea
