// Tells the thread sanitizer what ZeroMQ guarantees but does not show it: what a thread wrote into a frame
// before sending is seen by the thread that receives or frees it. Nothing in other builds. Included by .cpp
// files only.
#pragma once

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace penstock::wire {

inline void hand_over([[maybe_unused]] void* memory) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(memory);
#endif
}

inline void take_over([[maybe_unused]] void* memory) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(memory);
#endif
}

}  // namespace penstock::wire
