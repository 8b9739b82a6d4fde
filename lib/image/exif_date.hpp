#pragma once

#include <cstdint>
#include <optional>

#include "lib/image/formats/bytes.hpp"

namespace fovea::codec {

/// The time at which a photograph was taken, by its EXIF data (DateTimeOriginal, tag 36867): seconds from the
/// beginning of 1970 if the camera's clock showed UTC, as most cameras tell no time zone. \param file the
/// beginning of a JPEG, or of a file that is a TIFF stream, as most raw files of cameras. \return nothing for
/// other formats, and if the date is not there, malformed or no day of the calendar.
std::optional<std::int64_t> exif_date(Bytes file);

}  // namespace fovea::codec
