#pragma once

#include <string>
#include <vector>

#include "kernels/face_embedding/face_resnet_weights.hpp"

// Files of dlib's face recognition network, made by hand: whatever can be written, right or wrong.
namespace fovea::test {

/// A piece of a file: a number, a name, or the values of a tensor.
struct DlibPart {
    std::string label;  ///< "layer 3: stride"; several parts may have the same
    std::string bytes;
};

struct DlibResnetSettings {
    /// Names that newer versions of dlib write (con_5, affine_2, fc_3), and an older loss.
    bool other_names = false;
    /// Layers keep tensors of a training.
    bool has_training_state = false;
};

/// A network of invented numbers. Layers are numbered from the picture on, tags and skips among them.
std::vector<DlibPart> dlib_resnet_parts(const DlibResnetSettings& settings = {});

std::string joined_parts(const std::vector<DlibPart>& parts);

/// The weights of dlib_resnet_parts(), folded as the reader should do it.
FaceResnetWeights folded_dlib_resnet();

}  // namespace fovea::test
