#include "services/synthesis/witness/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/base/sensitive.hpp"

namespace penstock::synthesis {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

SharedMemory::~SharedMemory() {
  release();
}

void SharedMemory::release() noexcept {
  if (data_ == nullptr) return;
  wipe(bytes());
  ::munmap(data_, size_bytes_);
  data_ = nullptr;
  size_bytes_ = 0;
}

Result<Descriptor> SharedMemory::create_file(const char* label) {
  const int number = ::memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (number < 0)
    return Error{ErrorCode::internal, std::string("memfd_create failed: ") + std::strerror(errno)};
  return Descriptor(number);
}

Result<SharedMemory> SharedMemory::size_and_map(const Descriptor& file, std::uint64_t size_bytes) {
  if (::ftruncate(file.number(), static_cast<off_t>(size_bytes)) != 0 ||
      ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Error{ErrorCode::out_of_memory,
                 std::string("cannot reserve memory for a witness: ") + std::strerror(errno)};
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (data == MAP_FAILED)
    return Error{ErrorCode::out_of_memory, std::string("cannot map a witness: ") + std::strerror(errno)};
  return SharedMemory(static_cast<std::byte*>(data), size_bytes);
}

}  // namespace penstock::synthesis
