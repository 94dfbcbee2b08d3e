#include "services/queue/circuit_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>

#include "common/circuit/file_io.hpp"
#include "common/circuit/mapped_file.hpp"
#include "common/circuit/proof_json.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"

namespace penstock::queue {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view staging_prefix = ".incoming-";
constexpr std::uint64_t max_vk_bytes = std::uint64_t{256} << 20;
constexpr std::array<unsigned char, 8> wasm_magic = {0, 'a', 's', 'm', 1, 0, 0, 0};

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return hex(digest);
}

Result<std::string> sha256_of_file(const fs::path& path) {
  const auto file = PENSTOCK_TRY(circuit::MappedFile::open(path));
  return sha256(file.bytes());
}

Status flush(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (flushed) return {};
  return Error{
      .code = ErrorCode::file_unwritable, .what = "cannot be flushed to the disk", .file = path.string()};
}

/// The readers name the staged copy; people know the file by its part.
Error named(Error error, std::string_view part) {
  error.file = std::string(part);
  return error;
}

Status stage_file(const fs::path& target, const CircuitFile& source, std::string_view part) {
  if (source.path.empty()) {
    auto written = circuit::write_file(target, std::as_bytes(std::span(source.content)), 0600);
    if (!written.ok()) return named(std::move(written).error(), part);
    return {};
  }
  std::error_code failed;
  if (!fs::is_regular_file(source.path, failed))
    return Error{
        .code = ErrorCode::file_unreadable, .what = "is not a regular file", .file = std::string(part)};
  if (!fs::copy_file(source.path, target, failed) || failed)
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "cannot be copied: " + failed.message(),
                 .hint = "check the disk's free space",
                 .file = std::string(part)};
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write, failed);
  return flush(target);
}

Status check_wasm(const fs::path& path) {
  const auto file = PENSTOCK_TRY(circuit::MappedFile::open(path));
  if (file.bytes().size() < wasm_magic.size())
    return Error{.code = ErrorCode::file_truncated,
                 .what = "is too short to be a WebAssembly program",
                 .file = "wasm"};
  if (!std::equal(wasm_magic.begin(), wasm_magic.end(),
                  reinterpret_cast<const unsigned char*>(file.bytes().data())))
    return Error{.code = ErrorCode::bad_magic,
                 .what = "is not a WebAssembly program",
                 .hint = "circom --wasm writes it as NAME_js/NAME.wasm",
                 .file = "wasm",
                 .offset = 0};
  return {};
}

/// A verification key that came along must be the key's own.
Status check_vk(const CircuitFile& given, const std::string& own) {
  const std::string text = given.path.empty()
                               ? std::string(given.content)
                               : PENSTOCK_TRY(circuit::read_text_file(given.path, max_vk_bytes));
  auto parsed = circuit::verification_key_from_json(text);
  if (!parsed.ok()) return named(std::move(parsed).error(), "vk");
  if (circuit::to_json(*parsed) != own)
    return Error{.code = ErrorCode::key_mismatch,
                 .what = "the verification key does not belong to the proving key",
                 .hint = "leave it out: it is derived from the zkey",
                 .file = "vk"};
  return {};
}

Status check_r1cs(const circuit::ProvingKey& key, const fs::path& path) {
  const auto r1cs = circuit::R1cs::open(path);
  if (!r1cs.ok()) return named(r1cs.error(), "r1cs");
  if (auto matches = circuit::check_key_matches(key, **r1cs); !matches.ok())
    return named(std::move(matches).error(), "r1cs");
  return {};
}

/// Removes the folder unless it was put in place.
class StagedFolder {
 public:
  explicit StagedFolder(fs::path path) : path_(std::move(path)) {}
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  ~StagedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

Result<CircuitStore> CircuitStore::open(const CircuitStoreOptions& options) {
  std::error_code failed;
  if (fs::create_directories(options.folder, failed))
    fs::permissions(options.folder, fs::perms::owner_all, failed);
  if (failed || !fs::is_directory(options.folder))
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "the circuits' folder cannot be created",
                 .file = options.folder.string()};
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(options.folder, failed))
    if (entry.path().filename().string().rfind(staging_prefix, 0) == 0) leftovers.push_back(entry.path());
  for (const auto& leftover : leftovers) fs::remove_all(leftover, failed);
  return CircuitStore(options);
}

Result<wire::CircuitRef> CircuitStore::build(const std::string& name, const CircuitSources& sources) const {
  if (!sources.zkey)
    return Error{.code = ErrorCode::bad_request,
                 .what = "the `zkey` part is missing",
                 .hint = "it is the proving key"};
  const StagedFolder staged(options_.folder / (std::string(staging_prefix) + random_uuid()));
  std::error_code failed;
  if (!fs::create_directory(staged.path(), failed))
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "the circuit's folder cannot be created",
                 .file = options_.folder.string()};
  fs::permissions(staged.path(), fs::perms::owner_all, failed);
  PENSTOCK_TRY(stage_file(staged.path() / "key.zkey", *sources.zkey, "zkey"));
  if (sources.wasm) PENSTOCK_TRY(stage_file(staged.path() / "program.wasm", *sources.wasm, "wasm"));
  if (sources.r1cs) PENSTOCK_TRY(stage_file(staged.path() / "constraints.r1cs", *sources.r1cs, "r1cs"));
  if (sources.sym) PENSTOCK_TRY(stage_file(staged.path() / "symbols.sym", *sources.sym, "sym"));
  auto ref = PENSTOCK_TRY(check(staged.path(), name, sources));
  PENSTOCK_TRY(place(staged.path(), ref));
  ref.has_sym = fs::exists(options_.folder / ref.id.text() / "symbols.sym", failed);  // or from before
  return ref;
}

Result<wire::CircuitRef> CircuitStore::check(const fs::path& staged, const std::string& name,
                                             const CircuitSources& sources) const {
  auto opened = circuit::ProvingKey::open(staged / "key.zkey");
  if (!opened.ok()) return named(std::move(opened).error(), "zkey");
  const circuit::ProvingKey& key = **opened;
  if (key.insecure_dev() && !options_.allow_insecure_keys)
    return Error{.code = ErrorCode::insecure_key,
                 .what = "the key was made by setup --insecure-dev: whoever made it can forge proofs",
                 .hint = "use a key from a ceremony, or start every service with --allow-insecure-keys",
                 .file = "zkey"};
  if (sources.wasm) PENSTOCK_TRY(check_wasm(staged / "program.wasm"));
  if (sources.r1cs) PENSTOCK_TRY(check_r1cs(key, staged / "constraints.r1cs"));
  if (sources.sym) {
    const auto symbols = circuit::SymbolTable::open(staged / "symbols.sym");
    if (!symbols.ok()) return named(symbols.error(), "sym");
  }
  const std::string vk = circuit::to_json(key.verification_key());
  if (sources.vk) PENSTOCK_TRY(check_vk(*sources.vk, vk));
  if (auto sound = circuit::check_points(key, nullptr, options_.threads); !sound.ok())
    return named(std::move(sound).error(), "zkey");
  PENSTOCK_TRY(circuit::write_file(staged / "verification_key.json", std::as_bytes(std::span(vk)), 0600));

  std::string identity = "penstock-circuit-1" + key.content_hash();
  identity += sources.wasm ? PENSTOCK_TRY(sha256_of_file(staged / "program.wasm")) : "-";
  identity += sources.r1cs ? PENSTOCK_TRY(sha256_of_file(staged / "constraints.r1cs")) : "-";
  return wire::CircuitRef{.id = CircuitId(sha256(std::as_bytes(std::span(identity)))),
                          .name = name,
                          .curve = key.shape().curve,
                          .has_wasm = sources.wasm.has_value(),
                          .has_r1cs = sources.r1cs.has_value(),
                          .has_sym = sources.sym.has_value(),
                          .insecure_dev = key.insecure_dev(),
                          .variables = key.shape().variables,
                          .publics = key.shape().publics,
                          .domain_size = key.shape().domain_size};
}

Status CircuitStore::place(const fs::path& staged, const wire::CircuitRef& ref) const {
  const fs::path target = options_.folder / ref.id.text();
  PENSTOCK_TRY(flush(staged));
  std::error_code failed;
  if (fs::exists(target / "key.zkey", failed)) {
    // The same circuit under another name. Symbols are no part of its id: a first copy of them is welcome.
    if (ref.has_sym && !fs::exists(target / "symbols.sym", failed))
      fs::rename(staged / "symbols.sym", target / "symbols.sym", failed);
  } else {
    fs::rename(staged, target, failed);
  }
  if (failed)
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "the circuit's folder cannot be put in place: " + failed.message(),
                 .file = target.string()};
  return flush(options_.folder);
}

void CircuitStore::remove(const CircuitId& id) const {
  // Renamed first, so that a crash leaves no half folder that looks complete.
  const fs::path doomed = options_.folder / (std::string(staging_prefix) + random_uuid());
  std::error_code ignored;
  fs::rename(options_.folder / id.text(), doomed, ignored);
  fs::remove_all(doomed, ignored);
}

bool CircuitStore::holds(const CircuitId& id) const {
  std::error_code ignored;
  return fs::is_regular_file(options_.folder / id.text() / "key.zkey", ignored);
}

Result<std::string> CircuitStore::verification_key_json(const CircuitId& id) const {
  return circuit::read_text_file(options_.folder / id.text() / "verification_key.json", max_vk_bytes);
}

}  // namespace penstock::queue
