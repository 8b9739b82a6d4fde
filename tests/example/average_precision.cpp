// Prints the average precision of a detector's results on a dataset: average_precision DATASET RESULTS.

#include <cstdio>
#include <exception>

#include <fovea/evaluate.hpp>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: average_precision DATASET RESULTS\n");
        return 2;
    }
    try {
        const fovea::Dataset dataset = fovea::read_dataset(argv[1]);
        const fovea::DetectionEvaluation evaluation =
            fovea::evaluate_detection(dataset, fovea::read_results(argv[2], dataset), {}, "mine");
        std::printf("%.4f\n", evaluation.value("average_precision"));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
