// Landmarks on one thread beside dlib's, with the same model, images and boxes, in turns.
//   fovea_landmark_bench [DATASET] [MODEL]
// DATASET (default: the faces of dlib's examples) has faces with boxes; each is also moved a little, so that
// there are at least 200. Prints the medians of nine rounds with their quartiles, and how many points differ.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include "kernels/landmark/find_landmarks.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/read_grey.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "tests/reference/dlib_landmarks.hpp"

namespace fovea {
namespace {

struct Faces {
    std::vector<GreyImage> images;
    std::vector<LandmarkTask> tasks;
};

Faces read_faces(const std::string& specification) {
    Faces faces;
    const Dataset dataset = read_dataset(specification);
    for (const Sample& sample : dataset.samples) faces.images.push_back(read_grey_image(sample.path));
    for (int move = 0; faces.tasks.size() < 200; ++move) {
        const std::size_t before = faces.tasks.size();
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
            for (const Face& face : dataset.samples[i].faces) {
                const Box& box = face.box;
                faces.tasks.push_back(
                    {static_cast<std::uint32_t>(i),
                     {static_cast<int>(box.x) + 3 * move, static_cast<int>(box.y) - 2 * move,
                      static_cast<int>(box.w) + move, static_cast<int>(box.h) + move}});
            }
        }
        if (faces.tasks.size() == before) throw std::runtime_error("the dataset has no faces");
    }
    return faces;
}

double time_ms(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void print(const char* name, const std::vector<double>& times, std::size_t faces, double dlib_ms) {
    const TimeSummary summary = summarise_times(times);
    const auto rate = [&](double ms) { return static_cast<double>(faces) / ms * 1000; };
    std::printf("%-28s %9.0f faces/s  (quartiles %.0f - %.0f)  %5.2f x dlib\n", name, rate(summary.median_ms),
                rate(summary.quartile_3_ms), rate(summary.quartile_1_ms), dlib_ms / summary.median_ms);
}

void run(const std::string& dataset, const std::string& model_file) {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    const LandmarkModel model = read_landmark_model(model_file);
    const LandmarkTables tables = make_landmark_tables(model);
    const test::DlibLandmarks dlib(model_file);
    const Faces faces = read_faces(dataset);
    std::vector<ImageView<const std::uint8_t>> views;
    std::vector<test::DlibImage> images;
    for (const GreyImage& image : faces.images) {
        views.push_back(image.view());
        images.emplace_back(image.view());
    }
    const std::size_t coordinates = model.initial_shape.size();
    std::vector<std::int32_t> batch(faces.tasks.size() * coordinates), single = batch, reference;
    std::vector<double> batch_ms, single_ms, dlib_ms;
    constexpr int rounds = 9;
    for (int round = -1; round < rounds; ++round) {
        reference.clear();
        const double a = time_ms([&] { find_landmarks(model, tables, views, faces.tasks, batch.data()); });
        const double b = time_ms([&] {
            for (std::size_t i = 0; i < faces.tasks.size(); ++i) {
                find_landmarks(model, tables, views, {&faces.tasks[i], 1}, single.data() + i * coordinates);
            }
        });
        const double c = time_ms([&] {
            for (const LandmarkTask& task : faces.tasks) {
                const std::vector<std::int32_t> found = dlib.find(images[task.image], task.box);
                reference.insert(reference.end(), found.begin(), found.end());
            }
        });
        if (round < 0) continue;
        batch_ms.push_back(a);
        single_ms.push_back(b);
        dlib_ms.push_back(c);
    }
    std::size_t different = 0;
    for (std::size_t i = 0; i < reference.size(); i += 2) {
        const auto differs = [&](const std::vector<std::int32_t>& found) {
            return found[i] != reference[i] || found[i + 1] != reference[i + 1];
        };
        different += differs(batch) || differs(single) ? 1 : 0;
    }
    const double median = summarise_times(dlib_ms).median_ms;
    std::printf("%zu faces, one thread, %d rounds\n", faces.tasks.size(), rounds);
    print("dlib", dlib_ms, faces.tasks.size(), median);
    print("fovea, one face at a time", single_ms, faces.tasks.size(), median);
    print("fovea, all faces at once", batch_ms, faces.tasks.size(), median);
    std::printf("%zu of %zu points differ from dlib's\n", different, reference.size() / 2);
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
    try {
        fovea::run(argc > 1
                       ? argv[1]
                       : "dlib:/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml",
                   argc > 2 ? argv[2] : fovea::find_landmark_model("default").string());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_landmark_bench: %s\n", error.what());
        return 1;
    }
}
