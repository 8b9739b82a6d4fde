#pragma once

#include <memory>

struct AVPacket;

namespace fovea {

struct PacketDeleter {
    void operator()(AVPacket* packet) const;
};

/// A piece of a compressed stream that a decoder takes in one call.
using PacketPointer = std::unique_ptr<AVPacket, PacketDeleter>;

/// \throws std::bad_alloc
PacketPointer make_packet();
/// Makes another owner of a packet's bytes. \throws std::bad_alloc
PacketPointer share_packet(const AVPacket& packet);

}  // namespace fovea
