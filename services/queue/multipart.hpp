// multipart/form-data (RFC 7578), for bodies from anybody.
// Shape: views into the body, which the caller keeps alive; nothing is copied.
// Errors: bad_request (not multipart, a bad boundary, a part without a name, an end that is missing),
//   body_too_large (more parts or longer headers than the limits).
// Cost: one pass over the body; memory only for the list of parts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::queue {

struct MultipartLimits {
  std::size_t max_parts = 1025;
  std::size_t max_header_bytes = 4096;  ///< of one part
};

struct Part {
  std::string_view name;
  std::string_view filename;  ///< as given; never a path to open
  std::string_view content;
};

/// `content_type`: the request's header, "multipart/form-data; boundary=...".
[[nodiscard]] Result<std::vector<Part>> parse_multipart(std::string_view content_type, std::string_view body,
                                                        const MultipartLimits& limits);

}  // namespace penstock::queue
