#include "common/runtime/build_info_generated.hpp"
#include "common/runtime/health.hpp"

namespace penstock::runtime {

BuildInfo build_info() {
  return {generated_version, generated_commit, generated_cuda};
}

}  // namespace penstock::runtime
