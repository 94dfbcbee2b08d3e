// The list of verbs. Adding one: verbs/<verb>.cpp with its add_<verb>(), a line here, a line in
// command_line.cpp.
#pragma once

#include "services/cli/context.hpp"

namespace penstock::cli {

void add_prove(CLI::App& app, Context& context);
void add_fullprove(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);
void add_witness(CLI::App& app, Context& context);
/// snarkjs's name for the same thing: `wtns calculate`.
void add_calculate(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_setup(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_up(CLI::App& app, Context& context);
void add_circuit(CLI::App& app, Context& context);
void add_submit(CLI::App& app, Context& context);
void add_job(CLI::App& app, Context& context);
void add_status(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
/// `bench staging`, below the verb bench, which runs the returned action.
[[nodiscard]] Context::Action add_bench_staging(CLI::App& bench);
/// `bench remote`, likewise.
[[nodiscard]] Context::Action add_bench_remote(CLI::App& bench);
void add_keygen(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);

}  // namespace penstock::cli
