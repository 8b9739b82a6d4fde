#include "lib/job/inspect_images.hpp"

#include <algorithm>
#include <filesystem>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/prefetch.hpp"

namespace fovea {
namespace {

/// \return false if cancelled.
bool hash_files(const Dataset& dataset, std::vector<ImageFacts>& facts, const JobHooks& hooks) {
    // In blocks, for the progress and a cancellation in between.
    constexpr std::size_t block = 256;
    hooks.begin_stage("comparing files");
    for (std::size_t begin = 0; begin < facts.size(); begin += block) {
        if (hooks.is_cancelled()) return false;
        const std::size_t end = std::min(begin + block, facts.size());
        tbb::parallel_for(begin, end, [&](std::size_t i) {
            // A frame of a video is no file of its own.
            if (facts[i].is_missing || dataset.samples[i].frame) return;
            try {
                facts[i].sha256 = sha256_of_file(dataset.samples[i].path);
            } catch (const Error&) {
                // Decoding says why it cannot be read.
            }
        });
        hooks.tell({end, facts.size(), 0});
    }
    return true;
}

/// \return false if cancelled.
bool decode_files(const Dataset& dataset, std::vector<ImageFacts>& facts, const JobHooks& hooks) {
    std::vector<ImageLocation> places;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (facts[i].is_missing) continue;
        places.push_back(dataset.samples[i].place());
        index.push_back(i);
    }
    hooks.begin_stage("decoding images");
    ImagePrefetcher prefetcher(std::move(places), {resolve_threads(0), std::size_t{64} << 20, {}});
    std::size_t unreadable = 0;
    while (const std::optional<LoadedImage> loaded = prefetcher.next()) {
        ImageFacts& fact = facts[index[loaded->index]];
        fact.unreadable = loaded->unreadable;
        if (loaded->unreadable.empty()) {
            fact.size = ImageSize{loaded->image.width, loaded->image.height};
        } else {
            ++unreadable;
        }
        const std::size_t done = loaded->index + 1;
        hooks.tell({done, index.size(), unreadable});
        if (hooks.is_cancelled() && done < index.size()) return false;
    }
    return true;
}

}  // namespace

ImageInspection inspect_images(const Dataset& dataset, bool read_images, const JobHooks& hooks) {
    ImageInspection inspection;
    inspection.facts.resize(dataset.samples.size());
    for (std::size_t i = 0; i < inspection.facts.size(); ++i) {
        std::error_code error;
        const auto status = std::filesystem::status(dataset.samples[i].path, error);
        inspection.facts[i].is_missing = status.type() == std::filesystem::file_type::not_found;
    }
    if (!read_images) return inspection;
    inspection.interrupted =
        !hash_files(dataset, inspection.facts, hooks) || !decode_files(dataset, inspection.facts, hooks);
    return inspection;
}

}  // namespace fovea
