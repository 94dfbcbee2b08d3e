#include "common/staging/partition_client.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "common/base/checksum.hpp"
#include "common/circuit/packed_witness.hpp"
#include "common/staging/gpu_links.hpp"
#include "common/staging/stager.hpp"

namespace penstock::staging {
namespace {

constexpr std::size_t scalar_bytes = 32;
constexpr std::chrono::milliseconds tick_interval{50};

/// Limits are added to times in nanoseconds: milliseconds::max() would overflow them.
std::chrono::milliseconds at_most_a_year(std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds year = std::chrono::days(365);
  return std::clamp(limit, std::chrono::milliseconds(0), year);
}

Status check_size(const char* what, std::size_t bytes, std::uint64_t values) {
  if (bytes == values * scalar_bytes) return {};
  return Error{.code = ErrorCode::size_mismatch,
               .what = std::string(what) + " has " + std::to_string(bytes) + " bytes, the circuit needs " +
                       std::to_string(values * scalar_bytes)};
}

Status check_rows(const char* what, std::size_t bytes, std::uint64_t domain_size) {
  if (bytes % scalar_bytes == 0 && bytes <= domain_size * scalar_bytes) return {};
  return Error{.code = ErrorCode::size_mismatch,
               .what = std::string(what) + " has " + std::to_string(bytes) + " bytes, the domain holds " +
                       std::to_string(domain_size * scalar_bytes)};
}

/// Copies `from` to `at` of the slab and adds it to the checksum, from the caller's memory: the slab is
/// shared.
void place(std::span<std::byte> slab, std::uint64_t at, std::span<const std::byte> from, Checksum& checksum) {
  std::copy(from.begin(), from.end(), slab.begin() + static_cast<std::ptrdiff_t>(at));
  checksum.add(at, from);
}

Stager::Written write_evaluated(const EvaluatedPartition& partition, std::uint64_t rows_bytes,
                                std::span<std::byte> slab) {
  static constexpr std::array<std::byte, 4096> zeros{};
  Checksum checksum;
  const auto fill = [&](std::uint64_t at, std::span<const std::byte> rows) {
    place(slab, at, rows, checksum);
    for (std::uint64_t done = rows.size(); done < rows_bytes;) {
      const auto piece = std::min<std::uint64_t>(zeros.size(), rows_bytes - done);
      place(slab, at + done, std::span(zeros).first(piece), checksum);
      done += piece;
    }
  };
  fill(0, partition.a);
  fill(rows_bytes, partition.b);
  place(slab, 2 * rows_bytes, partition.witness, checksum);
  return {2 * rows_bytes + partition.witness.size(), checksum.value()};
}

Error let_go() {
  return {.code = ErrorCode::conflict,
          .what = "the submission is over: its proof was taken, or it was cancelled"};
}

Proof proof_of(wire::PartitionProved proved) {
  Proof proof{std::move(proved.proof_json), std::move(proved.public_json), std::move(proved.device), {}};
  proved.phases.for_each([&](Phase phase, telemetry::Duration spent) {
    proof.phases.emplace_back(std::string(name(phase)),
                              std::chrono::duration_cast<std::chrono::nanoseconds>(spent));
  });
  return proof;
}

}  // namespace

/// Sockets and their thread; shared by the client and its submissions.
struct PartitionClient::Connection {
  explicit Connection(const ClientOptions& options)
      : loop(wire::MessageLoop::make_context()), links(loop, clock, options.name + "/" + incarnation.text()) {
    stager.worker = WorkerName(options.name);
    stager.incarnation = incarnation;
    stager.host_id = wire::host_id();
    stager.slab_wait_limit = at_most_a_year(options.slab_wait_limit);
    stager.circuit_wait_limit = std::chrono::seconds(1);  // it is registered before anybody proves with it
    stager.silence_limit = at_most_a_year(options.silence_limit);
    stager.by_address = true;
    route.name = WorkerName("of " + options.endpoints.front());
    route.incarnation = Incarnation("any");
    route.data_endpoints = options.endpoints;
    const bool here = options.reach == ClientOptions::Reach::automatic &&
                      std::any_of(options.endpoints.begin(), options.endpoints.end(), is_of_this_host);
    if (here) route.host_id = stager.host_id;
  }
  ~Connection() {
    loop.stop();
    if (thread.joinable()) thread.join();
  }
  Status start(const ClientOptions& options) {
    if (!options.key_file.empty()) {
      loop.secure({PENSTOCK_TRY(wire::read_curve_keys(options.key_file)), {}});
      route.curve_key = PENSTOCK_TRY(wire::read_curve_public(options.server_key));
    }
    loop.on_turned_away([this](const auto& one) { links.turned_away(one.address, one.error); });
    loop.every(tick_interval, [this] { links.tick(); });
    thread = std::thread([this] { loop.run(); });
    return {};
  }
  SystemClock clock;
  Incarnation incarnation{random_uuid()};
  StagerOptions stager;
  wire::GpuRoute route;
  Arenas arenas;
  wire::MessageLoop loop;
  GpuLinks links;  // dies before the loop it borrows, after its thread
  std::thread thread;
};

struct Submission::State {
  using Connection = PartitionClient::Connection;
  State(std::shared_ptr<Connection> to, Parcel what)
      : connection(std::move(to)),
        parcel(std::move(what)),
        open(std::in_place, connection->links, parcel.partition) {}

  [[nodiscard]] Status stage(std::uint64_t size_bytes, const Stager::Write& write) {
    telemetry::PhaseTimes phases;
    Stager stager(connection->stager, connection->links, connection->arenas, connection->clock);
    commit = PENSTOCK_TRY(stager.stage(parcel, size_bytes, write, phases, {}));
    return {};
  }
  void send(wire::Message message) { connection->links.send(parcel.gpu, std::move(message)); }
  void end(wire::Message last) {
    open.reset();
    send(std::move(last));
  }
  /// The result, or an error that ends the submission; nullopt: not yet.
  [[nodiscard]] std::optional<Result<Proof>> take(wire::Message message) {
    if (auto* proved = std::get_if<wire::PartitionProved>(&message)) {
      end(wire::ResultCommitted{parcel.partition});
      return proof_of(std::move(*proved));
    }
    if (auto* failed = std::get_if<wire::PartitionFailed>(&message)) {
      end(wire::ResultCommitted{parcel.partition});
      return Result<Proof>(std::move(failed->error));
    }
    if (auto* refused = std::get_if<wire::StageRefused>(&message)) {
      open.reset();
      if (refused->error.code == ErrorCode::conflict)
        refused->error = {.code = ErrorCode::conflict,
                          .what = "the gpu service does not know the partition any more",
                          .hint = "it was started again, or the proof waited too long: submit it again"};
      return Result<Proof>(std::move(refused->error));
    }
    return std::nullopt;
  }

  std::shared_ptr<Connection> connection;
  Parcel parcel;
  std::optional<OpenLink> open;  ///< until it is over
  wire::StageCommit commit;
};

Submission::Submission(std::unique_ptr<State> state) : state_(std::move(state)) {}
Submission::Submission(Submission&&) noexcept = default;
Submission& Submission::operator=(Submission&& other) noexcept {
  if (this != &other) {
    cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}
Submission::~Submission() {
  cancel();
}

void Submission::cancel() {
  if (state_ && state_->open) state_->end(wire::CancelPartition{state_->parcel.partition});
}

Result<Proof> Submission::wait(std::chrono::milliseconds longest) {
  if (!state_ || !state_->open) return let_go();
  auto& connection = *state_->connection;
  const SteadyTime until = connection.clock.steady_now() + at_most_a_year(longest);
  SteadyTime last_heard = connection.clock.steady_now();
  for (;;) {
    const SteadyTime now = connection.clock.steady_now();
    if (now >= until)
      return Error{.code = ErrorCode::time_limit, .what = "the proof is not there yet", .hint = "wait again"};
    const auto pause =
        std::min(std::chrono::ceil<std::chrono::milliseconds>(until - now), connection.stager.repeat_after);
    auto reply = connection.links.wait_reply(state_->parcel.partition, pause, {});
    if (reply) {
      last_heard = connection.clock.steady_now();
      if (auto ended = state_->take(std::move(*reply))) return *std::move(ended);
    } else if (connection.clock.steady_now() - last_heard >= connection.stager.silence_limit) {
      return Error{.code = ErrorCode::device_unavailable,
                   .what = "the gpu service does not answer",
                   .hint = "is it running? wait again, or submit it elsewhere"};
    } else {
      state_->send(state_->commit);  // answered as before while the service knows the partition
    }
  }
}

PartitionClient::PartitionClient(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)) {}
PartitionClient::PartitionClient(PartitionClient&&) noexcept = default;
PartitionClient& PartitionClient::operator=(PartitionClient&&) noexcept = default;
PartitionClient::~PartitionClient() = default;

Result<PartitionClient> PartitionClient::connect(const ClientOptions& options) {
  if (options.endpoints.empty())
    return Error{.code = ErrorCode::bad_request,
                 .what = "no address of a gpu service is given",
                 .hint = "its announcement in the run folder lists them"};
  if (!is_safe_name(options.name))
    return Error{.code = ErrorCode::bad_request,
                 .what = "a client's name may hold letters, digits, '_', '.' and '-' only"};
  auto connection = std::make_shared<Connection>(options);
  PENSTOCK_TRY(connection->start(options));
  return PartitionClient(std::move(connection));
}

namespace {

Parcel parcel_of(const Circuit& circuit, const wire::GpuRoute& route) {
  return {.partition = {JobId(random_uuid()), 0, 1, FencingToken{1}},
          .circuit = CircuitId(circuit.id),
          .gpu = route,
          .result_to = wire::ResultTo::worker};
}

}  // namespace

Result<Submission> PartitionClient::submit(const Circuit& circuit, const WitnessPartition& partition) {
  PENSTOCK_TRY(check_size("the witness", partition.witness.size(), circuit.variables));
  const circuit::WitnessView view{circuit.curve, UnalignedSpan<circuit::Scalar>(partition.witness)};
  PENSTOCK_TRY(circuit::check_witness_values(view));
  auto state = std::make_unique<Submission::State>(connection_, parcel_of(circuit, connection_->route));
  PENSTOCK_TRY(state->stage(circuit::packed_size_bound(circuit.variables), [&](std::span<std::byte> slab) {
    const auto packed = circuit::pack_witness_checked(view, slab);
    return Stager::Written{packed.used_bytes, packed.checksum};
  }));
  return Submission(std::move(state));
}

Result<Submission> PartitionClient::submit(const Circuit& circuit, const EvaluatedPartition& partition) {
  PENSTOCK_TRY(check_size("the witness", partition.witness.size(), circuit.variables));
  PENSTOCK_TRY(check_rows("a", partition.a.size(), circuit.domain_size));
  PENSTOCK_TRY(check_rows("b", partition.b.size(), circuit.domain_size));
  const std::uint64_t rows_bytes = std::uint64_t{circuit.domain_size} * scalar_bytes;
  Parcel parcel = parcel_of(circuit, connection_->route);
  parcel.kind = wire::PartitionKind::evaluated;
  parcel.encoding = wire::Encoding::raw;
  auto state = std::make_unique<Submission::State>(connection_, std::move(parcel));
  PENSTOCK_TRY(state->stage(2 * rows_bytes + partition.witness.size(), [&](std::span<std::byte> slab) {
    return write_evaluated(partition, rows_bytes, slab);
  }));
  return Submission(std::move(state));
}

}  // namespace penstock::staging
