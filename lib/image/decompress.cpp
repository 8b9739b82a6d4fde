#include <algorithm>
#include <string>

#include <bzlib.h>
#include <zlib.h>

#include "lib/image/codec.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t first_output = std::size_t{64} << 10;

/// Grows the output step by step and holds it to the limit.
class Output {
  public:
    explicit Output(const UnpackLimit& limit) : limit_(limit) {}

    std::uint8_t* free_begin() { return bytes_.data() + used_; }
    std::size_t free_size() const { return bytes_.size() - used_; }
    void add(std::size_t count) {
        used_ += count;
        if (max_size_ == 0 && used_ >= prefix_bytes) ask();
        if (max_size_ != 0) check();
    }
    void make_room() {
        if (free_size() > 0) return;
        std::size_t size = std::max(first_output, bytes_.size() * 2);
        // One byte over the limit is enough to see that it is passed.
        if (max_size_ != 0) size = std::min(size, max_size_ + 1);
        bytes_.resize(size);
    }
    std::vector<std::uint8_t> take() {
        bytes_.resize(used_);
        if (max_size_ == 0) ask();
        check();
        return std::move(bytes_);
    }

  private:
    void ask() { max_size_ = std::max<std::size_t>(1, limit_(Bytes(bytes_).first(used_))); }
    void check() const {
        if (used_ > max_size_)
            throw ImageError("unpacks to more than " + std::to_string(max_size_) +
                             " bytes, which no image of its size needs");
    }

    const UnpackLimit& limit_;
    std::vector<std::uint8_t> bytes_;
    std::size_t used_ = 0;
    std::size_t max_size_ = 0;  // 0: not asked yet
};

// The libraries count input and output in 32 bits.
unsigned chunk(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30));
}

struct InflateStream : z_stream {
    InflateStream() : z_stream{} {
        constexpr int gzip_header = 16;
        if (inflateInit2(this, MAX_WBITS + gzip_header) != Z_OK)
            throw ImageError("out of memory for unpacking gzip");
    }
    ~InflateStream() { inflateEnd(this); }
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;
};

struct Bzip2Stream : bz_stream {
    Bzip2Stream() : bz_stream{} {
        if (BZ2_bzDecompressInit(this, 0, 0) != BZ_OK) throw ImageError("out of memory for unpacking bzip2");
    }
    ~Bzip2Stream() { BZ2_bzDecompressEnd(this); }
    Bzip2Stream(const Bzip2Stream&) = delete;
    Bzip2Stream& operator=(const Bzip2Stream&) = delete;
};

/// Unpacks one member; returns the number of input bytes that it takes up.
std::size_t unpack_gzip_member(Bytes bytes, Output& output) {
    InflateStream stream;
    std::size_t at = 0;
    for (;;) {
        output.make_room();
        const unsigned in = chunk(bytes.size() - at), room = chunk(output.free_size());
        stream.next_in = const_cast<Bytef*>(bytes.data() + at);
        stream.avail_in = in;
        stream.next_out = output.free_begin();
        stream.avail_out = room;
        const int status = inflate(&stream, Z_NO_FLUSH);
        at += in - stream.avail_in;
        output.add(room - stream.avail_out);
        if (status == Z_STREAM_END) return at;
        if (status == Z_BUF_ERROR || (status == Z_OK && at == bytes.size() && stream.avail_out > 0))
            throw_truncated("gzip", "the compressed stream ends early");
        if (status != Z_OK)
            throw ImageError(std::string("corrupt gzip: ") +
                             (stream.msg != nullptr ? stream.msg : "bad stream"));
    }
}

std::size_t unpack_bzip2_member(Bytes bytes, Output& output) {
    Bzip2Stream stream;
    std::size_t at = 0;
    for (;;) {
        output.make_room();
        const unsigned in = chunk(bytes.size() - at), room = chunk(output.free_size());
        stream.next_in = const_cast<char*>(reinterpret_cast<const char*>(bytes.data() + at));
        stream.avail_in = in;
        stream.next_out = reinterpret_cast<char*>(output.free_begin());
        stream.avail_out = room;
        const int status = BZ2_bzDecompress(&stream);
        at += in - stream.avail_in;
        output.add(room - stream.avail_out);
        if (status == BZ_STREAM_END) return at;
        if (status != BZ_OK) throw ImageError("corrupt bzip2: its checksums or blocks are wrong");
        if (at == bytes.size() && stream.avail_out > 0)
            throw_truncated("bzip2", "the compressed stream ends early");
    }
}

template <class Member>
std::vector<std::uint8_t> unpack(Bytes bytes, const UnpackLimit& limit, ImageFormat format, Member member) {
    Output output(limit);
    do {
        bytes = bytes.subspan(member(bytes, output));
    } while (sniff(bytes) == format);
    return output.take();
}

}  // namespace

std::vector<std::uint8_t> unpack_gzip(Bytes bytes, const UnpackLimit& limit) {
    return unpack(bytes, limit, ImageFormat::gzip, unpack_gzip_member);
}

std::vector<std::uint8_t> unpack_bzip2(Bytes bytes, const UnpackLimit& limit) {
    return unpack(bytes, limit, ImageFormat::bzip2, unpack_bzip2_member);
}

}  // namespace fovea::codec
