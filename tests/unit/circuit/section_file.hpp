// A container file taken apart, so that tests can break one thing at a time and put it together again.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"
#include "common/circuit/witness.hpp"
#include "tests/unit/circuit/vectors.hpp"

namespace penstock::circuit::testing {

template <class Integer>
std::string little_endian(Integer value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
template <class Integer>
Integer read_at(const std::string& bytes, std::size_t place) {
  Integer value;
  std::memcpy(&value, bytes.data() + place, sizeof(value));
  return value;
}

struct SectionFile {
  static constexpr std::size_t header_bytes = 12;
  static constexpr std::size_t section_header_bytes = 12;
  struct Part {
    std::uint32_t type;
    std::string payload;
  };
  std::string magic;
  std::uint32_t version = 0;
  std::vector<Part> parts;

  static SectionFile take_apart(const std::string& bytes) {
    SectionFile file{bytes.substr(0, 4), read_at<std::uint32_t>(bytes, 4), {}};
    for (std::size_t place = header_bytes; place < bytes.size();) {
      const auto size = read_at<std::uint64_t>(bytes, place + 4);
      file.parts.push_back(
          {read_at<std::uint32_t>(bytes, place), bytes.substr(place + section_header_bytes, size)});
      place += section_header_bytes + size;
    }
    return file;
  }
  [[nodiscard]] std::string bytes() const {
    std::string out =
        magic + little_endian(version) + little_endian(static_cast<std::uint32_t>(parts.size()));
    for (const auto& part : parts)
      out += little_endian(part.type) + little_endian(std::uint64_t{part.payload.size()}) + part.payload;
    return out;
  }
  std::string& payload(std::uint32_t type) {
    for (auto& part : parts)
      if (part.type == type) return part.payload;
    throw std::out_of_range("no such section in the test's file");
  }
  /// Where the payload lies in bytes().
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t type) const {
    std::uint64_t place = header_bytes;
    for (const auto& part : parts) {
      place += section_header_bytes;
      if (part.type == type) return place;
      place += part.payload.size();
    }
    throw std::out_of_range("no such section in the test's file");
  }
  /// Overwrites bytes of a section's payload.
  void poke(std::uint32_t type, std::size_t place, std::string_view bytes) {
    payload(type).replace(place, bytes.size(), bytes);
  }
};

/// A file of the test's own, gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content)
      : path_(std::filesystem::temp_directory_path() / ("penstock-test-" + random_uuid())) {
    std::ofstream out(path_, std::ios::binary);  // not NewFile: thousands of flushes to the disk take minutes
    out << content;
    if (!out.flush()) ADD_FAILURE() << "cannot write " << path_;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A format and how its reader is called; one row makes a format part of every container test.
struct Format {
  std::string_view extension;
  std::vector<std::uint32_t> required;
  Status (*open)(const std::filesystem::path& path);
};

template <class T>
Status status_of(const Result<T>& result) {
  return result.ok() ? Status() : Status(result.error());
}

inline const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"wtns", {1, 2}, [](const std::filesystem::path& path) { return status_of(Witness::read(path)); }},
      {"zkey",
       {1, 2, 3, 4, 5, 6, 7, 8, 9},
       [](const std::filesystem::path& path) { return status_of(ProvingKey::open(path)); }},
      {"r1cs", {1, 2}, [](const std::filesystem::path& path) { return status_of(R1cs::open(path)); }},
  };
  return all;
}

inline Status open_bytes(const Format& format, std::string_view bytes) {
  const TemporaryFile file(bytes);
  return format.open(file.path());
}

}  // namespace penstock::circuit::testing
