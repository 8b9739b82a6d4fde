#pragma once

#include <stdexcept>
#include <system_error>

#include <fovea/error.hpp>

#include "kernels/core/device.hpp"
#include "lib/files/thread_shortage.hpp"

namespace fovea::api {

/// Runs work of the library. DeviceError and exceptions of the standard library, but std::bad_alloc, become
/// an Error with the same sentence.
template <class Work>
decltype(auto) guarded(const Work& work) {
    try {
        return work();
    } catch (const DeviceError& error) {
        throw Error(error.what());
    } catch (const std::system_error& error) {
        throw Error(is_lack_of_threads(error) ? no_thread : error.what());
    } catch (const std::length_error& error) {
        throw Error(error.what());
    } catch (const std::invalid_argument& error) {
        throw Error(error.what());
    }
}

}  // namespace fovea::api
