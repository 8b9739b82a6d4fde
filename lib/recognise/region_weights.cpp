#include "lib/recognise/region_weights.hpp"

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/json.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/json_fields.hpp"

namespace fovea {
namespace {

constexpr const char* format_name = "fovea-region-weights";
constexpr int format_version = 1;

}  // namespace

RegionWeights read_region_weights(const std::filesystem::path& file) {
    const std::string text = read_file(file, "file of region weights");
    try {
        const Json json = Json::parse(text);
        RegionWeights weights;
        JsonFields fields(json, "");
        std::string format;
        int version = 0;
        fields.read("format", format);
        fields.read("version", version);
        require_field(format == format_name, "format", std::string("\"") + format_name + "\"");
        require_field(version == format_version, "version", std::to_string(format_version));
        fields.read("fingerprint", weights.fingerprint);
        fields.read("origin", weights.origin);
        fields.read("weights", weights.weights);
        fields.finish();
        return weights;
    } catch (const Json::parse_error& error) {
        throw Error(file.string() + ":" + std::to_string(line_at(text, error.byte)) +
                    ": the region weights are not JSON: " + error.what());
    } catch (const UsageError& error) {
        throw Error(file.string() + ": " + error.what());
    }
}

void write_region_weights(const std::filesystem::path& file, const RegionWeights& weights) {
    const Json json{{"format", format_name},
                    {"version", format_version},
                    {"fingerprint", weights.fingerprint},
                    {"origin", weights.origin},
                    {"weights", weights.weights}};
    replace_file(file, json.dump(2) + "\n");
}

}  // namespace fovea
