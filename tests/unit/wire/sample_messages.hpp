// One filled-in value of every message, for round trips and for bytes to damage.
#pragma once

#include <vector>

#include "common/wire/messages.hpp"

namespace penstock::wire::test {

/// In the order of the variant; every field differs from its default.
[[nodiscard]] std::vector<Message> sample_messages();
[[nodiscard]] PartitionRef sample_partition();

}  // namespace penstock::wire::test
