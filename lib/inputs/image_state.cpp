#include "lib/inputs/image_state.hpp"

namespace fovea {

ImageState state_of(const ImageListData& data, std::size_t i) {
    const FileMark& mark = data.marks[i];
    const ArchiveMember* const member = data.member(i);
    if (member == nullptr) return {mark.size, mark.seconds, mark.content};
    const bool is_packed = member->offset == ArchiveMember::in_sequence;
    return {member->size, is_packed ? mark.seconds : std::int64_t{member->header_crc}, mark.content};
}

bool is_unchanged(const ImageState& before, const ImageState& now, bool by_content) {
    const bool is_video = before.content == 0 && now.content == 0;
    if (by_content && !is_video) return before.content == now.content;
    return before.size == now.size && before.mark == now.mark;
}

}  // namespace fovea
