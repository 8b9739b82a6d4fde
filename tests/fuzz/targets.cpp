#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <array>

#include "lib/core/error.hpp"

namespace fovea::fuzz {
namespace {

constexpr std::size_t short_text = 2048;
constexpr std::size_t some_files = 4096;
constexpr std::size_t binary = 8192;
constexpr std::size_t many_weights = 20000;

constexpr std::array all_targets{
    Target{"cascade-xml", read_cascade_target, "xml.dict", some_files},
    Target{"mct-model", read_mct_target, "json.dict", binary},
    Target{"face-net-model", read_face_net_target, "json.dict", many_weights},
    Target{"landmark-model", read_landmark_target, "-", binary},
    Target{"own-landmark-model", read_own_landmark_target, "json.dict", binary},
    Target{"box-conventions", read_conventions_target, "json.dict", short_text},
    Target{"gallery", read_gallery_target, "json.dict", some_files},
    Target{"recogniser", read_recogniser_target, "json.dict", some_files},
    Target{"dlib-resnet", read_dlib_resnet_target, "-", many_weights},
    Target{"onnx-ports", read_onnx_ports_target, "-", some_files},
    Target{"region-weights", read_region_weights_target, "json.dict", short_text},
    Target{"run-config", read_run_config_target, "json.dict", some_files},
    Target{"report", read_report_target, "json.dict", some_files},
    Target{"record", read_record_target, "json.dict", some_files},
    Target{"units", read_units_target, "json.dict", some_files},
    Target{"names-faces", names_in_face_reports_target, "names.dict", short_text},
    Target{"names-recognition", names_in_recognition_reports_target, "names.dict", short_text},
    Target{"list", read_list_target, "-", short_text},
    Target{"opencv-list", read_opencv_list_target, "text.dict", short_text},
    Target{"mit-cmu", read_mit_cmu_target, "text.dict", short_text},
    Target{"dlib-xml", read_dlib_xml_target, "xml.dict", some_files},
    Target{"feret", read_feret_target, "xml.dict", short_text},
    Target{"lfw", read_lfw_target, "text.dict", short_text},
    Target{"pts", read_pts_target, "text.dict", short_text},
    Target{"uiuc", read_uiuc_target, "text.dict", short_text},
    Target{"fddb", read_fddb_target, "text.dict", short_text},
    Target{"wider-text", read_wider_text_target, "text.dict", short_text},
    Target{"wider-mat", read_wider_mat_target, "mat.dict", some_files},
    Target{"face-eval", read_face_eval_target, "mat.dict", some_files},
    Target{"voc", read_voc_target, "xml.dict", some_files},
    Target{"coco", read_coco_target, "json.dict", some_files},
    Target{"yolo", read_yolo_target, "text.dict", short_text},
    Target{"xmp", read_xmp_target, "xml.dict", some_files},
    Target{"fovea", read_fovea_target, "json.dict", some_files},
    Target{"format", recognise_format_target, "xml.dict", short_text},
    Target{"results", read_results_target, "json.dict", some_files},
    Target{"scores", read_scores_target, "text.dict", short_text},
    Target{"image-jpeg", read_image_target, "-", binary},
    Target{"image-png", read_image_target, "image.dict", binary},
    Target{"image-tiff", read_image_target, "image.dict", binary},
    Target{"image-others", read_image_target, "image.dict", binary},
    Target{"exif", read_exif_target, "image.dict", short_text},
    Target{"jpeg-frame", read_jpeg_frame_target, "-", binary},
    Target{"archive-tar", read_archive_target, "archive.dict", binary},
    Target{"archive-zip", read_archive_target, "archive.dict", some_files},
    Target{"archive-packed", read_archive_target, "archive.dict", some_files},
    Target{"image-list", read_list_bytes_target, "archive.dict", short_text},
    Target{"vec", read_vec_target, "-", short_text},
    Target{"cascade-config", read_cascade_config_target, "json.dict", some_files},
    Target{"cascade-checkpoint", read_cascade_checkpoint_target, "json.dict", binary},
    Target{"face-net-config", read_face_net_config_target, "json.dict", some_files},
    Target{"face-net-checkpoint", read_face_net_checkpoint_target, "json.dict", some_files},
    Target{"video", read_video_target, "video.dict", binary},
    Target{"journal", recover_job_target, "json.dict", some_files},
    Target{"complete-job", complete_job_target, "json.dict", some_files},
    Target{"merge-shards", merge_shards_target, "json.dict", some_files},
};

}  // namespace

std::span<const Target> targets() {
    return all_targets;
}

const Target* find_target(std::string_view name) {
    const auto found = std::find_if(all_targets.begin(), all_targets.end(),
                                    [&](const Target& target) { return target.name == name; });
    return found == all_targets.end() ? nullptr : &*found;
}

void run(const Target& target, std::string_view input) {
    try {
        target.read(input);
    } catch (const Error&) {
        // A refusal, as it should be.
    }
}

}  // namespace fovea::fuzz
