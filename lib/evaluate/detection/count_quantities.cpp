#include "lib/evaluate/detection/count_quantities.hpp"

#include "lib/json/json.hpp"
#include "lib/numbers/json/numbers_json.hpp"

namespace fovea {

const std::vector<Quantity>& count_quantities() {
    static const std::vector<Quantity> list{
        {"true_positives", "True positives", "Detections of a face.", Better::higher},
        {"false_positives", "False positives", "Detections of no face.", Better::lower},
        {"false_negatives", "False negatives", "Faces without a detection.", Better::lower},
        {"detection_rate", "Detection rate", "Faces found / faces.", Better::higher, Unit::share},
        {"recall", "Recall", "Faces found / faces.", Better::higher, Unit::share},
        {"precision", "Precision", "True positives / (true + false positives).", Better::higher, Unit::share},
        {"accuracy", "Accuracy", "What was judged rightly / all that was judged.", Better::higher,
         Unit::share},
        {"f1", "F1", "Harmonic mean of precision and recall.", Better::higher},
        {"false_positives_per_image", "FP per image", "False positives / images.", Better::lower},
        {"mean_iou", "Mean IoU", "Mean IoU of the faces found with their detections.", Better::higher}};
    return list;
}

void state_counts(const std::vector<std::string>& path, Json& evaluation) {
    const Json* object = &evaluation;
    std::string prefix;
    for (const std::string& name : path) {
        object = &object->at(name);
        prefix += name + ".";
    }
    // Statements move the members that they are beside.
    std::vector<const Quantity*> there;
    for (const Quantity& quantity : count_quantities()) {
        if (object->contains(quantity.key)) there.push_back(&quantity);
    }
    for (const Quantity* quantity : there) state_quantity(prefix + quantity->key, *quantity, evaluation);
}

}  // namespace fovea
