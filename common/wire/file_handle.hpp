// A file descriptor and a memory mapping that close themselves. Threads: one owner at a time.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <utility>

namespace penstock::wire {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

class MemoryMap {
 public:
  MemoryMap() = default;
  /// Owns what mmap returned; MAP_FAILED is an empty map.
  MemoryMap(void* address, std::size_t size_bytes)
      : address_(address == MAP_FAILED ? nullptr : address),
        size_bytes_(address_ == nullptr ? 0 : size_bytes) {}
  MemoryMap(MemoryMap&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  MemoryMap& operator=(MemoryMap&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;
  ~MemoryMap() {
    if (address_ != nullptr) ::munmap(address_, size_bytes_);
  }
  [[nodiscard]] bool is_mapped() const { return address_ != nullptr; }
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(address_), size_bytes_};
  }

 private:
  void* address_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace penstock::wire
