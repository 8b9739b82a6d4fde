#include "kernels/face_embedding/vector_words.hpp"

#include "kernels/face_embedding/gpu_face_resnet.hpp"
#include "kernels/face_embedding/vector_words_body.hpp"

namespace fovea {

void round_vectors(const Device& device, const float* vectors, const float* mirrored, std::size_t size,
                   std::uint16_t* words) {
    if (device.is_cuda()) {
        cuda_backend::round_vectors(device, vectors, mirrored, size, words);
        return;
    }
    for (std::size_t i = 0; i < size; ++i) {
        words[i] = mirrored == nullptr ? vector_word(vectors[i]) : mean_word(vectors[i], mirrored[i]);
    }
}

}  // namespace fovea
