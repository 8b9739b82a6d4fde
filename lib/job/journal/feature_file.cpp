#include "lib/job/journal/feature_file.hpp"

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/packed.hpp"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "words are written as they lie in memory");

constexpr std::size_t words_at = 10;  // behind magic, version and length of the text

std::string beginning_of(std::string_view type) {
    return "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
}

// Magic, version 1.0, length of the text, and the text, filled up with blanks to a whole line.
std::string header_of(const FeatureFileShape& shape) {
    std::string header("\x93NUMPY\x01\x00", 8);
    append_number(header, FeatureFile::header_bytes - words_at, 2);
    header += beginning_of(shape.type);
    header += std::to_string(shape.rows) + ", " + std::to_string(shape.bins) + "), }";
    header.resize(FeatureFile::header_bytes - 1, ' ');
    return header + '\n';
}

std::optional<std::size_t> take_number(std::string_view& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<FeatureFileShape> shape_in(const std::string& header) {
    std::string_view text(header);
    if (text.size() != FeatureFile::header_bytes) return {};
    text.remove_prefix(words_at);
    FeatureFileShape shape;
    for (const char* type : {"<u2", "<i2"}) {
        if (text.starts_with(beginning_of(type))) shape.type = type;
    }
    const std::string beginning = beginning_of(shape.type);
    if (!text.starts_with(beginning)) return {};
    text.remove_prefix(beginning.size());
    const std::optional<std::size_t> rows = take_number(text);
    if (!rows || !text.starts_with(", ")) return {};
    text.remove_prefix(2);
    const std::optional<std::size_t> bins = take_number(text);
    if (!bins || *bins == 0) return {};
    shape.rows = *rows;
    shape.bins = *bins;
    return header_of(shape) == header ? std::optional(shape) : std::nullopt;
}

}  // namespace

FeatureFile::FeatureFile(const std::filesystem::path& file, std::size_t bins, const FileExtent& kept,
                         std::string type)
    : bins_(bins), type_(std::move(type)), file_(file, kept, header_bytes) {
    if (bins == 0) throw std::invalid_argument("features without bins");
    if (kept.bytes % (bins * sizeof(std::uint16_t)) != 0) {
        throw Error("The first " + counted(kept.bytes, "byte") + " of the features '" + file.string() +
                    "' were to be kept, which are no whole rows of " + counted(bins, "count") +
                    ": they are of another job; start again with --overwrite.");
    }
}

void FeatureFile::append(std::span<const std::uint16_t> rows) {
    if (rows.size() % bins_ != 0) {
        throw std::invalid_argument(counted(rows.size(), "count") + ", no whole rows of " +
                                    std::to_string(bins_));
    }
    file_.append({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
}

std::size_t FeatureFile::rows() const {
    return file_.extent().bytes / (bins_ * sizeof(std::uint16_t));
}

void FeatureFile::close() {
    file_.set_header(header_of({rows(), bins_, type_}));
    file_.sync();
    file_.close();
}

FeatureFileShape read_feature_file_shape(const std::filesystem::path& file) {
    const std::string name = "The features '" + file.string() + "'";
    const std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) throw Error(name + " cannot be opened: " + std::strerror(errno) + ".");
    std::string header(FeatureFile::header_bytes, '\0');
    const std::ptrdiff_t got = read_at(opened->descriptor.get(), header.data(), header.size(), 0);
    if (got < 0) throw Error(name + " cannot be read: " + std::strerror(errno) + ".");
    header.resize(static_cast<std::size_t>(got));
    const std::optional<FeatureFileShape> shape = shape_in(header);
    if (!shape) {
        throw Error(
            name + " are none that this program has finished: the file does not begin with NumPy's " +
            "header of rows of 16-bit words; complete the job that writes them with --resume, or run it "
            "again.");
    }
    const std::uint64_t bytes = opened->size() - header.size();
    const std::uint64_t counts = bytes / sizeof(std::uint16_t);
    if (bytes % sizeof(std::uint16_t) != 0 || counts % shape->bins != 0 ||
        counts / shape->bins != shape->rows) {
        throw Error(name + " should have " + counted(shape->rows, "row") + " of " +
                    counted(shape->bins, "count") + " by their header, and have " + std::to_string(bytes) +
                    " bytes; the file was cut off or changed.");
    }
    return *shape;
}

}  // namespace fovea
