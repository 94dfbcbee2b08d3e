// The name of a thread, as ps, top and gdb show it.
#pragma once

#include <string>

namespace penstock::runtime {

/// Cut to the 15 characters that the kernel keeps.
void name_this_thread(const std::string& name);

}  // namespace penstock::runtime
