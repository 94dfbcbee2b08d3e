#include "services/synthesis/witness/runner/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace penstock::synthesis::runner {
namespace {

constexpr const char* output_name = "tool.log";

/// In the child: becomes the tool, or ends with 127.
[[noreturn]] void become(const std::filesystem::path& folder, std::vector<char*>& arguments) {
  // wasm2c and compilers are killed with the runner (their own children end by their limits).
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string temporary = "TMPDIR=" + folder.string();
  const char* environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", temporary.c_str(), nullptr};
  if (::chdir(folder.c_str()) == 0) {
    const int output = ::open(output_name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output >= 0) {
      ::dup2(output, STDOUT_FILENO);
      ::dup2(output, STDERR_FILENO);
      ::execve(arguments[0], arguments.data(), const_cast<char**>(environment));
    }
  }
  ::_exit(127);
}

std::string beginning_of(const std::filesystem::path& path) {
  static constexpr std::size_t shown = 600;
  std::ifstream file(path, std::ios::binary);
  std::string text(shown, '\0');
  file.read(text.data(), static_cast<std::streamsize>(shown));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

ToolOutcome run_child(const std::filesystem::path& folder, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) become(folder, arguments);
  if (child < 0) return {false, std::strerror(errno)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {false, std::strerror(errno)};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {true, {}};
  std::string text = beginning_of(folder / output_name);
  if (WIFSIGNALED(status)) text = "killed by signal " + std::to_string(WTERMSIG(status)) + " " + text;
  return {false, text};
}

}  // namespace penstock::synthesis::runner
