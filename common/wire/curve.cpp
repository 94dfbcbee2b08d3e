#include "common/wire/curve.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "common/wire/file_handle.hpp"

namespace penstock::wire {
namespace {

using KeyText = std::array<char, curve_text_size + 1>;  // zmq adds a zero
constexpr std::size_t largest_key_file = 4096;
constexpr std::string_view public_word = "public = ", secret_word = "secret = ";

Error unreadable(const std::filesystem::path& path, const std::string& why) {
  return {
      .code = ErrorCode::file_unreadable, .what = "the key cannot be read: " + why, .file = path.string()};
}
Error no_key(const std::filesystem::path& path) {
  return {.code = ErrorCode::bad_format,
          .what = "this is no CURVE key",
          .hint = "penstock keygen makes them",
          .file = path.string()};
}

Result<SensitiveVector<char>> read_small(const std::filesystem::path& path, bool secret) {
  const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0) return unreadable(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode) || static_cast<std::size_t>(info.st_size) > largest_key_file)
    return no_key(path);
  if (secret && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error{.code = ErrorCode::insecure_key,
                 .what = "others may read this secret key",
                 .hint = "chmod 600",
                 .file = path.string()};
  SensitiveVector<char> text(static_cast<std::size_t>(info.st_size));
  const ssize_t size = ::read(file.get(), text.reveal().data(), text.size());
  if (size != static_cast<ssize_t>(text.size())) return unreadable(path, "it changed while it was read");
  return text;
}

/// What follows the word on its line.
std::string_view after(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  return rest.substr(0, rest.find_first_of("\r\n"));
}

Status write_new(const std::filesystem::path& path, mode_t mode, std::span<const char> text) {
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file.is_open())
    return Error{.code = errno == EEXIST ? ErrorCode::conflict : ErrorCode::file_unwritable,
                 .what = std::string("the key cannot be written: ") + std::strerror(errno),
                 .hint = errno == EEXIST ? "keys are not replaced: choose another name, or remove it" : "",
                 .file = path.string()};
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return Error{.code = ErrorCode::file_unwritable, .what = std::strerror(errno), .file = path.string()};
}

}  // namespace

bool is_curve_text(std::string_view text) {
  std::array<std::uint8_t, 32> bytes{};
  if (text.size() != curve_text_size || text.find('\0') != std::string_view::npos) return false;
  return zmq_z85_decode(bytes.data(), std::string(text).c_str()) != nullptr;
}

CurveKeys make_curve_keys() {
  KeyText public_text{}, secret_text{};
  if (zmq_curve_keypair(public_text.data(), secret_text.data()) != 0)
    throw std::runtime_error("this ZeroMQ was built without CURVE");
  CurveKeys keys{std::string(public_text.data(), curve_text_size), SensitiveVector<char>(curve_text_size)};
  std::copy_n(secret_text.begin(), curve_text_size, keys.secret_key.reveal().begin());
  wipe(std::as_writable_bytes(std::span(secret_text)));
  return keys;
}

Status write_curve_keys(const CurveKeys& keys, const std::filesystem::path& folder, const std::string& name) {
  const std::string head =
      "# penstock CURVE key " + name + "\n" + std::string(public_word) + keys.public_key + "\n";
  SensitiveVector<char> both(head.size() + secret_word.size() + curve_text_size + 1);
  auto at = std::copy(head.begin(), head.end(), both.reveal().begin());
  at = std::copy(secret_word.begin(), secret_word.end(), at);
  at = std::copy(keys.secret_key.reveal().begin(), keys.secret_key.reveal().end(), at);
  *at = '\n';
  PENSTOCK_TRY(write_new(folder / (name + ".key"), S_IRUSR | S_IWUSR, both.reveal()));
  return write_new(folder / (name + ".pub"), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH, std::span(head));
}

Result<std::shared_ptr<const CurveKeys>> read_curve_keys(const std::filesystem::path& file) {
  const auto text = PENSTOCK_TRY(read_small(file, true));
  const std::string_view view(text.reveal().data(), text.size());
  const std::string_view public_key = after(view, public_word), secret_key = after(view, secret_word);
  if (!is_curve_text(public_key) || !is_curve_text(secret_key)) return no_key(file);
  auto keys = std::make_shared<CurveKeys>();
  keys->public_key = public_key;
  keys->secret_key = SensitiveVector<char>(curve_text_size);
  std::copy(secret_key.begin(), secret_key.end(), keys->secret_key.reveal().begin());
  return std::shared_ptr<const CurveKeys>(std::move(keys));
}

Result<std::string> read_curve_public(const std::string& file_or_key) {
  if (is_curve_text(file_or_key)) return file_or_key;
  const auto text = PENSTOCK_TRY(read_small(file_or_key, false));
  const std::string key(after({text.reveal().data(), text.size()}, public_word));
  if (!is_curve_text(key)) return no_key(file_or_key);
  return key;
}

Result<std::set<std::string>> read_curve_clients(const std::filesystem::path& folder) {
  std::set<std::string> clients;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".pub")
      clients.insert(PENSTOCK_TRY(read_curve_public(entry.path().string())));
  if (failed) return unreadable(folder, failed.message());
  if (!clients.empty()) return clients;
  return Error{.code = ErrorCode::bad_format,
               .what = "no .pub file is here: nobody could connect",
               .hint = "penstock keygen NAME makes one for each client",
               .file = folder.string()};
}

}  // namespace penstock::wire
