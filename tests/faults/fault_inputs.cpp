#include <fstream>

#include <opencv2/core.hpp>

#include "tests/faults/fault_jobs.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/face_sets.hpp"
#include "tests/support/landmark_models.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
}

std::string text_of(const ByteVector& bytes) {
    return {bytes.begin(), bytes.end()};
}

// A bright and a dark half, which edge_cascade() finds.
cv::Mat edge_picture(int width, int height) {
    cv::Mat picture(height, width, CV_8UC3, cv::Scalar::all(200));
    picture.colRange(width / 2, width).setTo(cv::Scalar::all(40));
    return picture;
}

// Every format that is read in a way of its own; enough images for a second batch.
std::vector<TestMember> photographs() {
    const cv::Mat picture = edge_picture(40, 30);
    const std::string grey = edge_pgm(42, 32);
    return {{"a/1.pgm", grey},
            {"a/2.png", text_of(encode(".png", picture))},
            {"a/3.jpg", text_of(encode_jpeg(picture, 0))},
            {"a/4.tif", text_of(encode(".tif", picture))},
            {"a/5.gif", text_of(encode_gif(picture.reshape(1, 30).colRange(0, 40).clone()))},
            {"b/1.bmp", text_of(encode(".bmp", picture))},
            {"b/2.webp", text_of(encode(".webp", picture))},
            {"b/3.pgm.gz", text_of(gzip(bytes_of(grey)))},
            {"b/4.pgm.bz2", text_of(bzip2(bytes_of(grey)))},
            {"b/5.pgm", edge_pgm(50, 40)}};
}

std::string annotations(const std::vector<TestMember>& photos) {
    std::string xml = "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<images>\n";
    for (const TestMember& photo : photos) {
        xml += "<image file='photos/" + photo.name +
               "'><box top='4' left='10' width='20' height='20'/></image>\n";
    }
    return xml + "</images>\n</dataset>\n";
}

constexpr const char* recogniser = R"({
  "format": "fovea-recogniser", "version": 1, "name": "small",
  "face": {"width": 20, "height": 24, "left_eye": [6, 8], "right_eye": [14, 8], "align": "eyes"},
  "features": [{"points": 8, "radius": 1, "uniform": true, "regions": {"columns": 2, "rows": 2}}],
  "distance": "chi-square", "weights": null
}
)";

constexpr const char* run_configuration = R"({
  "dataset": {"path": "dlib:walk-in/faces.xml"},
  "detectors": [{"model": "walk-in/edge.xml", "min_neighbors": 1}],
  "landmarks": {"model": "walk-in/still.dat", "convention": "none"},
  "evaluation": {"protocol": "iou", "bootstrap_resamples": 20},
  "threads": 2, "device": "cpu"
}
)";

}  // namespace

void write_fault_inputs(const fs::path& folder) {
    const fs::path in = folder / "walk-in";
    const std::vector<TestMember> photos = photographs();
    std::string names;
    for (const TestMember& photo : photos) {
        write(in / "photos" / photo.name, photo.bytes);
        names += "photos/" + photo.name + "\n";
    }
    write(in / "names.txt", names);
    write(in / "some.txt", names.substr(0, names.find("photos/b/4")));
    write(in / "faces.xml", annotations(photos));
    write_archive(in / "photos.tar", photos);
    write_archive(in / "photos.zip", photos, TestArchive::zip);
    write(in / "edge.xml", edge_cascade());
    write(in / "still.dat", still_landmark_file());
    write(in / "recogniser.json", recogniser);
    write(in / "run.json", run_configuration);
    write_subjects(in / "people", 2, 2);
    write_subjects(in / "more", 4, 2);
}

}  // namespace fovea::test
