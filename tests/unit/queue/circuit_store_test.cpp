#include "services/queue/circuit_store.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/queue/scratch_folder.hpp"

namespace penstock::queue::test {
namespace {

namespace fs = std::filesystem;

fs::path vectors(const std::string& relative) {
  return fs::path(PENSTOCK_TEST_VECTORS) / relative;
}
std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class CircuitStoreTest : public testing::Test {
 protected:
  CircuitStore open(bool allow_insecure = false) {
    auto store = CircuitStore::open({.folder = scratch_.path() / "circuits",
                                     .import_folder = scratch_.path() / "import",
                                     .allow_insecure_keys = allow_insecure,
                                     .threads = 1});
    EXPECT_TRUE(store.ok());
    return std::move(store).value();
  }
  /// The named vectors as uploaded bytes; "" leaves a part out.
  Result<wire::CircuitRef> build(const std::string& zkey, const std::string& wasm = "",
                                 const std::string& r1cs = "", const std::string& sym = "",
                                 const std::string& vk = "") {
    CircuitSources sources;
    std::vector<std::string> bytes;
    bytes.reserve(5);
    const auto fill = [&](const std::string& file, std::optional<CircuitFile>& slot) {
      if (file.empty()) return;
      bytes.push_back(read(vectors(file)));
      slot = CircuitFile{.content = bytes.back(), .path = {}};
    };
    fill(zkey, sources.zkey);
    fill(wasm, sources.wasm);
    fill(r1cs, sources.r1cs);
    fill(sym, sources.sym);
    fill(vk, sources.vk);
    return open().build("name", sources);
  }
  ErrorCode code(const Result<wire::CircuitRef>& built) {
    EXPECT_FALSE(built.ok());
    EXPECT_EQ(entries(), 0) << "a refused circuit leaves nothing behind";
    return built.ok() ? ErrorCode::internal : built.error().code;
  }
  int entries() const {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(scratch_.path() / "circuits")) ++count;
    return count;
  }
  ScratchFolder scratch_;
};

TEST_F(CircuitStoreTest, a_circuit_is_put_in_place_whole) {
  for (const std::string curve : {"bn254", "bls12_381"}) {
    const auto ref = build(curve + "/chain.zkey", curve + "/chain.wasm", curve + "/chain.r1cs",
                           curve + "/chain.sym", curve + "/chain.vk.json");
    ASSERT_TRUE(ref.ok()) << to_string(ref.error());
    EXPECT_EQ(name(ref->curve), curve);
    EXPECT_EQ(ref->variables, 303u);
    EXPECT_EQ(ref->publics, 2u);
    EXPECT_EQ(ref->domain_size, 512u);
    EXPECT_TRUE(ref->has_wasm && ref->has_r1cs && ref->has_sym && !ref->insecure_dev);
    EXPECT_EQ(ref->id.text().size(), 64u);
    const auto store = open();
    EXPECT_TRUE(store.holds(ref->id));
    const fs::path folder = scratch_.path() / "circuits" / ref->id.text();
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
    EXPECT_EQ(read(folder / "key.zkey"), read(vectors(curve + "/chain.zkey")));
    EXPECT_EQ(read(folder / "program.wasm"), read(vectors(curve + "/chain.wasm")));
    EXPECT_FALSE(store.verification_key_json(ref->id)->empty());
    store.remove(ref->id);
    EXPECT_FALSE(store.holds(ref->id));
    EXPECT_EQ(entries(), 0);
  }
}

TEST_F(CircuitStoreTest, the_id_is_what_proves_and_nothing_else) {
  const auto plain = build("bn254/chain.zkey");
  const auto reversed = build("bn254/f_reversed.zkey");
  ASSERT_TRUE(plain.ok() && reversed.ok());
  EXPECT_EQ(plain->id, reversed->id) << "the order of sections proves nothing";
  const auto with_program = build("bn254/chain.zkey", "bn254/chain.wasm");
  const auto with_constraints = build("bn254/chain.zkey", "", "bn254/chain.r1cs");
  ASSERT_TRUE(with_program.ok() && with_constraints.ok());
  EXPECT_NE(plain->id, with_program->id);
  EXPECT_NE(plain->id, with_constraints->id);
  EXPECT_NE(with_program->id, with_constraints->id);
}

TEST_F(CircuitStoreTest, symbols_that_come_later_are_kept) {
  const auto first = build("bn254/chain.zkey");
  const auto second = build("bn254/chain.zkey", "", "", "bn254/chain.sym");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->id, second->id);
  EXPECT_TRUE(fs::exists(scratch_.path() / "circuits" / first->id.text() / "symbols.sym"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(CircuitStoreTest, malformed_files_are_refused_by_name) {
  EXPECT_EQ(code(build("bn254/f_offcurveA.zkey")), ErrorCode::point_off_curve);
  EXPECT_EQ(code(build("bn254/f_v9.zkey")), ErrorCode::unsupported_version);
  EXPECT_EQ(code(build("bn254/f_plonk.zkey")), ErrorCode::unsupported_protocol);
  EXPECT_EQ(code(build("bn254/f_nosec9.zkey")), ErrorCode::section_missing);
  EXPECT_EQ(code(build("bn254/chain.zkey", "bn254/chain.r1cs")), ErrorCode::bad_magic);
  EXPECT_EQ(code(build("bn254/chain.zkey", "", "bn254/customgate.r1cs")), ErrorCode::custom_gates);
  EXPECT_EQ(code(build("bn254/chain.zkey", "", "bn254/mul.r1cs")), ErrorCode::key_mismatch);
  EXPECT_EQ(code(build("bn254/chain.zkey", "", "", "", "bn254/mul.vk.json")), ErrorCode::key_mismatch);
  EXPECT_EQ(code(build("bn254/chain.zkey", "", "", "", "bn254/chain.in.json")), ErrorCode::bad_format);
  EXPECT_EQ(code(build("")), ErrorCode::bad_request);
}

TEST_F(CircuitStoreTest, errors_name_the_part_and_not_a_temporary_path) {
  const auto built = build("bn254/f_v9.zkey");
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().file, "zkey");
  EXPECT_TRUE(built.error().offset);
}

TEST_F(CircuitStoreTest, what_an_interrupted_registration_left_is_removed) {
  fs::create_directories(scratch_.path() / "circuits" / ".incoming-1234");
  std::ofstream(scratch_.path() / "circuits" / ".incoming-1234" / "key.zkey") << "half";
  const auto store = open();
  EXPECT_EQ(entries(), 0);
}

TEST_F(CircuitStoreTest, registration_by_path_stays_below_the_import_folder) {
  const fs::path import = scratch_.path() / "import";
  fs::create_directories(import / "chain");
  for (const char* kind : {"zkey", "wasm", "r1cs", "sym"})
    fs::copy_file(vectors("bn254/chain." + std::string(kind)),
                  import / "chain" / ("chain." + std::string(kind)));
  fs::copy_file(vectors("bn254/chain.vk.json"), import / "chain" / "chain.vk.json");
  fs::copy_file(vectors("bn254/chain.in.json"), import / "chain" / "chain.in.json");
  fs::copy_file(vectors("bn254/mul.zkey"), scratch_.path() / "outside.zkey");
  const auto store = open();
  for (const char* path : {"chain", "chain/", "/chain", "./chain/../chain"}) {
    const auto sources = store.find_import(path);
    ASSERT_TRUE(sources.ok()) << path << to_string(sources.error());
    EXPECT_TRUE(sources->zkey && sources->wasm && sources->r1cs && sources->sym && sources->vk);
  }
  const auto sources = store.find_import("chain");
  EXPECT_TRUE(store.build("chain", *sources).ok());
  const auto alone = store.find_import("chain/chain.zkey");
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(alone->zkey && !alone->wasm);
  for (const char* path : {"../outside.zkey", "/etc/passwd", "nothing", "chain/../../outside.zkey"})
    EXPECT_EQ(store.find_import(path).error().code, ErrorCode::not_found) << path;
  EXPECT_EQ(store.find_import("chain/chain.wasm").error().code, ErrorCode::bad_request);
  fs::create_symlink(scratch_.path() / "outside.zkey", import / "link.zkey");
  EXPECT_EQ(store.find_import("link.zkey").error().code, ErrorCode::not_found);
  fs::create_directories(import / "two");
  fs::copy_file(vectors("bn254/mul.zkey"), import / "two" / "a.zkey");
  fs::copy_file(vectors("bn254/mul.zkey"), import / "two" / "b.zkey");
  EXPECT_EQ(store.find_import("two").error().code, ErrorCode::bad_request);
  fs::create_directories(import / "linked");
  fs::create_symlink(scratch_.path() / "outside.zkey", import / "linked" / "k.zkey");
  EXPECT_EQ(store.find_import("linked").error().code, ErrorCode::bad_request);
}

}  // namespace
}  // namespace penstock::queue::test
