#pragma once

#include <string>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

/// The parameters of a training, which a cascade's file has beside the cascade itself.
struct CascadeXmlInfo {
    std::string boost_type = "GAB";  ///< DAB, RAB, LB, GAB
    double min_hit_rate = 0.995;
    double max_false_alarm = 0.5;
    double weight_trim_rate = 0.95;
    int max_depth = 1;
    int max_weak_count = 100;
    std::string haar_mode = "BASIC";  ///< BASIC, CORE, ALL
};

/// The cascade as opencv_traincascade (OpenCV 3.4) writes it ("opencv-cascade-classifier"), which
/// cv::CascadeClassifier and parse_cascade() read. Numbers are written so that both read the same floats.
/// \param cascade with the stages' thresholds as the file has them: reading lowers them by 1e-5.
/// \throws std::invalid_argument if it has no stage.
std::string cascade_xml(const Cascade& cascade, const CascadeXmlInfo& info);

/// A Haar cascade in the format of opencv_haartraining ("opencv-haar-classifier"), for
/// programs that read no other. cv::CascadeClassifier reads it, too.
/// \param name of the root element: letters, digits and underscores, not "cascade".
/// \throws std::invalid_argument for an LBP cascade, without a stage, or for such a name.
std::string old_cascade_xml(const Cascade& cascade, const std::string& name);

}  // namespace fovea
