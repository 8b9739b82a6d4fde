// Features and search on one thread beside those of OpenCV's LBPHFaceRecognizer, with the same
// faces, in turns.
//   fovea_recognition_bench [DATASET] [GALLERY]
// DATASET (default: the faces of dlib's examples) has faces with boxes. Cut out to 130×150, each moved and
// scaled a little differently, they are a gallery of GALLERY faces (default 500), and 20 more are searched in
// it. Prints the medians of nine rounds with their quartiles, and how often the nearest face is the same.

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include "kernels/face_crop/face_crop.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "kernels/lbp/lbp_histograms.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/reference/opencv_lbph.hpp"

namespace fovea {
namespace {

constexpr Size face_size{130, 150};
constexpr std::size_t pixels_of_face = std::size_t{130} * 150;
constexpr std::size_t queries = 20;

// Faces one behind the other. The first `queries` are those that are searched.
std::vector<std::uint8_t> read_faces(const std::string& specification, std::size_t count) {
    const Dataset dataset = read_dataset(specification);
    std::vector<GreyImage> images;
    std::vector<ImageView<const std::uint8_t>> views;
    for (const Sample& sample : dataset.samples) images.push_back(read_grey_image(sample.path));
    for (const GreyImage& image : images) views.push_back(image.view());
    std::vector<CropTask> tasks;
    for (int move = 0; tasks.size() < count; ++move) {
        const std::size_t before = tasks.size();
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
            for (const Face& face : dataset.samples[i].faces) {
                const double scale = face.box.h / face_size.height * (1 + 0.002 * move);
                tasks.push_back({static_cast<std::uint32_t>(i),
                                 {scale, 0, face.box.x + 0.31 * move, face.box.y - 0.17 * move}});
            }
        }
        if (tasks.size() == before) throw std::runtime_error("the dataset has no faces");
    }
    std::vector<std::uint8_t> faces(count * pixels_of_face);
    crop_faces(Device::cpu(), views.data(), tasks.data(), count, face_size, faces.data());
    return faces;
}

// OpenCV's recogniser looks at 8×8 cells of whole pixels of those that have a code.
std::vector<Rect> opencv_regions() {
    const int width = (face_size.width - 2) / 8, height = (face_size.height - 2) / 8;
    std::vector<Rect> regions;
    for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
            regions.push_back({1 + column * width, 1 + row * height, width, height});
        }
    }
    return regions;
}

double time_ms(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// One recogniser's times, and the nearest faces that it found.
struct Measured {
    std::string name;
    std::vector<double> describe_ms;  // the gallery
    std::vector<double> identify_ms;  // all queries: features and search
    std::vector<std::size_t> nearest;
};

/// Ours, as one who enrols a gallery and identifies one face after the other would use it.
class Ours {
  public:
    Ours(std::string name, const RegionalLbp& feature)
        : histograms_(cpu_, face_size, {feature}),
          gallery_(cpu_, histograms_.layout(), HistogramDistance::chi_square) {
        measured.name = std::move(name);
    }

    void round(const std::vector<std::uint8_t>& faces, std::size_t count, bool counts) {
        std::vector<std::uint16_t> vectors(count * histograms_.layout().bins);
        const double describe_ms = time_ms([&] {
            histograms_.compute(faces.data() + queries * pixels_of_face, count, vectors.data());
            gallery_.clear();
            gallery_.add(vectors.data(), count);
        });
        measured.nearest.assign(queries, 0);
        const double identify_ms = time_ms([&] {
            for (std::size_t i = 0; i < queries; ++i) {
                histograms_.compute(faces.data() + i * pixels_of_face, 1, vectors.data());
                measured.nearest[i] = gallery_.search(vectors.data(), 1, 1).at(0).index;
            }
        });
        if (!counts) return;
        measured.describe_ms.push_back(describe_ms);
        measured.identify_ms.push_back(identify_ms);
    }

    Measured measured;

  private:
    Device cpu_ = Device::cpu();
    LbpHistograms histograms_;
    HistogramGallery gallery_;
};

void print(const Measured& measured, const Measured& opencv, std::size_t count) {
    const auto column = [](const std::vector<double>& times, const std::vector<double>& reference,
                           double faces) {
        const TimeSummary summary = summarise_times(times);
        std::printf("  %9.1f us (%.1f - %.1f) %6.1f x", summary.median_ms * 1000 / faces,
                    summary.quartile_1_ms * 1000 / faces, summary.quartile_3_ms * 1000 / faces,
                    summarise_times(reference).median_ms / summary.median_ms);
    };
    std::size_t same = 0;
    for (std::size_t i = 0; i < queries; ++i) same += measured.nearest[i] == opencv.nearest[i] ? 1 : 0;
    std::printf("%-34s", measured.name.c_str());
    column(measured.describe_ms, opencv.describe_ms, static_cast<double>(count));
    column(measured.identify_ms, opencv.identify_ms, static_cast<double>(queries));
    std::printf("  %zu of %zu\n", same, queries);
}

void run(const std::string& dataset, std::size_t count) {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const std::vector<std::uint8_t> faces = read_faces(dataset, count + queries);
    test::OpencvLbph opencv(face_size);
    Measured reference{"OpenCV LBPHFaceRecognizer", {}, {}, std::vector<std::size_t>(queries)};
    Ours same_geometry("fovea, LBP(8,1), 8x8 cells", {{8, 1, false}, opencv_regions()});
    Ours uniform("fovea, LBP(8,2)u2, 7x7 cells", {{8, 2, true}, regions_by_count(face_size, 7, 7)});
    constexpr int rounds = 9;
    for (int round = -1; round < rounds; ++round) {
        same_geometry.round(faces, count, round >= 0);
        uniform.round(faces, count, round >= 0);
        const double describe_ms =
            time_ms([&] { opencv.train(faces.data() + queries * pixels_of_face, count); });
        const double identify_ms = time_ms([&] {
            for (std::size_t i = 0; i < queries; ++i) {
                reference.nearest[i] = opencv.predict(faces.data() + i * pixels_of_face);
            }
        });
        if (round < 0) continue;
        reference.describe_ms.push_back(describe_ms);
        reference.identify_ms.push_back(identify_ms);
    }
    std::printf("one thread, %d rounds, faces of %dx%d pixels, a gallery of %zu\n", rounds, face_size.width,
                face_size.height, count);
    std::printf("%-34s  %-43s  %-43s  %s\n", "", "features of a face", "features and search",
                "nearest as OpenCV's");
    for (const Measured* measured : {&reference, &same_geometry.measured, &uniform.measured}) {
        print(*measured, reference, count);
    }
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
    try {
        fovea::run(argc > 1
                       ? argv[1]
                       : "dlib:/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml",
                   argc > 2 ? std::stoul(argv[2]) : 500);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_recognition_bench: %s\n", error.what());
        return 1;
    }
}
