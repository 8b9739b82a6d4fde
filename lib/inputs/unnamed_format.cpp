#include "lib/inputs/unnamed_format.hpp"

namespace fovea {

bool has_no_extension(std::string_view name) {
    return name.substr(name.rfind('/') + 1).find('.') == std::string_view::npos;
}

bool begins_as_image(codec::Bytes head) {
    const codec::ImageFormat format = codec::sniff(head);
    return format != codec::ImageFormat::unknown && format != codec::ImageFormat::gzip &&
           format != codec::ImageFormat::bzip2;
}

}  // namespace fovea
