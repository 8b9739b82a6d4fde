#pragma once

#include <cstdio>
#include <string_view>

namespace fovea {

/// Takes C's and C++'s streams of standard error away from libraries, some of which write there on their own,
/// past any log. Their text goes to take_library_messages(). Descriptor 2 stays what it is: for this
/// program's messages, and for what the C library or a sanitizer says when it ends the process. The last line
/// that a library wrote is shown if abort() ends the process. Call this once.
void divert_library_messages();

/// From now on, `take` gets each line that a library writes; null, as at first: nobody does.
void take_library_messages(void (*take)(std::string_view line));

/// Standard error for this program's own messages.
std::FILE* message_stream();

}  // namespace fovea
