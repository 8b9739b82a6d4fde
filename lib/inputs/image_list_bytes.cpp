#include "lib/core/error.hpp"
#include "lib/inputs/image_list_code.hpp"

// A list in the journal of a job:
//
//     "FVIMLIST" version  head  is_part whole_size  has_places has_marks  images (image, [gap of the
//     position])...

namespace fovea {
namespace {

constexpr std::string_view magic = "FVIMLIST";

}  // namespace

std::string ImageList::to_bytes() const {
    const ImageListData& data = ImageListBuilder::data(*this);
    ListWriter writer;
    writer.bytes(magic);
    writer.number(image_list_version);
    write_head(writer, data);
    const ImageFields fields{!data.places.empty(), !data.marks.empty()};
    writer.number(data.is_part ? 1 : 0);
    writer.number(whole_size());
    writer.number(fields.places ? 1 : 0);
    writer.number(fields.marks ? 1 : 0);
    writer.number(size());
    ImageBefore before;
    std::uint64_t next_position = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        write_image(writer, data, i, fields, before);
        if (!data.is_part) continue;
        writer.number(data.positions[i] - next_position);
        next_position = data.positions[i] + 1;
    }
    return writer.take();
}

ImageList ImageList::from_bytes(std::string_view bytes) {
    ListReader reader(bytes, magic);
    ImageListData data;
    read_head(reader, data);
    data.is_part = reader.number(1) != 0;
    data.whole_size = reader.number();
    ImageFields fields;
    fields.places = reader.number(1) != 0;
    fields.marks = reader.has_marks() && reader.number(1) != 0;
    const std::size_t images = reader.count();
    if (images > data.whole_size || (!data.is_part && images != data.whole_size))
        reader.fail("it has " + std::to_string(images) + " of " + std::to_string(data.whole_size) +
                    " images");
    ImageBefore before;
    std::uint64_t next_position = 0;
    for (std::size_t i = 0; i < images; ++i) {
        read_image(reader, data, fields, before);
        if (!data.is_part) continue;
        if (next_position >= data.whole_size) reader.fail("an image stands behind the end of the whole list");
        const std::uint64_t position = next_position + reader.number(data.whole_size - 1 - next_position);
        data.positions.push_back(position);
        next_position = position + 1;
    }
    if (!reader.at_end()) reader.fail("something stands behind its end");
    if (!data.is_part && sha256_of_names(data) != data.names_sha256)
        reader.fail("its names are not those that it was made of");
    return ImageListBuilder::part(std::move(data));
}

}  // namespace fovea
