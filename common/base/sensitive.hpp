// Sensitive<T>: a secret (witness, r, s). It has no formatter and is wiped when it dies.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/large_vector.hpp"

namespace penstock {

/// Overwrites memory with zeros in a way the compiler may not remove.
void wipe(std::span<std::byte> memory) noexcept;

template <class T>
class Sensitive {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Sensitive() = default;
  explicit Sensitive(const T& secret) : secret_(secret) {}
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;
  Sensitive(Sensitive&& other) noexcept : secret_(other.secret_) { other.clear(); }
  Sensitive& operator=(Sensitive&& other) noexcept {
    if (this != &other) {
      secret_ = other.secret_;
      other.clear();
    }
    return *this;
  }
  ~Sensitive() { clear(); }

  [[nodiscard]] const T& reveal() const { return secret_; }
  [[nodiscard]] T& reveal() { return secret_; }
  void clear() noexcept { wipe(std::as_writable_bytes(std::span<T>(&secret_, 1))); }

 private:
  T secret_{};
};

/// Wipes all memory it gives back: what a growing vector leaves behind, and what lies beyond its size.
template <class T>
class WipingAllocator : public LargeAllocator<T> {
 public:
  using value_type = T;
  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert
  void deallocate(T* memory, std::size_t count) noexcept {
    wipe(std::as_writable_bytes(std::span<T>(memory, count)));
    LargeAllocator<T>::deallocate(memory, count);
  }
};

/// A LargeVector whose content tells a secret.
template <class T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

/// A secret buffer of fixed size, zeros at first, wiped on destruction. It cannot grow, so no reallocation
/// leaves a copy behind.
template <class T>
class SensitiveVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SensitiveVector() = default;
  explicit SensitiveVector(std::size_t size) : data_(size, T{}) {}
  SensitiveVector(const SensitiveVector&) = delete;
  SensitiveVector& operator=(const SensitiveVector&) = delete;
  SensitiveVector(SensitiveVector&& other) noexcept : data_(std::move(other.data_)) { other.data_.clear(); }
  SensitiveVector& operator=(SensitiveVector&& other) noexcept {
    if (this != &other) {
      clear();
      data_ = std::move(other.data_);
      other.data_.clear();
    }
    return *this;
  }
  ~SensitiveVector() { clear(); }

  void clear() noexcept {
    wipe(std::as_writable_bytes(std::span<T>(data_)));
    data_.clear();
  }
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  [[nodiscard]] std::span<const T> reveal() const { return data_; }
  [[nodiscard]] std::span<T> reveal() { return data_; }

 private:
  LargeVector<T> data_;
};

}  // namespace penstock
