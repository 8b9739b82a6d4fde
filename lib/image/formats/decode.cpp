#include "lib/image/formats/decode.hpp"

#include <string>

#include <bzlib.h>
#include <gif_lib.h>
#include <opencv2/core/utility.hpp>
#include <tiffio.h>
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
    const std::string tiff = TIFFGetVersion();  // "LIBTIFF, Version 4.5.0", and lines of copyright
    const std::size_t tiff_version = tiff.find("Version ") + 8;
    const std::string bzip2 = BZ2_bzlibVersion();
    return turbo + ", OpenCV " + cv::getVersionString() + ", " + gif + ", libtiff " +
           tiff.substr(tiff_version, tiff.find('\n') - tiff_version) + ", zlib " + zlibVersion() +
           ", bzip2 " + bzip2.substr(0, bzip2.find(','));
}

}  // namespace fovea
