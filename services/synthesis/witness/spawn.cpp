#include "services/synthesis/witness/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "services/synthesis/witness/runner_process.hpp"
#include "services/synthesis/witness/shared_memory.hpp"

namespace penstock::synthesis {
namespace {

/// Above every number that a child is given, so that no copy overwrites another's source.
constexpr int first_free_descriptor = 64;

class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  [[nodiscard]] bool pass(const PassedDescriptor& descriptor) {
    Descriptor copy(::fcntl(descriptor.ours, F_DUPFD_CLOEXEC, first_free_descriptor));
    if (!copy.open()) return false;
    ::posix_spawn_file_actions_adddup2(&actions_, copy.number(), descriptor.theirs);
    copies_.push_back(std::move(copy));
    return true;
  }
  [[nodiscard]] int start(pid_t& child, char** arguments) {
    char* environment[] = {nullptr};
    return ::posix_spawn(&child, arguments[0], &actions_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<Descriptor> copies_;
};

}  // namespace

Result<pid_t> spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                    const std::vector<PassedDescriptor>& descriptors) {
  std::string name = program.string();
  std::vector<char*> list{name.data()};
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  SpawnPlan plan;
  for (const PassedDescriptor& descriptor : descriptors)
    if (descriptor.ours >= 0 && !plan.pass(descriptor))
      return Error{ErrorCode::internal, std::string("too many open files: ") + std::strerror(errno)};
  pid_t child = -1;
  if (const int failed = plan.start(child, list.data()); failed != 0)
    return Error{ErrorCode::internal,
                 std::string("cannot start the witness runner: ") + std::strerror(failed),
                 "install the whole of Penstock", name};
  return child;
}

Result<std::filesystem::path> find_runner(const std::filesystem::path& configured) {
  static constexpr const char* name = "penstock-witness-runner";
  std::error_code error;
  std::vector<std::filesystem::path> places;
  if (!configured.empty()) {
    places = {configured};
  } else {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    places = {folder / name, folder.parent_path() / "libexec" / "penstock" / name};
  }
  for (const auto& place : places)
    if (::access(place.c_str(), X_OK) == 0) return place;
  return Error{ErrorCode::not_found, "penstock-witness-runner is missing", "it belongs beside the program",
               places.front().string()};
}

}  // namespace penstock::synthesis
