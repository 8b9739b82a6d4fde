#include "lib/detect/cascade_detector.hpp"

#include "kernels/haar_lbp/haar_lbp_engine.hpp"

namespace fovea {

CascadeDetector::CascadeDetector(Cascade cascade) : cascade_(std::move(cascade)) {
    set_engine(make_cpu_engine(cascade_));
}

CascadeDetector::CascadeDetector(Cascade cascade, std::span<const int> gpus, const EngineOptions& variant)
    : cascade_(std::move(cascade)) {
    set_engine(make_cuda_engine(cascade_, gpus, variant));
}

CascadeDetector::CascadeDetector(Cascade cascade, const EngineMaker& make_engine)
    : cascade_(std::move(cascade)) {
    set_engine(make_engine(cascade_));
}

std::unique_ptr<Detector> CascadeDetector::copy_for_gpus(std::span<const int> gpus,
                                                         const EngineOptions& variant) const {
    return std::make_unique<CascadeDetector>(cascade_, gpus, variant);
}

std::vector<int> CascadeDetector::weak_classifiers_by_stage() const {
    std::vector<int> trees;
    for (const CascadeStage& stage : cascade_.stages) trees.push_back(stage.tree_count);
    return trees;
}

std::string CascadeDetector::description() const {
    const bool haar = cascade_.feature == Cascade::Feature::haar;
    return std::string(haar ? "Haar" : "LBP") + " cascade, window " + std::to_string(cascade_.window.width) +
           "x" + std::to_string(cascade_.window.height) + ", " + std::to_string(cascade_.stages.size()) +
           " stages, " + std::to_string(cascade_.trees.size()) +
           (cascade_.stumps_only ? " stumps" : " trees") +
           (cascade_.has_tilted ? ", with tilted features" : "");
}

}  // namespace fovea
