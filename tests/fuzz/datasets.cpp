#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/fovea_json.hpp"
#include "lib/dataset/xmp/xmp_packet.hpp"
#include "lib/json/json.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

/// A grey picture of 4 x 2 pixels.
constexpr std::string_view picture("P5\n4 2\n255\n12345678", 18);

std::string in_work_folder(const std::string& name) {
    return (work_folder() / name).string();
}

void read(const std::string& format, const std::string& path) {
    dataset_to_fovea_json(read_dataset(format + ":" + path));
}

}  // namespace

void read_list_target(std::string_view input) {
    read("list", write_input("list.txt", input).string());
}

void read_opencv_list_target(std::string_view input) {
    read("opencv", write_input("info.dat", input).string());
}

/// groundtruth.txt and facegroundtruth.txt of a folder.
void read_mit_cmu_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    provide("mit-cmu/a.png", picture);
    provide("mit-cmu/c.pgm", picture);
    write_input("mit-cmu/groundtruth.txt", parts[0]);
    write_input("mit-cmu/facegroundtruth.txt", parts[1]);
    read("mit-cmu-boxes", in_work_folder("mit-cmu"));
    read("mit-cmu", in_work_folder("mit-cmu"));
}

void read_dlib_xml_target(std::string_view input) {
    read("dlib", write_input("dlib.xml", input).string());
}

/// A list (CSU's, or an XML signature set) and coordinates.
void read_feret_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    provide("feret/images/00001fa.pgm", picture);
    const std::string coordinates = write_input("feret/coords.txt", parts[1]).string();
    read("feret", write_input("feret/list.srt", parts[0]).string() + ",coords=" + coordinates);
}

void read_lfw_target(std::string_view input) {
    provide("lfw/Ann/Ann_0001.jpg", picture);
    provide("lfw/Ann/Ann_0002.jpg", picture);
    provide("lfw/Bob/Bob_0011.jpg", picture);
    write_input("lfw/pairs.txt", input);
    read("lfw", in_work_folder("lfw"));
}

void read_pts_target(std::string_view input) {
    provide("pts/a.pgm", picture);
    write_input("pts/a.pts", input);
    read("pts", in_work_folder("pts"));
}

void read_fddb_target(std::string_view input) {
    read("fddb", write_input("fddb/FDDB-fold-01-ellipseList.txt", input).string());
}

void read_uiuc_target(std::string_view input) {
    provide("uiuc/TestImages/test-0.pgm", picture);
    read("uiuc", write_input("uiuc/trueLocations.txt", input).string());
}

void read_wider_text_target(std::string_view input) {
    read("wider", write_input("wider/wider_face_val_bbx_gt.txt", input).string());
}

void read_wider_mat_target(std::string_view input) {
    read("wider", write_input("mat/wider_face_val.mat", input).string());
}

void read_face_eval_target(std::string_view input) {
    read("face-eval", write_input("mat/annotations.mat", input).string());
}

/// An annotation and a list of images of a set.
void read_voc_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    provide("voc/JPEGImages/a.jpg", picture);
    write_input("voc/Annotations/a.xml", parts[0]);
    write_input("voc/ImageSets/Main/val.txt", parts[1]);
    read("voc", in_work_folder("voc") + (parts[1].empty() ? "" : ",set=val"));
}

void read_coco_target(std::string_view input) {
    read("coco", write_input("coco.json", input).string());
}

void read_yolo_target(std::string_view input) {
    provide("yolo/images/a.pgm", picture);
    write_input("yolo/labels/a.txt", input);
    read("yolo", in_work_folder("yolo"));
}

/// A sidecar, and a photograph with XMP in it. The sidecar gets other faces, too, and must then be read.
void read_xmp_target(std::string_view input) {
    const auto parts = parts_of(input, 2);
    provide("xmp/a.pgm", picture);
    const std::filesystem::path sidecar = write_input("xmp/a.pgm.xmp", parts[0]);
    write_input("xmp/b.jpg", parts[1]);
    try {
        read("xmp", in_work_folder("xmp"));
    } catch (const Error&) {
        // A refusal; faces that are refused are replaced.
    }
    std::vector<std::string> lost;
    const std::string merged =
        xmp::with_faces(std::string(parts[0]), xmp::xmp_of({{{0.25, 0.25, 0.5, 0.5}, "Ann"}}, {4, 2}),
                        sidecar.string(), lost);
    write_input("merged/a.pgm.xmp", merged);
    provide("merged/a.pgm", picture);
    if (read_dataset("xmp:" + in_work_folder("merged")).samples.at(0).faces.size() != 1)
        throw std::logic_error("a sidecar with other faces does not hold them");
}

void read_fovea_target(std::string_view input) {
    read("fovea", write_input("fovea.json", input).string());
}

/// A file of a format that is not said.
void recognise_format_target(std::string_view input) {
    read_dataset(write_input("unknown.txt", input).string());
}

}  // namespace fovea::fuzz
