#include "services/synthesis/witness/wasm_module.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "services/synthesis/witness/wasm_sections.hpp"

namespace penstock::synthesis {
namespace {

enum SectionId : std::uint8_t {
  section_custom = 0,
  section_type = 1,
  section_import = 2,
  section_function = 3,
  section_table = 4,
  section_memory = 5,
  section_export = 7,
  section_code = 10,
  section_last = 12,
};

/// A function's type, one letter a value: "ii:i" takes two i32 and gives one. Other types are "?".
using Signature = std::string;

struct NamedFunction {
  std::string_view name, signature;
  bool required;
};
// What circom 2 programs import (module "runtime") and export; formats.md, containers.md.
constexpr std::array<NamedFunction, 4> known_imports = {{{"exceptionHandler", "i:", true},
                                                         {"printErrorMessage", ":", false},
                                                         {"writeBufferMessage", ":", false},
                                                         {"showSharedRWMemory", ":", false}}};
constexpr std::array<NamedFunction, 15> known_exports = {{{"getVersion", ":i", true},
                                                          {"getMinorVersion", ":i", false},
                                                          {"getPatchVersion", ":i", false},
                                                          {"getSharedRWMemoryStart", ":i", true},
                                                          {"readSharedRWMemory", "i:i", true},
                                                          {"writeSharedRWMemory", "ii:", true},
                                                          {"init", "i:", true},
                                                          {"setInputSignal", "iii:", true},
                                                          {"getInputSignalSize", "ii:i", true},
                                                          {"getRawPrime", ":", true},
                                                          {"getFieldNumLen32", ":i", true},
                                                          {"getWitnessSize", ":i", true},
                                                          {"getInputSize", ":i", true},
                                                          {"getWitness", "i:", true},
                                                          {"getMessageChar", ":i", false}}};

Error malformed(const WasmReader& reader, std::string what) {
  return {ErrorCode::bad_format,
          std::move(what),
          "compile the circuit again with circom 2 --wasm",
          {},
          reader.offset()};
}

class Inspector {
 public:
  [[nodiscard]] Status section(std::uint8_t id, WasmReader reader) {
    switch (id) {
      case section_type:
        return types(reader);
      case section_import:
        return imports(reader);
      case section_function:
        return functions(reader);
      case section_table:
        return tables(reader);
      case section_memory:
        return memories(reader);
      case section_export:
        return exports(reader);
      case section_code:
        return code(reader);
      default:
        return {};
    }
  }

  [[nodiscard]] Result<WasmShape> finish() const {
    const auto missing = [](const char* what) {
      return Error{ErrorCode::unsupported_version, std::string("not a witness program of circom 2: ") + what,
                   "compile the circuit again with circom 2 --wasm"};
    };
    if (!imports_handler_) return missing("it does not import runtime.exceptionHandler");
    if (!has_memory_ || !exports_memory_) return missing("it exports no memory");
    for (const NamedFunction& known : known_exports) {
      const auto found = exports_.find(known.name);
      if (found == exports_.end()) {
        if (known.required) return missing(("it does not export " + std::string(known.name)).c_str());
        continue;
      }
      if (found->second >= function_types_.size() ||
          types_[function_types_[found->second]] != known.signature)
        return missing(("its " + std::string(known.name) + " has another signature").c_str());
    }
    if (bodies_ != function_types_.size() - imported_) return missing("functions without code");
    WasmShape shape = shape_;
    shape.functions = static_cast<std::uint32_t>(function_types_.size());
    return shape;
  }

 private:
  [[nodiscard]] Status types(WasmReader& reader) {
    const std::uint32_t count = reader.count();
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
      if (reader.byte() != 0x60) return malformed(reader, "a type that is no function");
      Signature signature;
      for (int half = 0; half < 2; ++half) {
        const std::uint32_t values = reader.count();
        if (values > 1000) return malformed(reader, "a function type with more than 1000 values");
        for (std::uint32_t v = 0; v < values; ++v) signature += reader.byte() == 0x7f ? 'i' : '?';
        if (half == 0) signature += ':';
      }
      types_.push_back(std::move(signature));
    }
    return close(reader);
  }

  [[nodiscard]] Status imports(WasmReader& reader) {
    const std::uint32_t count = reader.count();
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
      const auto module = reader.name(), name = reader.name();
      const std::uint8_t kind = reader.byte();
      const std::uint32_t type = reader.u32();
      const auto* known = std::find_if(known_imports.begin(), known_imports.end(),
                                       [&](const NamedFunction& entry) { return entry.name == name; });
      // The foreign name is not repeated: it may hold anything.
      if (!reader.ok() || module != "runtime" || kind != 0 || known == known_imports.end())
        return malformed(
            reader, "it imports something that no circom program needs (import " + std::to_string(i) + ")");
      if (type >= types_.size() || types_[type] != known->signature)
        return malformed(reader, "its import " + std::string(known->name) + " has another signature");
      imports_handler_ |= name == "exceptionHandler";
      ++imported_;
      function_types_.push_back(type);
    }
    return close(reader);
  }

  [[nodiscard]] Status functions(WasmReader& reader) {
    const std::uint32_t count = reader.count();
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
      const std::uint32_t type = reader.u32();
      if (type >= types_.size()) return malformed(reader, "a function of an unknown type");
      function_types_.push_back(type);
    }
    return close(reader);
  }

  /// The bodies themselves are the validator's business.
  [[nodiscard]] Status code(WasmReader& reader) {
    shape_.code_bytes = reader.remaining();
    bodies_ = reader.count();
    return reader.ok() ? Status() : malformed(reader, "a declaration runs past its section");
  }

  [[nodiscard]] Status tables(WasmReader& reader) {
    const std::uint32_t count = reader.count();
    if (count > 16) return malformed(reader, "more than 16 tables");
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
      if (reader.byte() != 0x70) return malformed(reader, "a table that holds no functions");
      if (PENSTOCK_TRY(least(reader)) > max_table_entries)
        return malformed(reader, "a table that is too large");
    }
    return close(reader);
  }

  [[nodiscard]] Status memories(WasmReader& reader) {
    if (reader.count() != 1) return malformed(reader, "it must have exactly one memory");
    shape_.memory_pages = PENSTOCK_TRY(least(reader));
    has_memory_ = true;
    if (shape_.memory_pages > max_memory_pages)
      return Error{ErrorCode::memory_limit,
                   "the program wants 4 GiB of memory or more",
                   "split the circuit",
                   {},
                   reader.offset()};
    return close(reader);
  }

  /// Reads limits and gives the lower one. Shared and 64-bit memories are refused.
  [[nodiscard]] static Result<std::uint32_t> least(WasmReader& reader) {
    const std::uint8_t flags = reader.byte();
    if (flags > 1) return malformed(reader, "a shared or 64-bit memory");
    const std::uint32_t value = reader.u32();
    if (flags == 1) reader.u32();
    return value;
  }

  [[nodiscard]] Status exports(WasmReader& reader) {
    const std::uint32_t count = reader.count();
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
      const auto name = reader.name();
      const std::uint8_t kind = reader.byte();
      const std::uint32_t index = reader.u32();
      if (kind == 0) exports_.emplace(name, index);
      // Its name becomes a C identifier of the translation: only ours are let through.
      const bool known = std::any_of(known_exports.begin(), known_exports.end(),
                                     [&](const NamedFunction& entry) { return entry.name == name; });
      if (kind == 2 && name == "memory")
        exports_memory_ = true;
      else if (kind != 0 || !known)
        return malformed(
            reader, "it exports something that no circom program does (export " + std::to_string(i) + ")");
    }
    return close(reader);
  }

  [[nodiscard]] static Status close(const WasmReader& reader) {
    if (!reader.ok()) return malformed(reader, "a declaration runs past its section");
    if (!reader.done()) return malformed(reader, "a section is longer than its contents");
    return {};
  }

  std::vector<Signature> types_;
  std::vector<std::uint32_t> function_types_;  ///< of imports, then of the module's own
  std::map<std::string_view, std::uint32_t> exports_;
  WasmShape shape_;
  std::size_t imported_ = 0, bodies_ = 0;
  bool imports_handler_ = false, has_memory_ = false, exports_memory_ = false;
};

}  // namespace

Result<WasmShape> inspect_circom_wasm(std::span<const std::byte> wasm) {
  Inspector inspector;
  std::uint8_t last = 0;
  PENSTOCK_TRY(for_each_section(
      wasm, [&](std::uint8_t id, auto, std::span<const std::byte> payload, std::uint64_t offset) -> Status {
        if (id == section_custom) return {};
        // Section 12 (data count) stands between 9 and 10; everything else is in ascending order.
        const std::uint8_t rank = id == section_last ? 10 : (id >= section_code ? id + 1 : id);
        if (id > section_last || rank <= last)
          return Error{ErrorCode::bad_format, "an unknown, repeated or misplaced section", "", {}, offset};
        last = rank;
        return inspector.section(id, WasmReader(payload, offset));
      }));
  return inspector.finish();
}

}  // namespace penstock::synthesis
