#include "services/cli/supervisor/supervisor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace penstock::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds news_interval{50};
constexpr milliseconds calm_interval{1000};
constexpr milliseconds stable_after{30'000};  // alive this long: earlier failures are forgotten
constexpr int hopeless_after = 6;             // starts in a row before it was ever ready
constexpr int usage_status = 2;
constexpr int told_unready_after = 3;  // answers in a row, a second apart

SteadyTime now() {
  return std::chrono::steady_clock::now();
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream log(file);
  std::string line, last;
  while (std::getline(log, line))
    if (!line.empty()) last = line;
  return last;
}

// A service that ends at once says why as `error[CODE] ...` on its last line.
ErrorCode code_in(const std::string& line) {
  const std::size_t open = line.find("error[");
  const std::size_t close = open == std::string::npos ? open : line.find(']', open);
  if (close == std::string::npos) return ErrorCode::internal;
  const std::size_t begin = open + std::string_view("error[").size();
  return error_code_from(std::string_view(line).substr(begin, close - begin)).value_or(ErrorCode::internal);
}

}  // namespace

SignalDescriptor::SignalDescriptor() {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  descriptor_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalDescriptor::~SignalDescriptor() {
  close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<ServiceAddress> read_address(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  const auto object = nlohmann::json::parse(stream, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  try {
    ServiceAddress address;
    address.name = object.value("name", "");
    address.kind = object.value("kind", "");
    address.pid = object.value("pid", std::int64_t{0});
    address.metrics = object.value("metrics", "");
    address.http = object.value("http", "");
    address.endpoints = object.value("endpoints", std::vector<std::string>{});
    return address;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

milliseconds restart_delay(int failures) {
  constexpr int doublings = 6;
  return std::min(milliseconds(200) * (1 << std::min(failures, doublings)), milliseconds(10'000));
}

Supervisor::Supervisor(SupervisorOptions options, std::vector<MemberSpec> members, SupervisorEvents events)
    : options_(std::move(options)),
      events_(std::move(events)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (auto& spec : members) {
    Member member;
    member.spec = std::move(spec);
    members_.push_back(std::move(member));
  }
}

Supervisor::~Supervisor() {
  close(wake_);
}

void Supervisor::drain() {
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof(one)) < 0) return;  // already asked: the counter stays readable
}

bool Supervisor::draining() const {
  pollfd asked{.fd = wake_, .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) == 1 || take_signal();
}

bool Supervisor::take_signal() const {
  signalfd_siginfo signal{};
  return options_.signals >= 0 && read(options_.signals, &signal, sizeof(signal)) == sizeof(signal);
}

Status Supervisor::run() {
  begun_at_ = now();
  Status outcome;
  while (outcome.ok() && !draining()) {
    outcome = start_due();
    if (outcome.ok()) outcome = reap();
    if (outcome.ok()) look_for_news();
    if (outcome.ok() && !said_ready_ && now() - begun_at_ > options_.ready_timeout)
      outcome = Error{.code = ErrorCode::deadline,
                      .what = "not every service became ready in time",
                      .hint = "see the logs in " + members_.front().spec.log.parent_path().string()};
    if (outcome.ok()) wait();
  }
  const Status ended = end_all();
  return outcome.ok() ? ended : outcome;
}

bool Supervisor::may_start(const Member& member) const {
  if (member.child || now() < member.start_at) return false;
  return std::all_of(members_.begin(), members_.end(), [&](const Member& other) {
    return !other.spec.first || other.spec.rank >= member.spec.rank || other.address || other.ever_ready;
  });
}

Status Supervisor::start_due() {
  for (auto& member : members_) {
    if (!may_start(member)) continue;
    member.child =
        PENSTOCK_TRY(ChildProcess::start({member.spec.program, member.spec.arguments(), member.spec.log}));
    member.started_at = now();
    member.ready = false;
  }
  return {};
}

Status Supervisor::reap() {
  for (auto& member : members_) {
    if (!member.child) continue;
    if (const auto end = member.child->reap()) PENSTOCK_TRY(on_end(member, *end));
  }
  return {};
}

Status Supervisor::on_end(Member& member, const ChildEnd& end) {
  const pid_t pid = member.child->pid();
  if (now() - member.started_at > stable_after) member.failures = 0;
  const bool hopeless =
      !member.ever_ready && (end.exit_status() == usage_status || member.failures + 1 >= hopeless_after);
  member.child.reset();
  member.address.reset();
  member.ready = false;
  if (hopeless) {
    const std::string last = last_line(member.spec.log);
    return Error{.code = code_in(last),
                 .what = fmt::format("{} {}: {}", member.spec.name, end.text(), last),
                 .hint = "its log says more",
                 .file = member.spec.log.string()};
  }
  const auto delay = restart_delay(member.failures++);
  member.start_at = now() + delay;
  events_.say(fmt::format("{} (pid {}) {}; starting it again in {:.1f} s", member.spec.name, pid, end.text(),
                          Seconds(delay).count()));
  return {};
}

void Supervisor::look_for_news() {
  for (auto& member : members_) {
    if (!member.child) continue;
    if (member.ready) {
      ask_again(member);
      continue;
    }
    if (!member.address) {
      auto address = read_address(options_.run / (member.spec.name + ".json"));
      if (!address || address->pid != member.child->pid()) continue;
      member.address = std::move(address);
      events_.announced(*member.address);
    }
    member.ready = events_.is_ready(*member.address);
    if (member.ready && member.ever_ready)
      events_.say(fmt::format("{} is ready again (pid {})", member.spec.name, member.child->pid()));
    member.ever_ready = member.ever_ready || member.ready;
  }
  const bool all = std::all_of(members_.begin(), members_.end(), [](const Member& m) { return m.ready; });
  if (said_ready_ || !all) return;
  said_ready_ = true;
  std::vector<ServiceAddress> addresses;
  for (const auto& member : members_) addresses.push_back(*member.address);
  events_.all_ready(addresses);
}

// A service may live and yet serve nobody: its device is quarantined, its queue out of reach.
void Supervisor::ask_again(Member& member) {
  if (now() - member.asked_at < calm_interval) return;
  member.asked_at = now();
  member.unready = events_.is_ready(*member.address) ? 0 : member.unready + 1;
  if (member.unready != told_unready_after) return;
  events_.say(fmt::format("{} (pid {}) is alive but not ready: http://{}/readyz says why", member.spec.name,
                          member.child->pid(), member.address->metrics));
}

void Supervisor::wait() {
  // poll ignores a negative descriptor.
  std::vector<pollfd> watched = {{.fd = wake_, .events = POLLIN, .revents = 0},
                                 {.fd = options_.signals, .events = POLLIN, .revents = 0}};
  bool news = false;
  for (const auto& member : members_) {
    if (member.child) watched.push_back({.fd = member.child->descriptor(), .events = POLLIN, .revents = 0});
    news = news || !member.ready;
  }
  const auto timeout = news ? news_interval : calm_interval;
  poll(watched.data(), watched.size(), static_cast<int>(timeout.count()));
}

Status Supervisor::end_all() {
  std::vector<int> ranks;
  for (const auto& member : members_) ranks.push_back(member.spec.rank);
  std::sort(ranks.rbegin(), ranks.rend());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const int rank : ranks) PENSTOCK_TRY(end_rank(rank));
  return {};
}

Status Supervisor::end_rank(int rank) {
  const SteadyTime until = now() + options_.drain_timeout;
  for (auto& member : members_)
    if (member.spec.rank == rank && member.child) member.child->send_signal(SIGTERM);
  for (auto& member : members_)
    if (member.spec.rank == rank && member.child) PENSTOCK_TRY(wait_for_end(member, until));
  return {};
}

Status Supervisor::wait_for_end(Member& member, SteadyTime until) {
  bool killed = false;
  for (;;) {
    if (const auto end = member.child->reap()) {
      if (end->exit_status() != 0) events_.say(fmt::format("{} {}", member.spec.name, end->text()));
      member.child.reset();
      return {};
    }
    // What still runs gets its second signal from the kernel when this process ends.
    if (take_signal())
      return Error{.code = ErrorCode::cancelled, .what = "a second signal came: quitting at once"};
    if (now() > until && !std::exchange(killed, true)) {
      events_.say(fmt::format("{} did not drain in time and is killed", member.spec.name));
      member.child->send_signal(SIGKILL);
    }
    pollfd watched[2] = {{.fd = member.child->descriptor(), .events = POLLIN, .revents = 0},
                         {.fd = options_.signals, .events = POLLIN, .revents = 0}};
    poll(watched, 2, static_cast<int>(calm_interval.count()));
  }
}

}  // namespace penstock::cli
