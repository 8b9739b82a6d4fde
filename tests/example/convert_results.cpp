// Writes the results of any program as lines of JSON: convert_results DATASET RESULTS FILE.

#include <cstdio>
#include <vector>

#include <fovea/results.hpp>

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        const fovea::api::Results results(argv[2], fovea::api::Dataset(argv[1]));
        std::vector<fovea::api::ImageResult> images;
        for (std::size_t i = 0; i < results.size(); ++i) {
            images.push_back(results.image(i));
            std::printf("%s\n", fovea::api::json_line(images.back()).c_str());
        }
        fovea::api::write_results(argv[3], images);
    } catch (const fovea::api::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
