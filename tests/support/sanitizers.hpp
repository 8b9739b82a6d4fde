#pragma once

// GCC tells of its sanitizers by macros, Clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOVEA_HAS_SANITIZER true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FOVEA_HAS_SANITIZER true
#endif
#endif
#ifndef FOVEA_HAS_SANITIZER
#define FOVEA_HAS_SANITIZER false
#endif

namespace fovea::test {

/// True in builds with the address or the thread sanitizer. These need terabytes of address space, end the
/// program where memory is lacking, and let no library be loaded before their own.
inline constexpr bool has_sanitizer = FOVEA_HAS_SANITIZER;

}  // namespace fovea::test

#undef FOVEA_HAS_SANITIZER
