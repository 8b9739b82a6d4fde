#include "lib/evaluate/protocols/detection_protocols.hpp"

#include <algorithm>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

using Images = std::vector<ProtocolImage>;
using Options = DetectionEvaluationOptions;
using Mode = ProtocolMode;

constexpr const char* development_kit = "the development kit's VOCevaldet.m";
const ModeRecord corrected{Mode::corrected, "without the quirks that lib/evaluate/README.md lists"};

std::vector<ModeRecord> strict_and_corrected(const char* origin) {
    return {{Mode::strict, origin}, corrected};
}

/// The numbers of a protocol that has no options of its own.
template <std::unique_ptr<ProtocolEvaluation> (*evaluate)(const Images& images, Mode mode)>
std::unique_ptr<ProtocolEvaluation> in_mode(const Images& images, const Options&, Mode mode) {
    return evaluate(images, mode);
}

std::vector<ProtocolRecord> make_protocols() {
    return {
        {.name = "iou", .rule = "A detection is a hit if its IoU with the face's box is at least {iou}"},
        {.name = "mit-cmu",
         .rule = "A detection is a hit if its centre lies within 0.3 face widths of the face's "
                 "and its width is within 50 % of the face's"},
        {.name = "s-eyes",
         .rule =
             "Oro's S_eyes: the summed distances of both eyes over the smaller eye distance decide a hit; "
             "overlapping windows are averaged, and windows and faces are paired by the Hungarian method.",
         .modes = strict_and_corrected("as the paper writes it (Oro 2012, section 5)"),
         .evaluate = in_mode<evaluate_s_eyes>},
        {.name = "fddb",
         .rule = "FDDB: regions are paired with ellipses so that the summed IoU is largest, anew at every "
                 "score; a pair counts 1 if its IoU is greater than 0.5 (discrete), or its IoU (continuous).",
         .dataset_format = "fddb",
         .modes = strict_and_corrected("FDDB's official C++ program"),
         .evaluate = in_mode<evaluate_fddb>},
        {.name = "wider",
         .rule = "WIDER FACE: average precision at IoU 0.5 on the lists of easy, medium and hard faces, "
                 "where faces outside a list are ignored; on all faces where the dataset has no lists.",
         .dataset_format = "wider",
         .modes = {{Mode::strict, "the official MATLAB program (eval_tools)"},
                   {Mode::port, "WiderFace-Evaluation, the Python port that many papers use"},
                   corrected},
         .evaluate = in_mode<evaluate_wider>},
        {.name = "voc2007",
         .rule =
             "PASCAL VOC 2007: by falling score, a detection is a hit on the face that it overlaps most if "
             "the IoU is at least 0.5 and the face is not taken; AP is the mean precision at 11 recalls.",
         .modes = strict_and_corrected(development_kit),
         .evaluate = [](const Images& images, const Options&,
                        Mode mode) { return evaluate_voc(images, mode, 2007); },
         .takes_file_order = true},
        {.name = "voc2010",
         .rule = "PASCAL VOC 2010: by falling score, a detection is a hit on the face that it "
                 "overlaps most if the IoU is at least 0.5 and the face is not taken; AP is the "
                 "area under the monotone precision envelope.",
         .dataset_format = "voc",
         .modes = strict_and_corrected(development_kit),
         .evaluate = [](const Images& images, const Options&,
                        Mode mode) { return evaluate_voc(images, mode, 2010); },
         .takes_file_order = true},
        {.name = "coco",
         .rule = "COCO: by falling score, a detection takes the free face that it overlaps most, "
                 "at each IoU from 0.50 to 0.95; AP is the mean precision at 101 recalls. Curves "
                 "and pictures are at IoU 0.50.",
         .dataset_format = "coco",
         .modes = strict_and_corrected("pycocotools"),
         .evaluate = in_mode<evaluate_coco>},
        {.name = "oks",
         .rule =
             "COCO's keypoints: by falling score, a detection takes the free face whose landmarks are most "
             "like its own (object keypoint similarity, OKS), at each OKS from 0.50 to 0.95; AP is the mean "
             "precision at 101 recalls. Curves and pictures are at OKS 0.50, and \"IoU\" there is OKS.",
         .modes = strict_and_corrected("pycocotools"),
         .evaluate = [](const Images& images, const Options& options,
                        Mode mode) { return evaluate_oks(images, mode, options.oks_sigmas); }},
        {.name = "face-eval",
         .rule = "AFW and PASCAL faces, as in \"Face detection without bells and whistles\": detections are "
                 "moved and scaled alike until they fit the annotation best, and count at IoU above 0.5; "
                 "faces below 30 pixels and detections up to 21 pixels are left out; AP is the area under "
                 "the precision-recall curve.",
         .dataset_format = "face-eval",
         .modes = {{Mode::strict, "the toolbox face-eval"}},
         .evaluate = [](const Images& images, const Options&, Mode) { return evaluate_face_eval(images); },
         .takes_file_order = true},
        {.name = "uiuc",
         .rule = "UIUC's cars: a detection is a hit if its top left corner lies in an ellipse about that of "
                 "a car, with half axes of 25 % of the car's height and width; each car takes one detection.",
         .dataset_format = "uiuc",
         .modes = strict_and_corrected("the set's Evaluator.java"),
         .evaluate = [](const Images& images, const Options&,
                        Mode mode) { return evaluate_uiuc(images, mode, false); }},
        {.name = "uiuc-scale",
         .rule = "UIUC's cars of all scales: a detection is a hit if its centre and width lie in "
                 "an ellipsoid about those of a car, with half axes of 25 % of the car's height, "
                 "width and width; each car takes one detection.",
         .dataset_format = "uiuc-scale",
         .modes = strict_and_corrected("the set's Evaluator_Scale.java"),
         .evaluate = [](const Images& images, const Options&, Mode mode) {
             return evaluate_uiuc(images, mode, true);
         }}};
}

constexpr std::pair<Mode, const char*> mode_names[] = {
    {Mode::strict, "strict"}, {Mode::port, "port"}, {Mode::corrected, "corrected"}};

}  // namespace

const std::vector<ProtocolRecord>& detection_protocols() {
    static const std::vector<ProtocolRecord> list = make_protocols();
    return list;
}

const ProtocolRecord& record_of(DetectionProtocol protocol) {
    if (const ProtocolRecord* const known = find_protocol(protocol.name())) return *known;
    throw std::logic_error("there is no row of the protocol " + std::string(protocol.name()));
}

std::vector<std::string> protocol_names() {
    std::vector<std::string> names;
    for (const ProtocolRecord& protocol : detection_protocols()) names.push_back(protocol.name);
    return names;
}

const ProtocolRecord* find_protocol(std::string_view name) {
    const auto& all = detection_protocols();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ProtocolRecord& record) { return record.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<ProtocolEvaluation> evaluate_protocol(const Images& images, const Options& options,
                                                      ProtocolMode mode) {
    const ProtocolRecord& record = record_of(options.protocol);
    if (!record.has_numbers()) return nullptr;
    std::string names;
    for (const ModeRecord& known : record.modes) {
        if (known.mode == mode) return record.evaluate(images, options, mode);
        names += (names.empty() ? "" : " or ") + mode_name(known.mode);
    }
    throw UsageError("the protocol " + std::string(record.name) + " has no mode '" + mode_name(mode) +
                     "': use " + names);
}

std::string protocol_description(const Options& options) {
    const ProtocolRecord& record = record_of(options.protocol);
    std::string text = record.rule;
    if (!record.has_numbers()) {
        const std::string place = "{iou}";
        if (const std::size_t at = text.find(place); at != std::string::npos)
            text.replace(at, place.size(), shortest_number(options.iou_threshold));
        return text +
               ". Detections and faces are paired one to one: as many pairs as possible, then the largest "
               "summed IoU. Unpaired detections that hit an ignored face do not count.";
    }
    for (const ModeRecord& known : record.modes) {
        if (known.mode == options.mode)
            text += " Mode " + mode_name(options.mode) + ": " + known.origin + ".";
    }
    return text;
}

std::string mode_name(ProtocolMode mode) {
    for (const auto& [known, name] : mode_names) {
        if (known == mode) return name;
    }
    return {};
}

std::optional<ProtocolMode> find_mode(const std::string& name) {
    for (const auto& [mode, known] : mode_names) {
        if (name == known) return mode;
    }
    return std::nullopt;
}

std::optional<double> without_ignored_faces(const DetectionEvaluation& evaluation, std::size_t number) {
    if (evaluation.ignored_but_counted == 0) return std::nullopt;
    const ProtocolNumber& in_modes = evaluation.protocol_numbers.at(number);
    for (const ModeValue& other : in_modes.other_modes) {
        if (other.mode == ProtocolMode::corrected) return other.value;
    }
    return in_modes.estimate.value;
}

std::string with_ignored_faces(const DetectionEvaluation& evaluation) {
    const std::string them = evaluation.faces_ignored == 1 ? "it" : "them";
    return "the " + mode_name(evaluation.options.mode) + " numbers of " +
           record_of(evaluation.options.protocol).name + " count " +
           (evaluation.ignored_but_counted == evaluation.faces_ignored
                ? them
                : std::to_string(evaluation.ignored_but_counted) + " of them") +
           ", as pycocotools does, and all other numbers leave " + them + " out";
}

}  // namespace fovea
