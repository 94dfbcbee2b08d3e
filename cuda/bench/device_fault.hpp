// Breaks the device's context as a stray pointer in a kernel would: for tests of what happens then.
// The error is sticky: nothing in this process uses the device again.
#pragma once

#include "cuda/device/stream.hpp"

namespace penstock::cuda {

/// Enqueues a kernel that writes to an address that is nobody's; waits. The fault is not thrown: whoever uses
/// the device next meets it. Errors: CudaError when the kernel cannot be launched.
void provoke_fault(const Stream& stream);

}  // namespace penstock::cuda
