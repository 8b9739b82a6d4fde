#include <algorithm>

#include "kernels/engine/gpu_batch.cuh"

namespace fovea::cuda_backend {

std::vector<RectGroup> group_windows_on_host(std::span<const CascadeWindow> windows,
                                             std::span<const Rect> rects, int min_neighbors,
                                             GroupScore score) {
    std::vector<ScoredRect> scored;
    scored.reserve(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) scored.push_back({rects[i], windows[i].last_sum});
    return group_rects(scored, min_neighbors, default_group_eps, score);
}

unsigned GpuBatch::max_windows_found() const {
    return size_.images == 0 ? 0 : *std::max_element(windows_found(), windows_found() + size_.images);
}

std::vector<CascadeResult> GpuBatch::fetch() {
    std::vector<CascadeResult> findings(size_.images);
    if (size_.is_grouped) {
        fetch_groups(findings);
        if (wants_landmarks()) fetch_landmarks(findings);
    } else {
        fetch_windows(findings);
    }
    return findings;
}

void GpuBatch::fetch_groups(std::vector<CascadeResult>& findings) {
    const unsigned* const counts = groups_found();
    const RectGroup* const first = output_.at<RectGroup>(layout_.output.groups);
    const Grouping on_device = grouping();
    bool is_waiting = false;
    for (std::size_t i = 0; i < size_.images; ++i) {
        std::vector<RectGroup>& groups = findings[i].groups;
        if (windows_found()[i] > static_cast<unsigned>(max_windows_grouped)) {
            groups = group_on_host(i);
            continue;
        }
        groups.resize(counts[i]);
        std::copy_n(first + i * first_groups, std::min<std::size_t>(first_groups, counts[i]), groups.begin());
        if (counts[i] <= first_groups) continue;
        copy(groups.data() + first_groups, on_device.groups + i * size_.capacity + first_groups,
             (counts[i] - first_groups) * sizeof(RectGroup));
        is_waiting = true;
    }
    if (is_waiting) device_.synchronize();
}

// The faces of all images lie one after the other; of images that the host groups there are none.
void GpuBatch::fetch_landmarks(std::vector<CascadeResult>& findings) {
    const std::int32_t* const downloaded = output_.at<std::int32_t>(layout_.output.landmarks);
    const std::int32_t* const all = landmarks_.at<std::int32_t>(layout_.landmarks.positions);
    const std::size_t downloaded_faces = layout_.landmarks.downloaded_faces;
    const std::size_t coordinates = 2 * size_.landmarks;
    std::size_t first = 0;
    bool is_waiting = false;
    for (std::size_t i = 0; i < size_.images; ++i) {
        const std::size_t faces = std::min<std::size_t>(first_groups, groups_found()[i]);
        std::vector<std::int32_t>& landmarks = findings[i].landmarks;
        landmarks.resize(faces * coordinates);
        const std::size_t here =
            first < downloaded_faces ? std::min(faces, downloaded_faces - first) : std::size_t{0};
        std::copy_n(downloaded + first * coordinates, here * coordinates, landmarks.begin());
        if (here < faces) {
            copy(landmarks.data() + here * coordinates, all + (first + here) * coordinates,
                 (faces - here) * layout_.landmarks.face_bytes);
            is_waiting = true;
        }
        first += faces;
    }
    if (is_waiting) device_.synchronize();
}

std::vector<RectGroup> GpuBatch::group_on_host(std::size_t image) {
    const FoundWindows found = found_windows();
    const std::size_t first = image * size_.capacity;
    const unsigned count = windows_found()[image];
    std::vector<CascadeWindow> windows(count);
    std::vector<Rect> rects(count);
    copy(windows.data(), found.windows + first, count * sizeof(CascadeWindow));
    copy(rects.data(), found.rects + first, count * sizeof(Rect));
    device_.synchronize();
    ++counters_.host_groupings;
    return group_windows_on_host(windows, rects, request_.min_neighbors, group_score_);
}

void GpuBatch::fetch_windows(std::vector<CascadeResult>& findings) {
    const FoundWindows found = found_windows();
    for (std::size_t i = 0; i < size_.images; ++i) {
        findings[i].windows.resize(windows_found()[i]);
        copy(findings[i].windows.data(), found.windows + i * size_.capacity,
             windows_found()[i] * sizeof(CascadeWindow));
    }
    device_.synchronize();
    for (CascadeResult& finding : findings) {
        std::sort(finding.windows.begin(), finding.windows.end(), comes_before);
    }
}

}  // namespace fovea::cuda_backend
