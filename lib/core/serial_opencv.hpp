#pragma once

namespace fovea {

/// While it lives, OpenCV's loops that this thread starts run on this thread alone. OpenCV's networks divide
/// their work by the number of threads, on which the last digits of some results depend; within this scope
/// they do not. Other threads are not affected.
class SerialOpenCv {
  public:
    SerialOpenCv();
    ~SerialOpenCv();
    SerialOpenCv(const SerialOpenCv&) = delete;
    SerialOpenCv& operator=(const SerialOpenCv&) = delete;

    /// Makes OpenCV respect these scopes. Call it before the first scope, while no loop of OpenCV runs. All
    /// other loops run as before, on TBB.
    static void prepare();

  private:
    bool before_;
};

}  // namespace fovea
