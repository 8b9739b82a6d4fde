#include "lib/recognise/recogniser_kinds.hpp"

#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/json/json.hpp"
#include "lib/recognise/lbp_recogniser.hpp"
#include "lib/recognise/network_recogniser.hpp"

namespace fovea {

std::span<const RecogniserKind> recogniser_kinds() {
    static const std::array kinds{lbp_recognisers(), network_recognisers(), onnx_recognisers()};
    return kinds;
}

const RecogniserKind& recogniser_kind_of(const Json& json) {
    for (const RecogniserKind& kind : recogniser_kinds()) {
        if (json.contains(kind.key)) return kind;
    }
    return recogniser_kinds().front();
}

std::string recogniser_kinds_table() {
    std::string text =
        "| recogniser | member of its file | features | distance | runs on |\n|---|---|---|---|---|\n";
    for (const RecogniserKind& kind : recogniser_kinds()) {
        text += fmt::format("| {} | `{}` | {} | {} | {} |\n", kind.name, kind.key, kind.features,
                            kind.distance, kind.runs_on_gpus ? "CPU, GPUs" : "CPU");
    }
    return text;
}

}  // namespace fovea
