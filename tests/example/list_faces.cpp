// Lists a dataset's images with their faces: list_faces DATASET.

#include <cstdio>

#include <fovea/dataset.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        const fovea::api::Dataset dataset(argv[1]);
        std::printf("%s: %zu images, %zu faces\n", dataset.format().c_str(), dataset.size(),
                    dataset.face_count());
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            const fovea::api::AnnotatedImage image = dataset.image(i);
            std::printf("%s (%d x %d)", image.name.c_str(), image.size.width, image.size.height);
            for (const fovea::api::AnnotatedFace& face : image.faces)
                std::printf(" %g,%g,%g,%g%s", face.box.x, face.box.y, face.box.w, face.box.h,
                            face.ignore ? " ignored" : "");
            std::printf("\n");
        }
    } catch (const fovea::api::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
