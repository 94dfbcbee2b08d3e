// Computes one witness: answers the service's frames with an engine. Threads: one. Leaves the process at the
// end.
#pragma once

#include "services/synthesis/witness/runner/engine.hpp"

namespace penstock::synthesis::runner {

[[noreturn]] void serve(Engine& engine);

}  // namespace penstock::synthesis::runner
