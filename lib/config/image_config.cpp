#include "lib/config/config.hpp"
#include "lib/json/field.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<DecoderChoice, 3> decoder_names{{"cpu", "nvjpeg", "auto"}, "is no decoder"};

constexpr NameTable<VideoDecoderChoice, 3> video_decoder_names{{"cpu", "nvdec", "auto"},
                                                               "is no decoder of videos"};

}  // namespace

std::string to_string(VideoDecoderChoice decoder) {
    return video_decoder_names.name_of(decoder);
}

std::string to_string(DecoderChoice decoder) {
    return decoder_names.name_of(decoder);
}

void describe(FieldVisitor& visitor, ImageConfig& config) {
    visitor.value({.key = "max_megapixels", .range = above_at_most(0, 1e6)}, &config.max_megapixels);
    visitor.value({.key = "apply_exif_orientation"}, &config.apply_exif_orientation);
    visitor.value({.key = "prefetch_megabytes", .range = above_at_most(0, 1e6)}, &config.prefetch_megabytes);
    visitor.value(
        {.key = "decoder",
         .flag = {.name = "--decoder",
                  .type = "DECODER",
                  .group = "Advanced",
                  .help = "JPEG decoder; {default} (default) takes nvjpeg for plain images on GPUs with JPEG "
                          "engines, else cpu. Their grey values differ by rounding",
                  .is_checked = true}},
        named(config.decoder, decoder_names));
    visitor.value({.key = "allow_mixed_decoders",
                   .flag = {.name = "--allow-mixed-decoders",
                            .group = "Advanced",
                            .help = "With --decoder auto: the CPU and the GPU both decode; results then vary "
                                    "by that rounding"}},
                  &config.allow_mixed_decoders);
    visitor.value(
        {.key = "video_decoder",
         .flag = {.name = "--video-decoder",
                  .type = "DECODER",
                  .group = "Advanced",
                  .help =
                      "Decoder of videos; {default} (default) takes the GPU's own, nvdec, where detection "
                      "runs on a GPU. The frames are the same bytes",
                  .is_checked = true}},
        named(config.video_decoder, video_decoder_names));
    visitor.value(
        {.key = "scaled_decoding",
         .flag = {.name = "--scaled-decoding",
                  .group = "Advanced",
                  .help = "Decode JPEG at 1/2, 1/4 or 1/8 of its size as far as --min-size allows: faster, "
                          "but results differ a little"}},
        &config.scaled_decoding);
    visitor.rule("allow_mixed_decoders",
                 !config.allow_mixed_decoders || config.decoder == DecoderChoice::automatic,
                 "left out unless the decoder is auto ('image.decoder', or --decoder auto)");
}

DecodeOptions decode_options(const ImageConfig& config) {
    DecodeOptions options;
    options.max_pixels = static_cast<std::int64_t>(config.max_megapixels * 1e6);
    options.apply_exif_orientation = config.apply_exif_orientation;
    return options;
}

}  // namespace fovea
