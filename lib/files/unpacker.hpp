#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"

namespace fovea {

/// The packers whose streams are read as if they were not packed.
enum class Packing { gzip, bzip2 };

/// The packing of a stream that begins with these bytes; nothing if it is neither.
std::optional<Packing> packing_of(std::string_view beginning);

/// A packed stream is broken. The message is the bare reason: "truncated gzip: ...".
class UnpackError : public Error {
  public:
    explicit UnpackError(const std::string& reason) : Error(reason) {}
};

/// Unpacks a gzip or bzip2 stream of one or more members. It ignores anything behind the last member, as gzip
/// and bzip2 do, and holds only a small part of the stream at a time.
class Unpacker {
  public:
    /// Writes up to `length` further bytes of the packed stream to `to`. \return their number; fewer only at
    /// its end.
    using Read = std::function<std::size_t(std::uint8_t* to, std::size_t length)>;

    /// \param begin  the first bytes of the stream
    /// \param rest   gives the others; its exceptions pass through read()
    Unpacker(Packing packing, std::vector<std::uint8_t> begin, Read rest);
    ~Unpacker();

    /// Writes up to `length` unpacked bytes to `to`. \return their number; fewer only at the end.
    /// \throws UnpackError
    std::size_t read(std::uint8_t* to, std::size_t length);

    class Member;

  private:
    std::span<const std::uint8_t> packed() const { return std::span(buffer_).subspan(at_); }
    void fill(std::size_t wanted);
    bool begin_member();

    const Packing packing_;
    std::vector<std::uint8_t> buffer_;  // packed bytes; bytes before at_ are used up
    std::size_t at_ = 0;
    Read rest_;
    bool rest_ended_ = false;
    std::unique_ptr<Member> member_;
    bool any_member_ = false;
    bool ended_ = false;
};

}  // namespace fovea
