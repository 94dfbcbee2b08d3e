// The circuits' files on disk: checked, copied and put in place as a whole, FOLDER/<id>/{key.zkey,
// verification_key.json, program.wasm?, constraints.r1cs?, symbols.sym?}. A folder that exists is complete.
// Threads: build() and remove() from one thread at a time; the rest from any.
// Errors: the readers' codes with file and offset; insecure_key, key_mismatch, bad_request (a path outside
// the
//   import folder), file_unwritable.
// Cost: build() copies, hashes and checks every point of the key: seconds for a large one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace penstock::queue {

/// One file to be registered: uploaded bytes, or a path that was checked to lie below the import folder.
struct CircuitFile {
  std::string_view content;
  std::filesystem::path path;  ///< used when not empty
};

struct CircuitSources {
  std::optional<CircuitFile> zkey, wasm, r1cs, sym, vk;
};

struct CircuitStoreOptions {
  std::filesystem::path folder;
  std::filesystem::path import_folder;  ///< empty: nothing is registered by path
  bool allow_insecure_keys = false;
  int threads = 1;
};

class CircuitStore {
 public:
  /// Creates the folder (0700) and removes what an interrupted build() has left.
  [[nodiscard]] static Result<CircuitStore> open(const CircuitStoreOptions& options);

  /// Checks everything, then the folder <id>/ appears (or was there already).
  [[nodiscard]] Result<wire::CircuitRef> build(const std::string& name, const CircuitSources& sources) const;
  void remove(const CircuitId& id) const;
  [[nodiscard]] bool holds(const CircuitId& id) const;
  [[nodiscard]] Result<std::string> verification_key_json(const CircuitId& id) const;

  /// What lies at `relative` below the import folder: a folder with one .zkey and its companions, or a .zkey.
  [[nodiscard]] Result<CircuitSources> find_import(const std::string& relative) const;

 private:
  explicit CircuitStore(CircuitStoreOptions options) : options_(std::move(options)) {}
  [[nodiscard]] Result<wire::CircuitRef> check(const std::filesystem::path& staged, const std::string& name,
                                               const CircuitSources& sources) const;
  [[nodiscard]] Status place(const std::filesystem::path& staged, const wire::CircuitRef& ref) const;
  CircuitStoreOptions options_;
};

}  // namespace penstock::queue
