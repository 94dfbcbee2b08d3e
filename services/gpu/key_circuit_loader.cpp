#include "services/gpu/key_circuit_loader.hpp"

namespace penstock::gpu {
namespace {

Status expect_as_registered(const circuit::ProvingKey& key, const wire::CircuitRef& ref) {
  const auto& shape = key.shape();
  const bool same = shape.curve == ref.curve && shape.variables == ref.variables &&
                    shape.publics == ref.publics && shape.domain_size == ref.domain_size;
  if (same) return {};
  return Error{.code = ErrorCode::key_mismatch,
               .what = "the key in the circuit's folder is not the registered one",
               .hint = "register the circuit again",
               .file = key.path()};
}

}  // namespace

Result<std::shared_ptr<const LoadedCircuit>> KeyCircuitLoader::load(const wire::CircuitRef& ref) const {
  auto loaded = std::make_shared<LoadedCircuit>();
  loaded->ref = ref;
  loaded->key = PENSTOCK_TRY(circuit::ProvingKey::open(options_.circuits / ref.id.text() / "key.zkey"));
  PENSTOCK_TRY(expect_as_registered(*loaded->key, ref));
  if (loaded->key->insecure_dev() && !options_.allow_insecure_keys)
    return Error{.code = ErrorCode::insecure_key,
                 .what = "the key was made by setup --insecure-dev",
                 .hint = "start the service with --allow-insecure-keys, for development only"};
  const circuit::KeyCheckCache cache(options_.key_cache);
  PENSTOCK_TRY(
      circuit::check_points(*loaded->key, options_.key_cache.empty() ? nullptr : &cache, options_.threads));
  loaded->resident = PENSTOCK_TRY(device_.load_circuit(loaded->key));
  loaded->verifier = PENSTOCK_TRY(groth16::prepare_verifier(loaded->key->verification_key()));
  return std::shared_ptr<const LoadedCircuit>(std::move(loaded));
}

}  // namespace penstock::gpu
