#include "lib/image/formats/decode.hpp"

#include <string>

#include <bzlib.h>
#include <gif_lib.h>
#include <jxl/version.h>
#include <libheif/heif_version.h>
#include <libraw/libraw_version.h>
#include <openjpeg.h>
#include <png.h>
#include <tiffvers.h>
#include <webp/decode.h>
#include <zlib.h>

#if __has_include(<jconfig.h>)
#include <jconfig.h>
#endif

namespace fovea {

std::string decoder_description() {
#define FOVEA_TEXT_OF(x) #x
#define FOVEA_TEXT(x) FOVEA_TEXT_OF(x)
    // TurboJPEG does not tell its version at run time, nor in its own header.
#if defined(LIBJPEG_TURBO_VERSION)
    const std::string turbo = "libjpeg-turbo " FOVEA_TEXT(LIBJPEG_TURBO_VERSION);
#else
    const std::string turbo = "libjpeg-turbo";
#endif
    const std::string gif =
        "giflib " FOVEA_TEXT(GIFLIB_MAJOR) "." FOVEA_TEXT(GIFLIB_MINOR) "." FOVEA_TEXT(GIFLIB_RELEASE);
    // The versions that the program was built with: asking the libraries would load them all.
    const std::string tiff = TIFFLIB_VERSION_STR;  // "LIBTIFF, Version 4.5.0", and lines of copyright
    const std::size_t tiff_version = tiff.find("Version ") + 8;
    const std::string jxl = FOVEA_TEXT(JPEGXL_MAJOR_VERSION) "." FOVEA_TEXT(
        JPEGXL_MINOR_VERSION) "." FOVEA_TEXT(JPEGXL_PATCH_VERSION);
    const std::string openjpeg =
        FOVEA_TEXT(OPJ_VERSION_MAJOR) "." FOVEA_TEXT(OPJ_VERSION_MINOR) "." FOVEA_TEXT(OPJ_VERSION_BUILD);
    const std::string raw = FOVEA_TEXT(LIBRAW_MAJOR_VERSION) "." FOVEA_TEXT(
        LIBRAW_MINOR_VERSION) "." FOVEA_TEXT(LIBRAW_PATCH_VERSION);
    const int webp = WebPGetDecoderVersion();
    const std::string webp_version =
        std::to_string(webp >> 16) + "." + std::to_string(webp >> 8 & 255) + "." + std::to_string(webp & 255);
    const std::string bzip2 = BZ2_bzlibVersion();
    return turbo + ", libpng " + png_get_libpng_ver(nullptr) + ", libwebp " + webp_version + ", " + gif +
           ", libtiff " + tiff.substr(tiff_version, tiff.find('\n') - tiff_version) +
           ", libheif " LIBHEIF_VERSION ", libjxl " + jxl + ", OpenJPEG " + openjpeg + ", LibRaw " + raw +
           ", zlib " + zlibVersion() + ", bzip2 " + bzip2.substr(0, bzip2.find(','));
}

}  // namespace fovea
