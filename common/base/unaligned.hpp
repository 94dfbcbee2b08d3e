// Views of records inside a mapped file: no alignment is assumed, every element is copied out on access.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace penstock {

/// A view of `size()` records of type T in bytes that the caller keeps alive. A T[] converts implicitly.
template <class T>
class UnalignedSpan {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  UnalignedSpan() = default;
  /// Trailing bytes that do not fill a record are ignored: the reader has refused them before.
  explicit UnalignedSpan(std::span<const std::byte> bytes)
      : data_(bytes.data()), size_(bytes.size() / sizeof(T)) {}
  UnalignedSpan(std::span<const T> records)
      : data_(reinterpret_cast<const std::byte*>(records.data())), size_(records.size()) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T operator[](std::size_t index) const {
    T record;
    std::memcpy(&record, data_ + index * sizeof(T), sizeof(T));
    return record;
  }
  [[nodiscard]] UnalignedSpan subspan(std::size_t first, std::size_t count) const {
    UnalignedSpan part;
    part.data_ = data_ + first * sizeof(T);
    part.size_ = count;
    return part;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_ * sizeof(T)}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace penstock
