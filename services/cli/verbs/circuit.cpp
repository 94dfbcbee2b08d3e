#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/cluster.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

using nlohmann::json;

struct Files {
  std::string name, zkey, wasm, r1cs, symbols, verification_key;
};

std::string circuit_path(const std::string& name) {
  return "/v1/circuits/" + path_component(name);
}

std::string yes_no(const json& circuit, const char* key) {
  return circuit.value(key, false) ? "yes" : "-";
}

void print_circuit(const json& circuit, Output& output) {
  output.line(
      fmt::format("{:<20} {:<10} {:>10} wires {:>6} publics  wasm {:<3} r1cs {:<3} sym {:<3}{}",
                  circuit.value("name", ""), circuit.value("curve", ""), circuit.value("variables", 0),
                  circuit.value("publics", 0), yes_no(circuit, "has_wasm"), yes_no(circuit, "has_r1cs"),
                  yes_no(circuit, "has_sym"), circuit.value("insecure_dev", false) ? "  INSECURE" : ""));
}

Result<ExitStatus> add(const Files& files, Context& context) {
  std::vector<UploadPart> parts = {{.name = "zkey", .file = files.zkey}};
  const auto part = [&parts](const char* name, const std::string& file) {
    if (!file.empty()) parts.push_back({.name = name, .file = file});
  };
  part("wasm", files.wasm);
  part("r1cs", files.r1cs);
  part("sym", files.symbols);
  part("vk", files.verification_key);
  context.output().progress("uploading; the queue checks every point of the key", -1);
  auto answer = connect(context)->put_parts(circuit_path(files.name), parts);
  if (!answer) return as_refusal(std::move(answer).error());
  print_circuit(answer->body, context.output());
  context.output().object(answer->body);
  return ExitStatus::done;
}

Result<ExitStatus> list(Context& context) {
  auto answer = connect(context)->get("/v1/circuits");
  if (!answer) return as_refusal(std::move(answer).error());
  const json circuits = answer->body.value("circuits", json::array());
  for (const auto& circuit : circuits) print_circuit(circuit, context.output());
  if (circuits.empty()) context.output().line("no circuits; register one with: penstock circuit add");
  context.output().object(answer->body);
  return ExitStatus::done;
}

Result<ExitStatus> show(const std::string& name, Context& context) {
  auto answer = connect(context)->get(circuit_path(name));
  if (!answer) return as_refusal(std::move(answer).error());
  for (const auto& [key, value] : answer->body.items())
    if (!value.is_object())
      context.output().line(
          fmt::format("{:<16} {}", key, value.is_string() ? value.get<std::string>() : value.dump()));
  context.output().object(answer->body);
  return ExitStatus::done;
}

Result<ExitStatus> remove(const std::string& name, Context& context) {
  auto answer = connect(context)->remove(circuit_path(name));
  if (!answer) return as_refusal(std::move(answer).error());
  nlohmann::ordered_json object{{"ok", true}, {"name", name}};
  context.output().line("removed " + name);
  context.output().object(object);
  return ExitStatus::done;
}

Result<ExitStatus> tell(const std::string& name, const std::string& what, Context& context) {
  auto answer = connect(context)->post(circuit_path(name) + "/" + what, json::object());
  if (!answer) return as_refusal(std::move(answer).error());
  nlohmann::ordered_json object{{"ok", true}, {"name", name}};
  if (answer->body.is_object()) object.update(answer->body);
  context.output().line(fmt::format("{} {}: asked of the gpu services", what, name));
  context.output().object(object);
  return ExitStatus::done;
}

void add_add(CLI::App& group, Context& context) {
  auto files = std::make_shared<Files>();
  auto* verb = add_verb(group, "add", "Register a circuit, or a new version of one", "");
  verb->add_option("name", files->name, "What jobs will call it")->required();
  verb->add_option("--zkey", files->zkey, "Proving key")->required();
  verb->add_option("--wasm", files->wasm, "circom's witness program: needed to take input.json");
  verb->add_option("--r1cs", files->r1cs, "Constraints: a broken one is named");
  verb->add_option("--sym", files->symbols, "Signal names for broken constraints");
  verb->add_option("--vk", files->verification_key, "Checked against the key");
  add_cluster_options(verb, context);
  context.on(verb, [files](Context& used) { return add(*files, used); });
}

}  // namespace

void add_circuit(CLI::App& app, Context& context) {
  auto* group =
      add_verb(app, "circuit", "Register and manage circuits",
               "  penstock circuit add mul --zkey mul.zkey --wasm mul.wasm --r1cs mul.r1cs --sym mul.sym\n"
               "  penstock circuit list\n"
               "  penstock circuit preload mul      # load it on the devices before the first job");
  group->require_subcommand(1);
  add_add(*group, context);
  auto* list_verb = add_verb(*group, "list", "All circuits", "");
  add_cluster_options(list_verb, context);
  context.on(list_verb, list);
  using Run = Result<ExitStatus> (*)(const std::string&, Context&);
  const auto named = [&](const char* verb_name, const char* sentence, Run run) {
    auto name = std::make_shared<std::string>();
    auto* verb = add_verb(*group, verb_name, sentence, "");
    verb->add_option("name", *name, "The circuit's name")->required();
    add_cluster_options(verb, context);
    context.on(verb, [name, run](Context& used) { return run(*name, used); });
  };
  named("show", "One circuit", show);
  named("remove", "Forget a circuit", remove);
  named("preload", "Load it on the devices now",
        [](const std::string& name, Context& used) { return tell(name, "preload", used); });
  named("evict", "Take it off the devices",
        [](const std::string& name, Context& used) { return tell(name, "evict", used); });
}

}  // namespace penstock::cli
