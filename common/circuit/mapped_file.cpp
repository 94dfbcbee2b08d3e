#include "common/circuit/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>
#include <utility>

#include "common/circuit/regular_file.hpp"

namespace penstock::circuit {
namespace {

Error unreadable(const std::filesystem::path& path, std::string why) {
  return Error{.code = ErrorCode::file_unreadable, .what = std::move(why), .file = path.string()};
}

}  // namespace

std::string system_error_text(int error_number) {
  return std::generic_category().message(error_number);
}

Result<RegularFile> RegularFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang; it has no effect on regular files.
  RegularFile file;
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file.descriptor_ < 0) return unreadable(path, "cannot open the file: " + system_error_text(errno));
  const std::int64_t now = std::time(nullptr);
  struct stat facts {};
  if (::fstat(file.descriptor_, &facts) != 0)
    return unreadable(path, "cannot examine the file: " + system_error_text(errno));
  if (!S_ISREG(facts.st_mode)) return unreadable(path, "not a regular file");
  struct statfs system {};
  if (::fstatfs(file.descriptor_, &system) != 0) system.f_type = 0;
  file.state_ = file_state(facts, static_cast<std::uint64_t>(system.f_type), now, ::geteuid());
  return file;
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), state_(other.state_) {}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto file = PENSTOCK_TRY(RegularFile::open(path));
  MappedFile mapped;
  mapped.path_ = path.string();
  mapped.state_ = file.state();
  if (file.size_bytes() == 0) return mapped;  // an empty mapping is an error to mmap, not to us
  void* memory = ::mmap(nullptr, file.size_bytes(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED) return unreadable(path, "cannot map the file: " + system_error_text(errno));
  mapped.data_ = static_cast<const std::byte*>(memory);
  mapped.size_ = file.size_bytes();
  return mapped;
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t begin = (first + page - 1) / page * page, end = (first + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      state_(other.state_),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(state_, other.state_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace penstock::circuit
