// The streams and events with which one lane runs parts of a proof beside each other.
#pragma once

#include <array>

#include "cuda/device/stream.hpp"

namespace penstock::cuda {

struct LaneStreams {
  Stream main;  ///< everything that is not said below, and what the lane waits for
  Stream digits{Stream::Priority::urgent};        ///< the next digits, beside the sums of the ones before
  static constexpr std::size_t sums_at_once = 4;  ///< c, a, b1, b2; h runs in main
  std::array<Stream, sums_at_once> sums;

  Event staged{Event::Use::ordering};  ///< the witness is on the device, the findings are on the host
  Event begun{Event::Use::ordering};   ///< the device is this lane's; later: the H scalars are there
  std::array<Event, 2> prepared{Event{Event::Use::ordering}, Event{Event::Use::ordering}};  ///< digits sorted
  std::array<Event, 2> used{Event{Event::Use::ordering}, Event{Event::Use::ordering}};      ///< … and added
  std::array<Event, sums_at_once> done{Event{Event::Use::ordering}, Event{Event::Use::ordering},
                                       Event{Event::Use::ordering}, Event{Event::Use::ordering}};
};

}  // namespace penstock::cuda
