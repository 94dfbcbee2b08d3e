// Registration by path: what a relative path below the import folder means. Nothing outside is ever opened.
#include <algorithm>

#include "services/queue/circuit_store.hpp"

namespace penstock::queue {

namespace fs = std::filesystem;

namespace {

Error refused(std::string what, std::string hint = {}) {
  return {.code = ErrorCode::bad_request, .what = std::move(what), .hint = std::move(hint)};
}

/// Symbolic links are resolved before the comparison: one that leads outside is outside.
bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

bool ends_with(const std::string& text, std::string_view suffix) {
  return text.size() > suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

std::optional<CircuitFile>* slot_of(const std::string& file, CircuitSources& sources) {
  if (ends_with(file, ".zkey")) return &sources.zkey;
  if (ends_with(file, ".wasm")) return &sources.wasm;
  if (ends_with(file, ".r1cs")) return &sources.r1cs;
  if (ends_with(file, ".sym")) return &sources.sym;
  if (file == "verification_key.json" || file == "vk.json" || ends_with(file, ".vk.json")) return &sources.vk;
  return nullptr;
}

}  // namespace

Result<CircuitSources> CircuitStore::find_import(const std::string& relative) const {
  if (options_.import_folder.empty())
    return refused("registration by path is off",
                   "start the queue with --import FOLDER, or upload the files");
  std::error_code failed;
  const fs::path root = fs::canonical(options_.import_folder, failed);
  if (failed) return refused("the import folder does not exist");
  const fs::path found = fs::canonical(root / fs::path(relative).relative_path(), failed);
  if (failed || !lies_below(found, root))
    return Error{.code = ErrorCode::not_found,
                 .what = "nothing lies at this path below the import folder",
                 .hint = "the path is relative to it"};
  CircuitSources sources;
  if (fs::is_regular_file(found, failed)) {
    if (!ends_with(found.filename().string(), ".zkey"))
      return refused("the path names no .zkey and no folder");
    sources.zkey = CircuitFile{.content = {}, .path = found};
    return sources;
  }
  for (const auto& entry : fs::directory_iterator(found, failed)) {
    const std::string file = entry.path().filename().string();
    std::optional<CircuitFile>* slot = slot_of(file, sources);
    if (!slot) continue;
    const fs::path target = fs::canonical(entry.path(), failed);
    if (failed || !lies_below(target, root))
      return refused("a file in this folder leads outside the import folder");
    if (*slot)
      return refused("the folder holds two files of one kind",
                     "name the .zkey itself, or use one folder each");
    *slot = CircuitFile{.content = {}, .path = target};
  }
  if (!sources.zkey) return refused("the folder holds no .zkey");
  return sources;
}

}  // namespace penstock::queue
