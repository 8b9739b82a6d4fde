#pragma once

#include <cstdint>

namespace fovea::codec {

/// Tags of a TIFF directory (TIFF 6.0).
enum TiffTag : std::uint32_t {
    new_subfile_type = 254,
    subfile_type = 255,
    image_width = 256,
    image_length = 257,
    bits_per_sample = 258,
    compression = 259,
    photometric = 262,
    fill_order = 266,
    strip_offsets = 273,
    orientation = 274,
    samples_per_pixel = 277,
    rows_per_strip = 278,
    strip_byte_counts = 279,
    planar_configuration = 284,
    predictor = 317,
    colour_map = 320,
    tile_width = 322,
    tile_length = 323,
    tile_offsets = 324,
    tile_byte_counts = 325,
    sub_directories = 330,
    ink_set = 332,
    extra_samples = 338,
    sample_format = 339,
};

}  // namespace fovea::codec
