#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>
#include <string>

#include "lib/core/text.hpp"
#include "lib/image/load.hpp"
#include "lib/inputs/image_list.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t tar_block_bytes = 512;

/// Makes the checksums of a .tar file's headers right; other archives stay as they are.
std::string with_right_checksums(std::string bytes) {
    constexpr std::size_t size_at = 124, size_digits = 11, checksum_at = 148, checksum_length = 8,
                          magic_at = 257;
    for (std::size_t at = 0; at + tar_block_bytes <= bytes.size();) {
        if (bytes.compare(at + magic_at, 5, "ustar") != 0) break;
        char* const header = bytes.data() + at;
        std::fill_n(header + checksum_at, checksum_length, ' ');
        unsigned sum = 0;
        for (std::size_t i = 0; i < tar_block_bytes; ++i) sum += static_cast<unsigned char>(header[i]);
        std::snprintf(header + checksum_at, checksum_length, "%06o", sum);
        std::size_t size = 0;
        std::from_chars(header + size_at, header + size_at + size_digits, size, 8);
        if (size > bytes.size()) break;
        at += tar_block_bytes + (size + tar_block_bytes - 1) / tar_block_bytes * tar_block_bytes;
    }
    return bytes;
}

/// How every image of a list begins, opened one after the other; nothing where it cannot be read.
std::vector<std::optional<std::string>> read_all(const ImageList& list) {
    // A few packed bytes unfold to gigabytes.
    constexpr std::size_t max_read = std::size_t{1} << 16;
    const auto inputs = list.open_from(0);
    std::vector<std::optional<std::string>> images;
    for (std::size_t i = 0; i < list.size(); ++i) {
        images.push_back(if_readable([&] {
            const auto file = inputs->open(i);
            std::string bytes(std::min(file->size(), max_read), '\0');
            const std::size_t got = file->read(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
            require(got == bytes.size(), "an image is shorter than the archive says");
            file->release();
            return bytes;
        }));
    }
    return images;
}

void decode_all(const ImageList& list) {
    codec::LoadOptions options;
    options.decode.max_pixels = 1 << 12;
    const auto inputs = list.open_from(0);
    for (std::size_t i = 0; i < list.size(); ++i) {
        if_readable([&] {
            LoadedImage loaded;
            codec::load_image(
                *inputs->open(i), options, [](std::size_t, bool) {}, loaded);
            return loaded.size.width;
        });
    }
}

void check_names(const ImageList& list) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
        require(is_utf8(list.name(i)), "a name is no UTF-8");
        require(names.insert(list.name(i)).second, "two images have one name");
        list.place(i);
    }
}

/// A part of an archive's images must read as they do among all of them.
void check_part(const ImageList& list, const std::vector<std::optional<std::string>>& images) {
    std::size_t asked = 0;
    const ImageList part = list.part([&](std::size_t) { return asked++ % 2 == 1; });
    const auto images_of_part = read_all(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
        const auto& whole = images[part.position(i)];
        if (whole && images_of_part[i])
            require(*whole == *images_of_part[i],
                    "an image of an archive reads otherwise in a part of the list");
    }
}

void check_folder(const ImageList& list, const fs::path& archive) {
    const ImageList folder = must([&] {
        return read_image_list({"folder:" + archive.parent_path().string(), {}, {}});
    });
    require(folder.size() == list.size(), "an archive in a folder has other images than alone");
    const std::string prefix = archive.filename().string() + "/";
    for (std::size_t i = 0; i < list.size(); ++i)
        require(folder.name(i) == prefix + std::string(list.name(i)),
                "an archive in a folder has other names than alone");
}

}  // namespace

/// An archive as `fovea detect` reads it. An odd last byte leaves it as it is; else the checksums of .tar
/// headers are made right.
void read_archive_target(std::string_view input) {
    const bool as_it_is = !input.empty() && (input.back() & 1) != 0;
    const fs::path archive = write_input(
        "archive/a.tar", as_it_is ? std::string(input) : with_right_checksums(std::string(input)));
    const ImageList list = read_image_list({"archive:" + archive.string(), {}, {}});
    check_names(list);
    const auto images = read_all(list);
    check_part(list, images);
    check_folder(list, archive);
    // A resumed job finds it so.
    const ImageList again = must([&] { return ImageList::from_bytes(list.to_bytes()); });
    require(read_all(again) == images, "an archive reads otherwise by the list in a journal");
    decode_all(list);
    const auto files = std::distance(fs::directory_iterator(archive.parent_path()), fs::directory_iterator());
    require(files == 1, "reading an archive made a file beside it");
}

void read_list_bytes_target(std::string_view input) {
    const ImageList list = ImageList::from_bytes(input);
    require(list.size() <= list.whole_size(), "a part of a list is larger than the whole");
    for (std::size_t i = 0; i < list.size(); ++i) {
        require(list.position(i) < list.whole_size(), "an image stands behind the end of the whole list");
        require(i == 0 || list.position(i - 1) < list.position(i), "positions do not rise");
        list.name(i);
        list.place(i);
    }
    const std::string bytes = list.to_bytes();
    const ImageList again = must([&] { return ImageList::from_bytes(bytes); });
    require(again.to_bytes() == bytes, "a list has other bytes once they were read");
    require(again.size() == list.size() && again.names_sha256() == list.names_sha256() &&
                again.skipped() == list.skipped(),
            "a list is another one once it was written");
}

}  // namespace fovea::fuzz
