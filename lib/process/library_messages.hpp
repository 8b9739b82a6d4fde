#pragma once

#include <cstdio>
#include <string_view>

namespace fovea {

/// Diverts what libraries write to C's and C++'s streams of standard error, past any log, to the function of
/// take_library_messages(). Descriptor 2 stays open for this program's messages, and for the C library or a
/// sanitizer that ends the process. If abort() ends the process, the libraries' last line is shown. Call
/// it once.
void divert_library_messages();

/// From now on, `take` gets each line that a library writes; null, as at first, drops them.
void take_library_messages(void (*take)(std::string_view line));

/// The stream of standard error for this program's own messages.
std::FILE* message_stream();

}  // namespace fovea
