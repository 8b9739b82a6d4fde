#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/results/results.hpp"
#include "lib/results/tally.hpp"

namespace fovea::report {

/// A person that people.json names.
struct KnownPerson {
    int number = 0;
    std::string name;   ///< empty: unknown
    std::string image;  ///< of the face that stands for the person; empty: any
    Box box;            ///< of that face
};

/// A time in a video, in seconds.
struct TimeSpan {
    double from = 0;
    double to = 0;
};

/// The people of people.json, and when they are on screen.
struct KnownPeople {
    std::string id;  ///< of the file; empty: there is none
    std::vector<KnownPerson> people{};
    /// The times of tracks, by the image that has their face and their numbers.
    std::map<std::pair<std::string, int>, TimeSpan> tracks{};
};

/// An image of the page.
struct BrowseImage {
    std::string name;
    int width = 0;
    int height = 0;
    std::optional<double> seconds;  ///< the time of a frame in its video
    std::int64_t date = 0;          ///< seconds from the beginning of 1970; 0: not known
    bool has_camera_date = false;   ///< the date is EXIF's, else that of the file
    /// The address of the file as seen from the page, percent-encoded. It is empty if there is no file that
    /// a browser could show.
    std::string address;
};

/// A face of the page.
struct BrowseFace {
    std::uint32_t image = 0;  ///< in BrowseArchive::images
    std::uint32_t place = 0;  ///< among the detections of the image
    Box box;
    float score = 0;
    std::uint32_t person = 0;      ///< in BrowseArchive::people
    std::uint8_t apart = 0;        ///< in BrowseArchive::reasons
    std::uint64_t crop_at = 0;     ///< of the JPEG of the face, in a file of such
    std::uint32_t crop_bytes = 0;  ///< 0: the face has no picture
    /// The time of the face's track on screen, in seconds of its video; -1: not known.
    float from = -1;
    float to = -1;
};

/// Faces that belong together: a number of `fovea people`, or a name of `fovea identify`.
struct BrowsePerson {
    int number = 0;  ///< 0: has a name alone
    std::string name;
    std::size_t faces = 0;
    std::size_t cover = 0;  ///< the face that stands for the person
};

/// Images, faces and people, as a page shows them.
struct BrowseArchive {
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    std::string title;
    std::string id;  ///< KnownPeople::id
    std::vector<BrowseImage> images;
    std::vector<BrowseFace> faces;
    std::vector<BrowsePerson> people;
    std::vector<std::string> reasons{""};  ///< why faces are apart; the first one is no reason
    std::vector<UnreadableImage> unreadable;
    bool has_landmarks = false;
    bool has_times = false;  ///< of faces: BrowseFace::from
};

/// Gathers the images and faces of results, line by line.
class BrowseGatherer {
  public:
    /// \param known must outlive this.
    explicit BrowseGatherer(const KnownPeople& known);
    ~BrowseGatherer();

    /// \throws Error if there are more than 255 reasons for faces to be apart.
    void add(const ImageResult& result);
    BrowseArchive take();

  private:
    struct People;

    std::uint8_t reason_of(const std::string& apart);

    const KnownPeople& known_;
    BrowseArchive archive_;
    std::unique_ptr<People> people_;
};

/// Puts faces into the order of the page, and people too: those with the most faces first, of equally many
/// the lower number, or name. The faces of a person follow each other by their dates; faces with no person
/// come last, by reason and date. Finds the face that stands for each person: that of people.json, else
/// the one with the most of score times side.
void order_faces(BrowseArchive& archive, const KnownPeople& known);

}  // namespace fovea::report
