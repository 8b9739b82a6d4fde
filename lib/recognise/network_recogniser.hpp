#pragma once

#include "lib/recognise/recogniser_kinds.hpp"

namespace fovea {

/// Recognisers by networks that turn a face into a vector, whose files are the user's. A word is a signed
/// integer: a component of the vector in units of 1/32767, from -1 to 1.
///
/// The network is dlib's dlib_face_recognition_resnet_model_v1.dat, see FaceResnet.
RecogniserKind network_recognisers();

/// Recognisers by any network in ONNX with one image in and one vector out, see OnnxNetwork. The words are
/// those of the vector divided by its length.
RecogniserKind onnx_recognisers();

}  // namespace fovea
