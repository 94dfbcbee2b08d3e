// Result<T>: an expected outcome, a value or an Error. Defects throw instead (style: conventions, 6).
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/error.hpp"

namespace penstock {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, T> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result> && std::is_convertible_v<U&&, T>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(); otherwise throws std::bad_variant_access.
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T value() && { return std::move(std::get<0>(state_)); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  // REQUIRES: !ok(); otherwise throws std::bad_variant_access.
  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
  [[nodiscard]] Error error() && { return std::move(std::get<1>(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  void value() const& { static_cast<void>(!error_ || (throw std::bad_variant_access(), true)); }
  [[nodiscard]] const Error& error() const& { return error_.value(); }
  [[nodiscard]] Error error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace penstock

/// `auto x = PENSTOCK_TRY(expression);` yields the value, or returns the error from the enclosing function.
#define PENSTOCK_TRY(...)                                                         \
  ({                                                                              \
    auto&& penstock_try_result = (__VA_ARGS__);                                   \
    if (!penstock_try_result.ok()) return std::move(penstock_try_result).error(); \
    std::move(penstock_try_result).value();                                       \
  })
