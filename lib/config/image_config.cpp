#include "lib/config/config.hpp"
#include "lib/config/field.hpp"
#include "lib/config/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<DecoderChoice, 3> decoder_names{{"cpu", "nvjpeg", "auto"}, "is no decoder"};
constexpr const char* archive_group = "Archives";

}  // namespace

std::string to_string(DecoderChoice decoder) {
    return decoder_names.name_of(decoder);
}

DecoderChoice decoder_from_string(const std::string& name) {
    return decoder_names.value_of(name);
}

void describe(FieldVisitor& visitor, ImageConfig& config) {
    visitor.value({.key = "max_megapixels", .range = above_at_most(0, 1e6)}, &config.max_megapixels);
    visitor.value({.key = "apply_exif_orientation"}, &config.apply_exif_orientation);
    visitor.value({.key = "prefetch_megabytes", .range = above_at_most(0, 1e6)}, &config.prefetch_megabytes);
    visitor.value({.key = "decoder",
                   .flag = {.name = "--decoder",
                            .type = "DECODER",
                            .group = archive_group,
                            .help = "Who decodes JPEG: cpu, nvjpeg, or auto (default): nvjpeg for plain "
                                    "images where detection runs on "
                                    "GPUs with JPEG engines, else cpu. Their grey values differ by rounding",
                            .is_checked = true}},
                  named(config.decoder, decoder_names.all(), decoder_from_string));
    visitor.value(
        {.key = "allow_mixed_decoders",
         .flag =
             {.name = "--allow-mixed-decoders",
              .group = archive_group,
              .help =
                  "With auto: CPU and GPU both decode, whoever is free; results then vary by that rounding"}},
        &config.allow_mixed_decoders);
    visitor.value({.key = "scaled_decoding",
                   .flag = {.name = "--scaled-decoding",
                            .group = archive_group,
                            .help = "Decode JPEG at 1/2, 1/4 or 1/8 of its size as far as --min-size allows; "
                                    "faster, results "
                                    "differ a little"}},
                  &config.scaled_decoding);
    visitor.rule("allow_mixed_decoders",
                 !config.allow_mixed_decoders || config.decoder == DecoderChoice::automatic,
                 "false unless 'image.decoder' is auto");
}

DecodeOptions decode_options(const ImageConfig& config) {
    DecodeOptions options;
    options.max_pixels = static_cast<std::int64_t>(config.max_megapixels * 1e6);
    options.apply_exif_orientation = config.apply_exif_orientation;
    return options;
}

}  // namespace fovea
