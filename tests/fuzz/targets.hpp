#pragma once

#include <cstddef>
#include <span>
#include <string_view>

// Fuzz targets: each gives bytes to one reader of files that others wrote, or names from outside to the
// writers of reports. A reader must return or throw fovea::Error, a writer must return; anything else -
// another exception, a report of a sanitizer, more than 10 seconds or 2 GB - is a defect.
namespace fovea::fuzz {

struct Target {
    const char* name;  ///< and that of its folder in tests/data/fuzz
    void (*read)(std::string_view input);
    const char* dictionary;  ///< of tests/fuzz/dictionaries; "-" for none
    std::size_t longest;     ///< input that is worth trying, bytes
};

/// All of them: targets.cpp.
std::span<const Target> targets();
/// nullptr if there is none of that name.
const Target* find_target(std::string_view name);

/// Gives the input to the target and takes its Errors for answers; whatever else it throws passes.
void run(const Target& target, std::string_view input);

// models.cpp
void read_cascade_target(std::string_view input);
void read_mct_target(std::string_view input);
void read_face_net_target(std::string_view input);
void read_landmark_target(std::string_view input);
void read_own_landmark_target(std::string_view input);
void read_conventions_target(std::string_view input);
// recognisers.cpp
void read_gallery_target(std::string_view input);
void read_recogniser_target(std::string_view input);
void read_region_weights_target(std::string_view input);
void read_dlib_resnet_target(std::string_view input);
void read_onnx_ports_target(std::string_view input);
// configurations.cpp
void read_run_config_target(std::string_view input);
void read_report_target(std::string_view input);
void read_record_target(std::string_view input);
void read_units_target(std::string_view input);
// reports.cpp
void names_in_face_reports_target(std::string_view input);
void names_in_recognition_reports_target(std::string_view input);
// datasets.cpp
void read_list_target(std::string_view input);
void read_opencv_list_target(std::string_view input);
void read_mit_cmu_target(std::string_view input);
void read_dlib_xml_target(std::string_view input);
void read_feret_target(std::string_view input);
void read_lfw_target(std::string_view input);
void read_pts_target(std::string_view input);
void read_face_eval_target(std::string_view input);
void read_fddb_target(std::string_view input);
void read_uiuc_target(std::string_view input);
void read_wider_text_target(std::string_view input);
void read_wider_mat_target(std::string_view input);
void read_voc_target(std::string_view input);
void read_coco_target(std::string_view input);
void read_yolo_target(std::string_view input);
void read_xmp_target(std::string_view input);
void read_fovea_target(std::string_view input);
void recognise_format_target(std::string_view input);
// results.cpp
void read_results_target(std::string_view input);
void read_scores_target(std::string_view input);
// images.cpp
void read_image_target(std::string_view input);
void read_exif_target(std::string_view input);
void read_jpeg_frame_target(std::string_view input);
// archives.cpp
void read_archive_target(std::string_view input);
void read_list_bytes_target(std::string_view input);
// trainings.cpp
void read_vec_target(std::string_view input);
void read_cascade_config_target(std::string_view input);
void read_cascade_checkpoint_target(std::string_view input);
void read_face_net_config_target(std::string_view input);
void read_face_net_checkpoint_target(std::string_view input);
// videos.cpp
void read_video_target(std::string_view input);
// jobs.cpp
void recover_job_target(std::string_view input);
void complete_job_target(std::string_view input);
void merge_shards_target(std::string_view input);

}  // namespace fovea::fuzz
