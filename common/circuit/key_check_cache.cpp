// The folder is believed only when it is a real directory of ours that nobody else can enter: otherwise
// another user could make us skip the check of a key. An entry is a small file of ours, named by the hash of
// a content or of a file's stamp, holding the version of the check it passed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "common/circuit/proving_key.hpp"

namespace penstock::circuit {
namespace {

/// Grows when check_points() learns to refuse more.
constexpr std::string_view check_version = "1\n";
constexpr mode_t others_bits = S_IRWXG | S_IRWXO;
constexpr std::size_t hash_digits = 64;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool is_hash(const std::string& text) {
  return text.size() == hash_digits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// The folder's descriptor, or an invalid one when the folder is not ours alone (a symlink is refused).
Descriptor trusted_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat facts {};
  if (descriptor >= 0 && ::fstat(descriptor, &facts) == 0 && facts.st_uid == ::geteuid() &&
      (facts.st_mode & others_bits) == 0)
    return Descriptor(descriptor);
  if (descriptor >= 0) ::close(descriptor);
  return Descriptor(-1);
}

}  // namespace

bool KeyCheckCache::contains(const std::string& name) const {
  if (!is_hash(name)) return false;
  const auto folder = trusted_folder(folder_);
  if (!folder.valid()) return false;
  const Descriptor entry(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!entry.valid() || ::fstat(entry.get(), &facts) != 0) return false;
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & others_bits) != 0)
    return false;
  char found[check_version.size()];
  return ::read(entry.get(), found, sizeof(found)) == static_cast<ssize_t>(sizeof(found)) &&
         std::string_view(found, sizeof(found)) == check_version;
}

void KeyCheckCache::remember(const std::string& name) const {
  if (!is_hash(name)) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_.parent_path(), ignored);
  ::mkdir(folder_.c_str(), S_IRWXU);
  const auto folder = trusted_folder(folder_);
  if (!folder.valid()) return;
  ::unlinkat(folder.get(), name.c_str(), 0);  // an entry of an older check
  const Descriptor entry(::openat(folder.get(), name.c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!entry.valid()) return;
  // A failed write leaves an entry that contains() does not believe: the check is only repeated.
  [[maybe_unused]] const auto written = ::write(entry.get(), check_version.data(), check_version.size());
}

}  // namespace penstock::circuit
