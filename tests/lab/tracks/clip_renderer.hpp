#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/track/similarity.hpp"
#include "tests/lab/tracks/clip_plan.hpp"
#include "tests/lab/tracks/cut_out.hpp"
#include "tests/lab/tracks/face_path.hpp"

namespace fovea {

/// A face as it is in a frame.
struct TrueFace {
    int number = 0;      ///< of the face in its clip, from 0
    Face face;           ///< box (moved and scaled, not turned) and landmarks
    double visible = 1;  ///< share of the landmarks' box that is in the frame and not covered
};

/// Draws the frames of a clip and states where its faces are. Equal plans and photographs give equal frames.
///
/// A pixel is a place in the photograph (the face's similarity, backwards) with a bilinear value, so that
/// what is drawn lies where the similarity puts it. Faces of higher numbers are in front. The background is
/// a photograph upside down, in tiles of a fifth of a face that have changed their places: the texture is
/// natural, and no face is in it.
class ClipRenderer {
  public:
    /// \param cut_outs with at least one face if the plan has faces; they are taken in a random order, again
    /// from the first if there are too few.
    ClipRenderer(const ClipPlan& plan, const CutOuts& cut_outs);

    const ClipPlan& plan() const { return plan_; }

    /// \param number from 0 to plan().frames - 1
    GreyImage frame(int number) const;
    std::vector<TrueFace> truth(int number) const;

    /// The movement of a face from its photograph to the frame at a time.
    Similarity movement(int face, double time) const;

  private:
    struct Actor {
        CutOut cut_out;
        double scale = 1;  // from the photograph to a face of the plan's width
        FacePath path;
    };
    using Picture = std::vector<float>;

    void draw_background(const PhotoLevels& photo);
    void draw_head(const Actor& actor, double time, Picture& picture) const;
    void draw_bar(double time, Picture& picture) const;
    double bar_left(double time) const;
    bool is_covered(std::size_t face, const Point& place, double time) const;
    double visible_share(std::size_t face, double time) const;
    static Similarity movement(const Actor& actor, double time);

    ClipPlan plan_;
    std::vector<Actor> actors_;
    Picture background_;
};

/// A similarity backwards.
Similarity inverse_of(const Similarity& similarity);

}  // namespace fovea
