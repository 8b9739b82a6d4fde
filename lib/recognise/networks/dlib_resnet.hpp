#pragma once

#include <filesystem>
#include <string_view>

#include "kernels/face_embedding/face_resnet_weights.hpp"

namespace fovea {

/// Reads dlib's face recognition network from dlib_face_recognition_resnet_model_v1.dat (D. King; its network
/// is anet_type in dlib's example dnn_face_recognition_ex.cpp), also where gzip or bzip2 packed the file.
///
/// Each affine layer is folded into the convolution before it, in double precision. So are the colours: a
/// grey level stands for equal red, green and blue, from which the file's means are subtracted, and the
/// differences are divided by 256. The first convolution has no border, so nothing is lost.
/// \throws UsageError if the file is not there; Error if it is broken or holds another network: the file, the
/// offset, what was found there.
FaceResnetWeights read_dlib_resnet(const std::filesystem::path& file);

/// The same from the file's bytes, unpacked. Takes memory for the weights of this network alone, whatever the
/// bytes say. \param name of the file, for messages. \throws Error as read_dlib_resnet().
FaceResnetWeights parse_dlib_resnet(std::string_view bytes, std::string_view name);

}  // namespace fovea
