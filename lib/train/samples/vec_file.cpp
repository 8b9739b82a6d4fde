#include "lib/train/samples/vec_file.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::size_t bytes_of_sample(std::uint64_t pixels) {
    return 1 + 2 * static_cast<std::size_t>(pixels);
}

std::int32_t read_int32(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    return static_cast<std::int32_t>(value);
}

std::uint64_t size_of_vec_file(const std::filesystem::path& file) {
    if (!is_there(file)) throw UsageError("There is no .vec file '" + file.string() + "'; check the path.");
    if (!is_file(file)) throw UsageError("'" + file.string() + "' is no plain file; name a .vec file.");
    return size_of_file(file);
}

std::string or_list(const std::vector<Size>& windows) {
    std::string text;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < windows.size() ? ", " : " or ") + text_of(windows[i]);
    }
    return text;
}

void check_pixels(const std::string& name, std::int32_t pixels, Size window) {
    if (pixels <= 0) {
        throw Error(name + ": the header gives a sample " + std::to_string(pixels) +
                    " pixels; this is no .vec file, or a damaged one.");
    }
    const std::size_t wanted = pixels_of(window);
    if (static_cast<std::size_t>(pixels) == wanted) return;
    const std::vector<Size> likely = likely_windows(static_cast<std::uint64_t>(pixels));
    throw UsageError(name + ": its samples have " + grouped(pixels) + " pixels, and a window of " +
                     text_of(window) + " has " + grouped(static_cast<long long>(wanted)) + "; " +
                     (likely.empty()
                          ? "no usual window has so many, so check that this is a .vec file."
                          : "give the window that they were made with, e.g. " + or_list(likely) + "."));
}

/// The samples that are to be read.
std::size_t checked_count(const std::string& name, std::int32_t count, std::size_t pixels, std::uint64_t size,
                          std::size_t max_samples) {
    if (count < 0) {
        throw Error(name + ": the header counts " + std::to_string(count) +
                    " samples; this is no .vec file, or a damaged one.");
    }
    const auto all = static_cast<std::size_t>(count);
    const std::uint64_t sample = bytes_of_sample(pixels);
    const std::uint64_t rest = size - header_bytes;
    const bool is_part = max_samples > 0 && max_samples <= all;
    const std::size_t wanted = is_part ? max_samples : all;
    // Both factors have less than 32 bits.
    if (is_part ? rest >= wanted * sample : rest == wanted * sample) return wanted;
    const std::uint64_t there = rest / sample;
    const std::string of_header = "the header counts " + counted(all, "sample") + " of " +
                                  counted(sample, "byte") + ", but behind it the file has ";
    if (there < wanted) {
        throw Error(name + ": " + of_header + counted(rest, "byte") + ", so it is cut off in sample " +
                    std::to_string(there) + " (counted from 0); make it again" +
                    (there > 0 ? ", or read the first " + counted(there, "sample") + " only." : "."));
    }
    throw Error(name + ": " + of_header + counted(rest, "byte") + ", enough for " + counted(there, "sample") +
                "; make it again, or read the first " + counted(all, "sample") + " only.");
}

}  // namespace

VecReader::VecReader(const std::filesystem::path& file, Size window, std::size_t max_samples)
    : file_(file), blocks_(file, 0, block_bytes) {
    check_window(window);
    const std::string name = "'" + file.string() + "'";
    const std::uint64_t size = size_of_vec_file(file);
    if (size < header_bytes) {
        throw Error(name + " has " + counted(size, "byte") + ", and a .vec file begins with a header of " +
                    std::to_string(header_bytes) + "; make it again.");
    }
    const std::string_view header = blocks_.next_bytes(header_bytes);
    const std::int32_t count = read_int32(header, 0);
    const std::int32_t pixels = read_int32(header, 4);
    check_pixels(name, pixels, window);
    count_ = checked_count(name, count, pixels_of(window), size, max_samples);
    sample_.resize(pixels_of(window));
}

std::optional<std::span<const std::uint8_t>> VecReader::next() {
    if (done_ == count_) return std::nullopt;
    const std::string_view bytes = blocks_.next_bytes(bytes_of_sample(sample_.size()));
    for (std::size_t i = 0; i < sample_.size(); ++i) {
        const auto low = static_cast<unsigned char>(bytes[1 + 2 * i]);
        const auto high = static_cast<unsigned char>(bytes[2 + 2 * i]);
        if (high != 0) {
            const int value = static_cast<std::int16_t>(static_cast<std::uint16_t>(low | high << 8));
            throw Error("'" + file_.string() + "': sample " + std::to_string(done_) + ", pixel " +
                        std::to_string(i) + " (both counted from 0) has the value " + std::to_string(value) +
                        ", and grey levels are 0 to 255; the file is damaged or was made for another window, "
                        "so make it again.");
        }
        sample_[i] = low;
    }
    ++done_;
    return sample_;
}

WindowSamples read_vec(const std::filesystem::path& file, Size window, const VecReadOptions& options) {
    if (options.samples_per_source == 0) {
        throw UsageError("A source of a .vec file has 0 samples; give at least 1.");
    }
    VecReader reader(file, window, options.max_samples);
    WindowSamples samples{window, {}, {}, {}};
    samples.pixels.reserve(reader.count() * pixels_of(window));
    samples.source.reserve(reader.count());
    const std::string name = file.filename().string() + "#";
    while (const auto sample = reader.next()) {
        if (samples.count() % options.samples_per_source == 0) {
            constexpr std::size_t digits = 6;
            const std::string number = std::to_string(samples.sources.size());
            samples.sources.push_back(name + std::string(digits - std::min(digits, number.size()), '0') +
                                      number);
        }
        samples.add(*sample, static_cast<std::uint32_t>(samples.sources.size() - 1));
    }
    return samples;
}

class VecWriter::Implementation {
  public:
    Implementation(const std::filesystem::path& file, Size window)
        : staged_(file), pixels_(pixels_of(window)), file_(staged_.part(), {}, header_bytes) {
        file_.begin();
    }

    void add(std::span<const std::uint8_t> sample) {
        if (count_ == std::numeric_limits<std::int32_t>::max()) {
            throw Error("A .vec file holds no more than " + grouped(count_) +
                        " samples; write several files.");
        }
        ++count_;
        buffer_.push_back('\0');
        for (const std::uint8_t pixel : sample.first(pixels_)) {
            buffer_.push_back(static_cast<char>(pixel));
            buffer_.push_back('\0');
        }
        if (buffer_.size() >= block_bytes) flush();
    }

    void finish() {
        flush();
        std::string header;
        add_int32(header, count_);
        add_int32(header, static_cast<std::int32_t>(pixels_));
        add_int32(header, 0);
        file_.set_header(header);
        file_.sync();
        file_.close();
        staged_.publish(Durability::at_once);
    }

  private:
    static void add_int32(std::string& bytes, std::int32_t value) {
        for (int i = 0; i < 4; ++i) {
            bytes.push_back(static_cast<char>(static_cast<std::uint32_t>(value) >> (8 * i) & 255));
        }
    }

    void flush() {
        file_.append(buffer_);
        buffer_.clear();
    }

    StagedFile staged_;
    std::size_t pixels_;
    AppendedFile file_;
    std::string buffer_;
    std::int32_t count_ = 0;
};

VecWriter::VecWriter(const std::filesystem::path& file, Size window) {
    check_window(window);
    implementation_ = std::make_unique<Implementation>(file, window);
}

VecWriter::~VecWriter() = default;

void VecWriter::add(std::span<const std::uint8_t> sample) {
    implementation_->add(sample);
}

void VecWriter::finish() {
    implementation_->finish();
}

void write_vec(const std::filesystem::path& file, const WindowSamples& samples) {
    VecWriter writer(file, samples.window);
    for (std::size_t i = 0; i < samples.count(); ++i) writer.add(samples.pixels_of_sample(i));
    writer.finish();
}

std::vector<Size> likely_windows(std::uint64_t pixels) {
    constexpr std::uint64_t min_side = 8, max_ratio = 5, most = 6;
    std::vector<Size> windows;
    // From the square root down: the squarest first.
    const auto side = static_cast<std::uint64_t>(max_window_side);
    for (std::uint64_t height = std::min(side, pixels); height >= min_side && windows.size() < most;
         --height) {
        const std::uint64_t width = pixels / height;
        if (pixels % height != 0 || width < height || width > side || width > max_ratio * height) continue;
        windows.push_back({static_cast<int>(width), static_cast<int>(height)});
        if (width != height) windows.push_back({static_cast<int>(height), static_cast<int>(width)});
    }
    if (windows.size() > most) windows.resize(most);
    return windows;
}

}  // namespace fovea
