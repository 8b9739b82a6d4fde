#include "kernels/core/host_copy.hpp"

#include <algorithm>
#include <cstring>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace fovea {

void copy_rows(ImageView<const std::uint8_t> image, std::uint8_t* target) {
    if (image.empty()) return;
    const auto width = static_cast<std::size_t>(image.width);
    constexpr std::size_t bytes_worth_a_task = 1 << 18;
    const int grain = static_cast<int>(std::clamp<std::size_t>(bytes_worth_a_task / width, 1, 1 << 20));
    // Isolated: a thread that waits here must not begin another task of its caller's, which may be about the
    // same engine.
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<int>(0, image.height, grain), [&](const auto& rows) {
            if (image.stride == image.width) {
                std::memcpy(target + rows.begin() * width, image.row(rows.begin()), rows.size() * width);
                return;
            }
            for (int y = rows.begin(); y < rows.end(); ++y)
                std::memcpy(target + y * width, image.row(y), width);
        });
    });
}

}  // namespace fovea
