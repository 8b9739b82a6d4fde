#pragma once

#include <memory>

struct AVPacket;

namespace fovea {

struct PacketDeleter {
    void operator()(AVPacket* packet) const;
};

/// A piece of a compressed stream that a decoder takes at once.
using PacketPointer = std::unique_ptr<AVPacket, PacketDeleter>;

/// \throws std::bad_alloc
PacketPointer make_packet();
/// Another owner of the same bytes. \throws std::bad_alloc
PacketPointer share_packet(const AVPacket& packet);

}  // namespace fovea
