#include "common/circuit/binary_container.hpp"

#include <algorithm>
#include <string>

namespace penstock::circuit {
namespace {

Error at(std::uint64_t offset, ErrorCode code, std::string what, std::string hint = {}) {
  return Error{.code = code, .what = std::move(what), .hint = std::move(hint), .offset = offset};
}

Status check_kind(ByteCursor& cursor, const ContainerKind& kind) {
  const auto magic = PENSTOCK_TRY(cursor.take(kind.magic.size()));
  const std::string expected(kind.magic);
  if (!std::equal(magic.begin(), magic.end(), std::as_bytes(std::span(expected)).begin()))
    return at(0, ErrorCode::bad_magic, "the file does not begin with \"" + expected + "\"",
              "is this really a ." + expected + " file?");
  const auto version_offset = cursor.file_offset();
  const auto version = PENSTOCK_TRY(cursor.u32());
  if (version != kind.version)
    return at(version_offset, ErrorCode::unsupported_version,
              expected + " version " + std::to_string(version) + " is not supported",
              "version " + std::to_string(kind.version) + " is");
  return {};
}

}  // namespace

ByteCursor Section::cursor() const {
  return {bytes, offset, "section " + std::to_string(type), ErrorCode::size_mismatch};
}

Result<BinaryContainer> BinaryContainer::parse(std::span<const std::byte> bytes, const ContainerKind& kind) {
  ByteCursor cursor(bytes, 0, "the file", ErrorCode::file_truncated);
  PENSTOCK_TRY(check_kind(cursor, kind));
  const auto count_offset = cursor.file_offset();
  const auto count = PENSTOCK_TRY(cursor.u32());
  if (count > max_sections)
    return at(
        count_offset, ErrorCode::count_out_of_range,
        std::to_string(count) + " sections announced, at most " + std::to_string(max_sections) + " are read");

  BinaryContainer container;
  container.sections_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto header_offset = cursor.file_offset();
    const auto type = PENSTOCK_TRY(cursor.u32());
    const auto size = PENSTOCK_TRY(cursor.u64());
    if (container.find(type) != nullptr)
      return at(header_offset, ErrorCode::section_duplicate,
                "section " + std::to_string(type) + " occurs twice");
    if (size > cursor.remaining())
      return at(header_offset, ErrorCode::file_truncated,
                "section " + std::to_string(type) + " announces " + std::to_string(size) +
                    " bytes, the file has " + std::to_string(cursor.remaining()) + " left",
                "was the file copied whole?");
    const auto payload_offset = cursor.file_offset();
    const auto payload = PENSTOCK_TRY(cursor.take(size));
    container.sections_.push_back({type, payload_offset, payload});
  }
  PENSTOCK_TRY(cursor.expect_end());
  return container;
}

const Section* BinaryContainer::find(std::uint32_t type) const {
  const auto found = std::ranges::find(sections_, type, &Section::type);
  return found == sections_.end() ? nullptr : &*found;
}

Result<Section> BinaryContainer::require(std::uint32_t type) const {
  if (const auto* section = find(type)) return *section;
  return Error{.code = ErrorCode::section_missing, .what = "section " + std::to_string(type) + " is missing"};
}

Status expect_records(const Section& section, std::uint64_t count, std::uint64_t record_bytes) {
  const std::uint64_t size = section.bytes.size();
  if (size % record_bytes == 0 && size / record_bytes == count) return {};
  return at(section.offset, ErrorCode::size_mismatch,
            "section " + std::to_string(section.type) + " holds " + std::to_string(size) + " bytes, " +
                std::to_string(count) + " records of " + std::to_string(record_bytes) +
                " bytes were announced");
}

}  // namespace penstock::circuit
