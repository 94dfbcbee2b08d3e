// Anonymous memory that two processes can map: how a witness leaves the child that computed it, without the
// disk and without a copy. Ownership: move-only; wiped and unmapped on destruction. Errors: out_of_memory,
// internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/base/result.hpp"

namespace penstock::synthesis {

/// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  void close() noexcept;

 private:
  int number_ = -1;
};

class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// A file without a name; its size is zero until map() gives it one.
  [[nodiscard]] static Result<Descriptor> create_file(const char* label);
  /// Sizes the file for good (sealed: nobody can shrink it under a reader) and maps it read-write.
  [[nodiscard]] static Result<SharedMemory> size_and_map(const Descriptor& file, std::uint64_t size_bytes);

  [[nodiscard]] std::span<std::byte> bytes() { return {data_, size_bytes_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }

 private:
  SharedMemory(std::byte* data, std::size_t size_bytes) : data_(data), size_bytes_(size_bytes) {}
  void release() noexcept;
  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace penstock::synthesis
