#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/recognise/recogniser.hpp"

namespace fovea {

/// Describes faces on the host by a recogniser's features.
class FaceDescriber {
  public:
    explicit FaceDescriber(RecogniserConfig config);

    /// The description of a face; empty if its eyes are not known, or at one place.
    std::vector<std::uint16_t> describe(const GreyImage& image, const std::vector<Point>& landmarks) const;
    /// The distance of two descriptions; smaller is more alike.
    double distance(const std::vector<std::uint16_t>& first, const std::vector<std::uint16_t>& second) const;

  private:
    Recogniser recogniser_;
};

/// The distance up to which a recogniser's faces are taken for one person by default: its threshold at
/// rejoin_far; nothing if that was not measured.
std::optional<double> default_rejoin_distance(const RecogniserConfig& recogniser);

/// Descriptions of the persons of a sequence, by which a person is recognised later.
class PersonMemory {
  public:
    /// \param describer must outlive this. \param max_distance of faces of one person.
    PersonMemory(const FaceDescriber& describer, double max_distance)
        : describer_(describer), max_distance_(max_distance) {}

    /// The person nearest to a face, among persons that are not in use; 0 if nobody is near enough.
    int find(const std::vector<std::uint16_t>& face, const std::set<int>& in_use) const;
    /// Adds a description of a person; the first max_looks are kept.
    void add(int person, std::vector<std::uint16_t> face);

  private:
    static constexpr std::size_t max_looks = 8;

    const FaceDescriber& describer_;
    const double max_distance_;
    std::map<int, std::vector<std::vector<std::uint16_t>>> looks_;
};

}  // namespace fovea
