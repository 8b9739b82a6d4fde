#include "lib/files/unpacker.hpp"

#include <algorithm>
#include <new>
#include <string>

#include <bzlib.h>
#include <zlib.h>

namespace fovea {

/// One member of a packed stream.
class Unpacker::Member {
  public:
    struct Step {
        std::size_t used = 0;  ///< packed bytes
        std::size_t made = 0;  ///< unpacked bytes
        bool ended = false;
    };

    virtual ~Member() = default;
    virtual Step step(std::span<const std::uint8_t> packed, std::uint8_t* to, std::size_t room) = 0;

  protected:
    Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
};

namespace {

// The libraries count input and output in 32 bits.
unsigned chunk(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30));
}

class GzipMember final : public Unpacker::Member {
  public:
    GzipMember() {
        constexpr int gzip_header = 16;
        if (inflateInit2(&stream_, MAX_WBITS + gzip_header) != Z_OK) throw std::bad_alloc();
    }
    ~GzipMember() override { inflateEnd(&stream_); }

    Step step(std::span<const std::uint8_t> packed, std::uint8_t* to, std::size_t room) override {
        const unsigned in = chunk(packed.size()), out = chunk(room);
        stream_.next_in = const_cast<Bytef*>(packed.data());
        stream_.avail_in = in;
        stream_.next_out = to;
        stream_.avail_out = out;
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        // Z_BUF_ERROR: nothing to do without more input, which may come.
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            throw UnpackError(std::string("corrupt gzip: ") +
                              (stream_.msg != nullptr ? stream_.msg : "bad stream"));
        return {in - stream_.avail_in, out - stream_.avail_out, status == Z_STREAM_END};
    }

  private:
    z_stream stream_{};
};

class Bzip2Member final : public Unpacker::Member {
  public:
    Bzip2Member() {
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    }
    ~Bzip2Member() override { BZ2_bzDecompressEnd(&stream_); }

    Step step(std::span<const std::uint8_t> packed, std::uint8_t* to, std::size_t room) override {
        const unsigned in = chunk(packed.size()), out = chunk(room);
        stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(packed.data()));
        stream_.avail_in = in;
        stream_.next_out = reinterpret_cast<char*>(to);
        stream_.avail_out = out;
        const int status = BZ2_bzDecompress(&stream_);
        if (status == BZ_MEM_ERROR) throw std::bad_alloc();
        if (status != BZ_OK && status != BZ_STREAM_END)
            throw UnpackError("corrupt bzip2: its checksums or blocks are wrong");
        return {in - stream_.avail_in, out - stream_.avail_out, status == BZ_STREAM_END};
    }

  private:
    bz_stream stream_{};
};

}  // namespace

std::optional<Packing> packing_of(std::string_view beginning) {
    if (beginning.starts_with("\x1f\x8b")) return Packing::gzip;
    if (beginning.starts_with("BZh") && beginning.size() > 3 && beginning[3] >= '1' && beginning[3] <= '9')
        return Packing::bzip2;
    return std::nullopt;
}

Unpacker::Unpacker(Packing packing, std::vector<std::uint8_t> begin, Read rest)
    : packing_(packing), buffer_(std::move(begin)), rest_(std::move(rest)) {}

Unpacker::~Unpacker() = default;

void Unpacker::fill(std::size_t wanted) {
    constexpr std::size_t step = std::size_t{64} << 10;
    while (packed().size() < wanted && !rest_ended_) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
        at_ = 0;
        const std::size_t used = buffer_.size();
        buffer_.resize(used + step);
        const std::size_t count = rest_(buffer_.data() + used, step);
        buffer_.resize(used + count);
        rest_ended_ = count == 0;
    }
}

bool Unpacker::begin_member() {
    constexpr std::size_t magic = 4;
    if (any_member_) {
        fill(magic);
        const std::string_view next(reinterpret_cast<const char*>(packed().data()), packed().size());
        if (packing_of(next) != packing_) return false;
    }
    any_member_ = true;
    if (packing_ == Packing::gzip)
        member_ = std::make_unique<GzipMember>();
    else
        member_ = std::make_unique<Bzip2Member>();
    return true;
}

std::size_t Unpacker::read(std::uint8_t* to, std::size_t length) {
    std::size_t made = 0;
    while (made < length && !ended_) {
        if (!member_ && !begin_member()) {
            ended_ = true;
            break;
        }
        fill(1);
        const bool all_given = packed().empty();
        const Member::Step step = member_->step(packed(), to + made, length - made);
        at_ += step.used;
        made += step.made;
        if (step.ended)
            member_.reset();
        else if (all_given && step.made == 0)
            throw UnpackError(std::string("truncated ") + (packing_ == Packing::gzip ? "gzip" : "bzip2") +
                              ": the compressed stream ends early");
    }
    return made;
}

}  // namespace fovea
