#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/recognise/enrolment.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "lib/run/recognition/face_finder.hpp"

namespace fovea {

struct EnrolDatasetResult {
    std::size_t images = 0;  ///< gone through, also images whose faces were there already
    std::size_t faces = 0;   ///< appended
    std::size_t faces_already_there = 0;
    std::size_t unknown = 0;         ///< of the faces appended, those without a subject
    std::size_t fallbacks = 0;       ///< of the faces appended, those at the fall-back eyes
    std::size_t pages_left_out = 0;  ///< those behind the first ones of files
    std::vector<FaceFailure> failures;
    bool interrupted = false;
};

/// The canonical folder of a dataset's images, which a gallery keeps as the dataset of its faces. So an
/// image is recognised however the user writes its dataset, and differs from images of equal names in
/// other folders.
std::string gallery_dataset(const Dataset& dataset);

/// Text that says how a gallery's faces were looked for: equal for equal models and settings.
std::string found_by(const LoadedFaceFinder& finder);

/// Appends the faces of a dataset to a gallery, and finishes it, also if it was interrupted.
///
/// Images whose faces an earlier run with the same models and settings has appended are not looked at again,
/// except the last one, which may lack faces. So an interrupted run is simply repeated. Other faces that are
/// there already are recognised by dataset, image and box.
/// \param subject of all images; absent: each sample's own. \throws as enrol_faces and GalleryWriter::append.
EnrolDatasetResult enrol_dataset(const Dataset& dataset, const LoadedFaceFinder& finder,
                                 const Recogniser& recogniser, const std::optional<std::string>& subject,
                                 const EnrolmentOptions& options, GalleryWriter& gallery);

}  // namespace fovea
