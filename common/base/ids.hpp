// Strong identifiers. A string inside an Id was produced by us or checked by parse().
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace penstock {

template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  auto operator<=>(const Id&) const = default;

 private:
  std::string text_;
};

using CircuitId = Id<struct CircuitIdTag>;      ///< 64 hex digits: SHA-256 over what proves the circuit
using JobId = Id<struct JobIdTag>;              ///< sortable by time of admission
using Incarnation = Id<struct IncarnationTag>;  ///< a fresh uuid per boot of a process
using WorkerName = Id<struct WorkerNameTag>;    ///< a worker's stable name

/// Grows with every lease of a partition or slab: an older token is fenced off.
enum class FencingToken : std::uint64_t {};

/// A random version-4 UUID from the operating system's generator.
[[nodiscard]] std::string random_uuid();

/// True for 1..64 characters of [A-Za-z0-9_.-] that do not begin with a dot: safe as a name and a path
/// component.
[[nodiscard]] bool is_safe_name(std::string_view text);

}  // namespace penstock

template <class Tag>
struct std::hash<penstock::Id<Tag>> {
  std::size_t operator()(const penstock::Id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.text());
  }
};
