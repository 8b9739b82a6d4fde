#include "tests/support/engines.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/detect/cascade_xml.hpp"
#include "lib/detect/trace_comparison.hpp"
#include "lib/files/find_model.hpp"

namespace fovea::test {
namespace {

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string describe(const CascadeWindow& w) {
    std::ostringstream text;
    text.precision(17);
    text << "level " << w.level << ", x " << w.x << ", y " << w.y << ", sum " << w.last_sum;
    return text.str();
}

std::string describe(const RectGroup& g) {
    std::ostringstream text;
    text.precision(17);
    text << "x " << g.rect.x << ", y " << g.rect.y << ", " << g.rect.width << "x" << g.rect.height << ", "
         << g.neighbors << " neighbors, score " << g.score;
    return text.str();
}

bool same(const CascadeWindow& a, const CascadeWindow& b) {
    return a == b && same_bits(a.last_sum, b.last_sum);
}

bool same(const RectGroup& a, const RectGroup& b) {
    return a == b && same_bits(a.score, b.score);
}

template <class Item>
std::string first_difference(const std::vector<Item>& expected, const std::vector<Item>& found,
                             const char* what) {
    for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
        if (i < expected.size() && i < found.size() && same(expected[i], found[i])) continue;
        return std::string(what) + " " + std::to_string(i) + ": expected " +
               (i < expected.size() ? describe(expected[i]) : "none") + ", found " +
               (i < found.size() ? describe(found[i]) : "none") + " (" + std::to_string(expected.size()) +
               " expected, " + std::to_string(found.size()) + " found)";
    }
    return {};
}

}  // namespace

std::vector<CascadeResult> require_equal_findings(CascadeEngine& cpu, CascadeEngine& cuda,
                                                  std::span<const GreyView> images, const CascadeScan& scan) {
    const ScanParameters& parameters = scan.parameters;
    INFO("factor " << parameters.scale_factor << ", min " << parameters.min_size.width << "x"
                   << parameters.min_size.height << ", max " << parameters.max_size.width << "x"
                   << parameters.max_size.height << ", start scale " << parameters.start_scale << ", step "
                   << parameters.step << ", min_neighbors " << scan.min_neighbors);
    std::vector<CascadeResult> expected = cpu.detect(images, scan);
    REQUIRE(fovea::test::first_difference(expected, cuda.detect(images, scan)) == "");
    return expected;
}

std::size_t Backends::require_equal_traces(GreyView image, const ScanParameters& parameters) const {
    const auto levels = cascade_levels({image.width, image.height}, cascade().window, parameters);
    const TraceComparison comparison =
        compare_traces(cpu().trace(image, parameters), cuda().trace(image, parameters), levels, 1);
    INFO(image.width << "x" << image.height << ", factor " << parameters.scale_factor << ": "
                     << comparison.differing << " of " << comparison.windows << " windows differ");
    REQUIRE(comparison.different_shape == "");
    if (!comparison.differences.empty()) {
        const TraceDifference& d = comparison.differences[0];
        FAIL("first at level " << d.level << ", x " << d.x << ", y " << d.y << ": the CPU says "
                               << describe_window(d.first_stages, d.first_sum) << ", the GPU says "
                               << describe_window(d.second_stages, d.second_sum));
    }
    return comparison.evaluated;
}

std::string first_difference(std::span<const CascadeResult> expected, std::span<const CascadeResult> found) {
    if (expected.size() != found.size()) {
        return std::to_string(expected.size()) + " images expected, " + std::to_string(found.size()) +
               " found";
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        std::string difference = first_difference(expected[i].windows, found[i].windows, "window");
        if (difference.empty()) {
            difference = first_difference(expected[i].groups, found[i].groups, "group");
        }
        if (!difference.empty()) return "image " + std::to_string(i) + ", " + difference;
    }
    return {};
}

std::size_t count_findings(std::span<const CascadeResult> findings) {
    std::size_t count = 0;
    for (const CascadeResult& image : findings) count += image.windows.size() + image.groups.size();
    return count;
}

std::vector<GreyView> views_of(std::span<const GreyImage> images) {
    std::vector<GreyView> views;
    for (const GreyImage& image : images) views.push_back(image.view());
    return views;
}

Cascade made_cascade(Size window, const std::vector<Stage>& stages) {
    return parse_cascade(haar_cascade_xml(window, stages), "made for a test");
}

Cascade named_cascade(const std::string& name) {
    return read_cascade(find_model(name));
}

Cascade permissive(Cascade cascade) {
    for (CascadeStage& stage : cascade.stages) stage.threshold = -1e30F;
    return cascade;
}

Cascade first_stages(Cascade cascade, std::size_t stages) {
    cascade.stages.resize(stages);
    return cascade;
}

}  // namespace fovea::test
