// Prints the average precision of a detector's results on a dataset, with its interval: average_precision
// DATASET RESULTS. Without arguments it evaluates boxes of its own.

#include <cstdio>
#include <vector>

#include <fovea/evaluate.hpp>

namespace {

using namespace fovea::api;

Evaluation evaluate_own() {
    const Dataset dataset(std::vector<AnnotatedImage>{{"a.jpg", {}, {{{10, 10, 20, 20}}, {{60, 60, 20, 20}}}},
                                                      {"b.jpg", {}, {{{10, 10, 20, 20}}}}});
    const std::vector<ImageResult> found{{"a.jpg", {}, {{{10, 10, 20, 20}, 0.9}, {{0, 60, 20, 20}, 0.3}}},
                                         {"b.jpg", {}, {{{10, 10, 20, 20}, 0.8}}}};
    return evaluate(dataset, Results(found), {.protocol = "iou"});
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 1 && argc != 3) {
        std::fprintf(stderr, "usage: average_precision [DATASET RESULTS]\n");
        return 2;
    }
    try {
        Evaluation evaluation;
        if (argc == 1) {
            evaluation = evaluate_own();
        } else {
            const Dataset dataset(argv[1]);
            evaluation = evaluate(dataset, Results(argv[2], dataset));
        }
        const Number& number = evaluation.number("average_precision");
        std::printf("%s: %.4f", evaluation.protocol.c_str(), *number.value);
        if (number.interval) std::printf(", %.4f to %.4f", (*number.interval)[0], (*number.interval)[1]);
        std::printf("; %d of %d faces, %d false alarms\n", evaluation.true_positives, evaluation.faces,
                    evaluation.false_positives);
        for (const CurvePoint& point : evaluation.curve)
            std::printf("from %g: recall %.4f, precision %.4f\n", point.threshold, point.recall,
                        point.precision);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
