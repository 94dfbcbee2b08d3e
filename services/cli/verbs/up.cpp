#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <map>
#include <nlohmann/json.hpp>

#include "services/cli/queue_client.hpp"
#include "services/cli/supervisor/data_folder.hpp"
#include "services/cli/supervisor/device_probe.hpp"
#include "services/cli/supervisor/previous_run.hpp"
#include "services/cli/supervisor/supervisor.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

// The host device proves a few partitions a second at best: a short queue of packed witnesses keeps it fed.
constexpr const char* host_arena = "128MiB";
constexpr int queue_rank = 0, gpu_rank = 1, synthesis_rank = 2;

struct Options {
  std::string data;
  std::string http = "127.0.0.1:7780";
  int synthesis = 2;
  std::vector<std::string> devices;
  std::string arena;  ///< empty: the service's default, less on the host device
  std::string import;
  bool allow_insecure_keys = false;
};

using Arguments = std::vector<std::string>;

// The addresses that were announced once are asked for again: a service that comes back is found where it
// was.
class Addresses {
 public:
  void learn(const ServiceAddress& address) { known_[address.name] = address; }
  [[nodiscard]] std::string http(const std::string& otherwise) const {
    const auto it = known_.find("queue");
    return it == known_.end() || it->second.http.empty() ? otherwise : it->second.http;
  }
  [[nodiscard]] std::string endpoint(const std::string& name, const std::string& otherwise) const {
    const auto it = known_.find(name);
    return it == known_.end() || it->second.endpoints.empty() ? otherwise : it->second.endpoints.front();
  }

 private:
  std::map<std::string, ServiceAddress> known_;
};

struct Plan {
  const Options& options;
  const DataFolder& data;
  const std::filesystem::path& programs;
  Addresses& addresses;
};

Arguments common_arguments(const Plan& plan, const std::string& name) {
  return {"--name", name, "--run", plan.data.run().string(), "--circuits", plan.data.circuits().string()};
}

MemberSpec queue_member(const Plan& plan) {
  return {.name = "queue",
          .program = plan.programs / "penstock-queue",
          .arguments =
              [plan] {
                Arguments arguments = common_arguments(plan, "queue");
                for (const std::string& argument :
                     {std::string("--http"), plan.addresses.http(plan.options.http), std::string("--bind"),
                      plan.addresses.endpoint("queue", plan.data.local_address("queue")),
                      std::string("--ledger"), (plan.data.queue() / "ledger.sqlite").string(),
                      std::string("--data"), plan.data.queue().string()})
                  arguments.push_back(argument);
                if (!plan.options.import.empty())
                  arguments.insert(arguments.end(), {"--import", plan.options.import});
                if (plan.options.allow_insecure_keys) arguments.push_back("--allow-insecure-keys");
                return arguments;
              },
          .log = plan.data.log("queue"),
          .rank = queue_rank,
          .first = true};
}

MemberSpec gpu_member(const Plan& plan, const std::string& device) {
  const std::string name = device.starts_with("cuda:") ? "gpu-" + device.substr(5) : "gpu-" + device;
  return {.name = name,
          .program = plan.programs / "penstock-gpu",
          .arguments =
              [plan, name, device] {
                Arguments arguments = common_arguments(plan, name);
                for (const std::string& argument :
                     {std::string("--queue"), plan.addresses.endpoint("queue", ""), std::string("--device"),
                      device, std::string("--bind"), plan.data.local_address(name), std::string("--metrics"),
                      std::string("127.0.0.1:0"), std::string("--arena"), plan.data.arena(name).string(),
                      std::string("--key-cache"), plan.data.keys().string()})
                  arguments.push_back(argument);
                std::string arena = plan.options.arena;
                if (arena.empty() && device == "cpu") arena = host_arena;
                if (!arena.empty()) arguments.insert(arguments.end(), {"--arena-bytes", arena});
                if (plan.options.allow_insecure_keys) arguments.push_back("--allow-insecure-keys");
                return arguments;
              },
          .log = plan.data.log(name),
          .rank = gpu_rank};
}

MemberSpec synthesis_member(const Plan& plan, int number) {
  const std::string name = fmt::format("synthesis-{}", number);
  return {.name = name,
          .program = plan.programs / "penstock-synthesis",
          .arguments =
              [plan, name] {
                Arguments arguments = common_arguments(plan, name);
                for (const std::string& argument :
                     {std::string("--queue"), plan.addresses.endpoint("queue", ""), std::string("--cache"),
                      plan.data.programs().string(), std::string("--metrics"), std::string("127.0.0.1:0")})
                  arguments.push_back(argument);
                return arguments;
              },
          .log = plan.data.log(name),
          .rank = synthesis_rank};
}

std::vector<MemberSpec> members_of(const Plan& plan, const std::vector<std::string>& devices) {
  std::vector<MemberSpec> members = {queue_member(plan)};
  for (const auto& device : devices) members.push_back(gpu_member(plan, device));
  for (int i = 1; i <= plan.options.synthesis; ++i) members.push_back(synthesis_member(plan, i));
  return members;
}

bool is_ready(const ServiceAddress& address) {
  const std::string& where = address.http.empty() ? address.metrics : address.http;
  constexpr std::chrono::seconds patience{2};
  QueueClient client("http://" + where, "", patience);
  const auto answer = client.get_text("/readyz");
  return answer.ok() && answer->first == 200;
}

nlohmann::ordered_json service_json(const ServiceAddress& address) {
  nlohmann::ordered_json object{{"name", address.name}, {"kind", address.kind}, {"pid", address.pid}};
  if (!address.http.empty()) object["http"] = "http://" + address.http;
  if (!address.metrics.empty()) object["metrics"] = "http://" + address.metrics + "/metrics";
  object["endpoints"] = address.endpoints;
  return object;
}

void announce(const std::vector<ServiceAddress>& services, const DataFolder& data, Output& output) {
  nlohmann::ordered_json object{{"ok", true}, {"pid", getpid()}, {"data", data.root().string()}};
  std::string url;
  output.line(fmt::format("penstock is up (pid {}), its data in {}", getpid(), data.root().string()));
  for (const auto& service : services) {
    const std::string where = service.http.empty() ? service.metrics : service.http;
    if (!service.http.empty()) url = "http://" + service.http;
    output.line(fmt::format("  {:<14} pid {:<8} http://{}", service.name, service.pid, where));
    object["services"].push_back(service_json(service));
  }
  object["url"] = url;
  output.line(fmt::format("next: export PENSTOCK_URL={}; penstock circuit add NAME --zkey F --wasm F", url));
  output.line("ctrl-c drains and stops");
  output.object(object);
}

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  const SignalDescriptor signals;
  const auto data = PENSTOCK_TRY(DataFolder::open(options.data));
  PENSTOCK_TRY(wait_for_previous_run({.run = data.run(),
                                      .signals = signals.descriptor(),
                                      .say = [&](const std::string& what) { output.line(what); }}));
  const bool choose = options.devices.empty() || options.devices == Arguments{"auto"};
  const auto devices = choose ? PENSTOCK_TRY(probe_devices()) : options.devices;
  Addresses addresses;
  const Plan plan{options, data, context.environment().program_folder, addresses};
  Supervisor supervisor(
      {.run = data.run(), .signals = signals.descriptor()}, members_of(plan, devices),
      {.say = [&output](const std::string& what) { output.line(what); },
       .is_ready = is_ready,
       .announced = [&addresses](const ServiceAddress& address) { addresses.learn(address); },
       .all_ready = [&](const std::vector<ServiceAddress>& all) { announce(all, data, output); }});
  output.progress("starting the services", -1);
  const Status ended = supervisor.run();
  if (!ended && ended.error().code == ErrorCode::cancelled) {
    output.error(ended.error());
    return ExitStatus::interrupted;
  }
  if (!ended) return ended.error();
  output.line("stopped");
  return ExitStatus::done;
}

}  // namespace

void add_up(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  options->data = context.environment().data_folder.string();
  auto* verb =
      add_verb(app, "up", "Start and supervise a whole cluster on this machine",
               "  penstock up\n"
               "  penstock up --synthesis 4 --data ./penstock-data --http 127.0.0.1:8080\n"
               "  penstock up --device cuda:0 --device cuda:1\n"
               "Starts penstock-queue, --synthesis workers and one penstock-gpu per device (the host when\n"
               "there is none), restarts what dies, drains on ctrl-c; a second ctrl-c quits at once.\n"
               "Where it listens beyond loopback, PENSTOCK_QUEUE_API_KEY must be set.");
  verb->add_option("--synthesis", options->synthesis, "Synthesis workers")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("--device", options->devices, "auto, cpu or cuda:N; may be repeated");
  verb->add_option("--data", options->data, "Folder of ledger, circuits, caches and logs")
      ->capture_default_str();
  verb->add_option("--http", options->http, "HOST:PORT of the API; port 0 = a free one")
      ->capture_default_str();
  verb->add_option("--arena", options->arena, "Size of each gpu service's arena, e.g. 2GiB");
  verb->add_option("--import", options->import, "Folder from which circuits may be registered by path");
  verb->add_flag("--allow-insecure-keys", options->allow_insecure_keys, "Prove with development keys");
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
