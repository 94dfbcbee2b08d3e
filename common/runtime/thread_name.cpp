#include "common/runtime/thread_name.hpp"

#include <pthread.h>

namespace penstock::runtime {

void name_this_thread(const std::string& name) {
  constexpr std::size_t longest = 15;
  static_cast<void>(pthread_setname_np(pthread_self(), name.substr(0, longest).c_str()));
}

}  // namespace penstock::runtime
