#include "services/queue/job_request.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "common/circuit/witness.hpp"
#include "common/wire/codec.hpp"

namespace penstock::queue {

namespace {

using nlohmann::json;

constexpr std::size_t max_job_part_bytes = 65536;
/// A task is one message; the rest of it is small. What would never fit is refused here.
constexpr std::size_t max_input_bytes = wire::max_message_bytes - (std::size_t{1} << 20);
constexpr std::chrono::hours longest_deadline{24 * 365};

Error bad(std::string what, std::string hint = {}) {
  return {.code = ErrorCode::bad_request, .what = std::move(what), .hint = std::move(hint)};
}

Result<WallMillis> read_deadline(const json& value, WallMillis now) {
  std::optional<WallMillis> deadline;
  if (value.is_number()) {
    const double seconds = value.get<double>();
    if (seconds > 0 && seconds < Seconds(longest_deadline).count())
      deadline = now + std::chrono::duration_cast<std::chrono::milliseconds>(Seconds(seconds));
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    deadline = from_iso8601(text);
    if (const auto duration = parse_duration(text); !deadline && duration) deadline = now + *duration;
  }
  if (!deadline || *deadline > now + longest_deadline)
    return bad("the deadline is not understood",
               R"(give "90s", a number of seconds, or "2025-12-31T23:59:59Z")");
  return *deadline;
}

Status read_member(const std::string& key, const json& value, WallMillis now, JobRequest& request) {
  if (key == "circuit") {
    if (!value.is_string() || !is_safe_name(value.get_ref<const std::string&>()))
      return bad("`circuit` is not a circuit's name");
    request.circuit = value.get<std::string>();
  } else if (key == "priority") {
    const auto priority =
        value.is_string() ? priority_from(value.get_ref<const std::string&>()) : std::nullopt;
    if (!priority) return bad("`priority` is not low, normal, high or critical");
    request.priority = *priority;
  } else if (key == "deadline") {
    if (!value.is_null()) request.deadline = PENSTOCK_TRY(read_deadline(value, now));
  } else if (key == "webhook") {
    return bad("webhooks are not supported yet", "use GET /v1/jobs/{id}?wait=30s or /v1/jobs/{id}/events");
  } else {
    return bad("the job has an unknown member", "known are circuit, priority and deadline");
  }
  return {};
}

Status read_document(std::string_view text, WallMillis now, JobRequest& request) {
  if (text.size() > max_job_part_bytes)
    return Error{.code = ErrorCode::body_too_large, .what = "the `job` part is longer than 64 KiB"};
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object())
    return bad("the `job` part is not a JSON object", R"(for example {"circuit": "mul"})");
  for (const auto& [key, value] : document.items()) PENSTOCK_TRY(read_member(key, value, now, request));
  if (request.circuit.empty()) return bad("the job names no circuit", R"(for example {"circuit": "mul"})");
  request.document = document.dump(-1, ' ', false, json::error_handler_t::replace);
  return {};
}

Status check_json_input(std::string_view content, std::size_t index) {
  const auto first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || content[first] != '{' || !json::accept(content))
    return Error{.code = ErrorCode::bad_format,
                 .what = "the input is not a JSON object",
                 .hint = R"(send signals by name: {"a": "3", "b": "11"})",
                 .file = fmt::format("input {}", index)};
  return {};
}

Status check_witness_input(std::string_view content, std::size_t index, const wire::CircuitRef& circuit) {
  const std::string label = fmt::format("witness {}", index);
  auto witness = circuit::parse_wtns(std::as_bytes(std::span(content)));
  if (!witness.ok()) return std::move(witness).error().in(label);
  if (witness->curve != circuit.curve)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = fmt::format("the witness is over {}, the circuit over {}", name(witness->curve),
                                     name(circuit.curve)),
                 .file = label};
  if (witness->values.size() != circuit.variables)
    return Error{.code = ErrorCode::size_mismatch,
                 .what = fmt::format("the witness has {} wires, the circuit {}", witness->values.size(),
                                     circuit.variables),
                 .hint = "was it made by this circuit's program?",
                 .file = label};
  return {};
}

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return hex(digest);
}

/// Lengths first: no two different requests give the same bytes.
void feed(EVP_MAC_CTX* mac, std::string_view text) {
  const std::uint64_t size = text.size();
  EVP_MAC_update(mac, reinterpret_cast<const unsigned char*>(&size), sizeof size);
  EVP_MAC_update(mac, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

}  // namespace

Result<JobRequest> parse_job_request(std::span<const Part> parts, WallMillis now) {
  JobRequest request;
  bool has_document = false;
  for (const Part& part : parts) {
    if (part.name == "job") {
      if (std::exchange(has_document, true)) return bad("there are two `job` parts");
      PENSTOCK_TRY(read_document(part.content, now, request));
    } else if (part.name == "input" || part.name == "witness") {
      const auto kind = part.name == "input" ? wire::InputKind::json : wire::InputKind::wtns;
      request.inputs.push_back({.kind = kind, .content = part.content});
    } else {
      return bad("a part has an unknown name", "known are job, input and witness");
    }
  }
  if (!has_document) return bad("the `job` part is missing", R"(for example -F 'job={"circuit": "mul"}')");
  if (request.inputs.empty()) return bad("the job has no `input` and no `witness` part");
  return request;
}

Status check_deadline(const JobRequest& request, WallMillis now) {
  if (!request.deadline || *request.deadline > now) return {};
  return Error{.code = ErrorCode::deadline, .what = "the deadline is already past"};
}

Status check_inputs(const JobRequest& request, const wire::CircuitRef& circuit) {
  for (std::size_t index = 0; index < request.inputs.size(); ++index) {
    const JobInput& input = request.inputs[index];
    if (input.content.size() > max_input_bytes)
      return Error{.code = ErrorCode::body_too_large,
                   .what = fmt::format("an input is larger than {} MiB, the most a task carries",
                                       max_input_bytes >> 20),
                   .file = fmt::format("input {}", index)};
    if (input.kind == wire::InputKind::wtns) {
      PENSTOCK_TRY(check_witness_input(input.content, index, circuit));
    } else {
      if (!circuit.has_wasm)
        return bad("the circuit has no witness program: it takes `witness` parts only",
                   "register it with its wasm, or compute the witness yourself");
      PENSTOCK_TRY(check_json_input(input.content, index));
    }
  }
  return {};
}

bool is_idempotency_key(std::string_view key) {
  return !key.empty() && key.size() <= 255 &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > 32 && c < 127; });
}

IdempotencyMark mark_of(std::string_view key, const JobRequest& request) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> hmac(EVP_MAC_fetch(nullptr, "HMAC", nullptr),
                                                               &EVP_MAC_free);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> mac(EVP_MAC_CTX_new(hmac.get()),
                                                                      &EVP_MAC_CTX_free);
  char digest_name[] = "SHA256";
  const OSSL_PARAM options[] = {OSSL_PARAM_construct_utf8_string("digest", digest_name, 0),
                                OSSL_PARAM_construct_end()};
  EVP_MAC_init(mac.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(), options);
  feed(mac.get(), request.document);
  for (const JobInput& input : request.inputs) {
    feed(mac.get(), input.kind == wire::InputKind::wtns ? "wtns" : "json");
    feed(mac.get(), input.content);
  }
  std::array<unsigned char, 32> digest{};
  std::size_t size = 0;
  EVP_MAC_final(mac.get(), digest.data(), &size, digest.size());
  return {.key_hash = sha256("penstock-idempotency-1:" + std::string(key)), .body_hash = hex(digest)};
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || !(value >= 0) || value > 1e9) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  double millis = 0;
  if (unit == "ms") {
    millis = value;
  } else if (unit.empty() || unit == "s") {
    millis = value * 1e3;
  } else if (unit == "m") {
    millis = value * 60e3;
  } else if (unit == "h") {
    millis = value * 3600e3;
  } else {
    return std::nullopt;
  }
  if (millis > std::chrono::duration<double, std::milli>(longest_deadline).count()) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(millis));
}

}  // namespace penstock::queue
