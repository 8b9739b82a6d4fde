#include "lib/report/page/sample_pictures.hpp"

#include <algorithm>
#include <new>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "lib/files/shortage.hpp"
#include "lib/image/colour.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {
namespace {

/// Many small pictures need less than the few that are looked at closely.
constexpr int sample_quality = 75;
/// Pictures made before they are written: bounds the memory that they take, and what is made beyond the
/// budget.
constexpr std::size_t pictures_at_once = 64;

struct SmallPicture {
    std::string jpeg;
    std::optional<ImageSize> size;
};

SmallPicture picture_of(const Sample& sample, const DecodeOptions& options) {
    try {
        const cv::Mat image = read_picture(sample.place(), options);
        return {small_jpeg(image, sample_quality), ImageSize{image.cols, image.rows}};
    } catch (const ShortageError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

std::vector<SamplePicture> add_sample_pictures(StagedFiles& files, const Dataset& dataset,
                                               const std::vector<std::size_t>& samples,
                                               const SamplePictureLimits& limits,
                                               const DecodeOptions& options) {
    std::vector<SamplePicture> pictures(samples.size());
    const std::size_t wanted = std::min(samples.size(), limits.pictures);
    if (wanted > 0) make_folders_to(files.folder() / "pictures" / "picture", files.folder(), "report");
    tbb::task_arena arena(std::min(images_at_once, tbb::this_task_arena::max_concurrency()));
    std::size_t bytes = 0;
    for (std::size_t begin = 0; begin < wanted && bytes < limits.bytes; begin += pictures_at_once) {
        std::vector<SmallPicture> made(std::min(pictures_at_once, wanted - begin));
        arena.execute([&] {
            tbb::parallel_for(std::size_t{0}, made.size(), [&](std::size_t i) {
                made[i] = picture_of(dataset.samples.at(samples[begin + i]), options);
            });
        });
        for (std::size_t i = 0; i < made.size(); ++i) {
            SamplePicture& picture = pictures[begin + i];
            picture.size = made[i].size;
            if (made[i].jpeg.empty() || bytes + made[i].jpeg.size() > limits.bytes) continue;
            bytes += made[i].jpeg.size();
            picture.address = fmt::format("pictures/{:06}.jpg", begin + i + 1);
            files.add(picture.address, made[i].jpeg);
        }
    }
    return pictures;
}

}  // namespace fovea::report
