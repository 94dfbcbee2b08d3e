#include <algorithm>

#include "common/wire/codec_internal.hpp"

namespace penstock::wire::codec {
namespace {

/// The length of the valid UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies above U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

}  // namespace

Error bad(std::string_view field, std::string_view why) {
  return Error{.code = ErrorCode::bad_format,
               .what = "the message's " + std::string(field) + " " + std::string(why)};
}

capnp::Text::Reader text_of(std::string_view text) {
  return {text.data(), text.size()};
}

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(std::min(text.size(), max_text_bytes));
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (out.size() + std::max<std::size_t>(length, 1) > max_text_bytes) break;
    if (length == 0)
      out += '?';
    else
      out.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

Result<std::string> text(capnp::Text::Reader reader, std::string_view field) {
  if (reader.size() > max_text_bytes) return bad(field, "is too long");
  return clean({reader.begin(), reader.size()});
}

Result<std::string> safe_name(capnp::Text::Reader reader, std::string_view field) {
  const std::string_view name(reader.begin(), reader.size());
  if (!is_safe_name(name)) return bad(field, "is not a name of 1 to 64 letters, digits, '_', '-' or '.'");
  return std::string(name);
}

Result<CircuitId> circuit_id(capnp::Text::Reader reader) {
  const std::string_view id(reader.begin(), reader.size());
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (id.size() != 64 || !std::all_of(id.begin(), id.end(), is_hex))
    return bad("circuit id", "is not 64 hex digits");
  return CircuitId(std::string(id));
}

Result<std::chrono::milliseconds> milliseconds(std::uint64_t count, std::string_view field) {
  if (count > max_milliseconds) return bad(field, "is longer than ten years");
  return std::chrono::milliseconds(count);
}

std::uint64_t to_count(std::chrono::milliseconds time) {
  return std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)), max_milliseconds);
}

Result<std::vector<std::string>> endpoints(capnp::List<capnp::Text>::Reader list) {
  if (list.size() > max_endpoints) return bad("list of endpoints", "is too long");
  std::vector<std::string> out;
  for (const auto item : list) out.push_back(PENSTOCK_TRY(text(item, "endpoint")));
  return out;
}

void write_endpoints(capnp::List<capnp::Text>::Builder list, const std::vector<std::string>& endpoints) {
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, text_of(endpoints[i]));
}

Result<PartitionRef> read(schema::PartitionRef::Reader reader) {
  PartitionRef out;
  out.job = JobId(PENSTOCK_TRY(safe_name(reader.getJob(), "job id")));
  out.index = reader.getIndex();
  out.attempt = reader.getAttempt();
  out.token = FencingToken{reader.getToken()};
  return out;
}

void write(schema::PartitionRef::Builder builder, const PartitionRef& value) {
  builder.setJob(text_of(value.job.text()));
  builder.setIndex(value.index);
  builder.setAttempt(value.attempt);
  builder.setToken(static_cast<std::uint64_t>(value.token));
}

Result<CircuitRef> read(schema::CircuitRef::Reader reader) {
  CircuitRef out;
  out.id = PENSTOCK_TRY(circuit_id(reader.getId()));
  out.name = PENSTOCK_TRY(safe_name(reader.getName(), "circuit name"));
  out.curve = PENSTOCK_TRY(enumerator(reader.getCurve(), CurveId::bls12_381, "curve"));
  out.has_wasm = reader.getHasWasm();
  out.has_r1cs = reader.getHasR1cs();
  out.has_sym = reader.getHasSym();
  out.insecure_dev = reader.getInsecureDev();
  out.variables = reader.getVariables();
  out.publics = reader.getPublics();
  out.domain_size = reader.getDomainSize();
  return out;
}

void write(schema::CircuitRef::Builder builder, const CircuitRef& value) {
  builder.setId(text_of(value.id.text()));
  builder.setName(text_of(value.name));
  builder.setCurve(to_wire<schema::CurveId>(value.curve));
  builder.setHasWasm(value.has_wasm);
  builder.setHasR1cs(value.has_r1cs);
  builder.setHasSym(value.has_sym);
  builder.setInsecureDev(value.insecure_dev);
  builder.setVariables(value.variables);
  builder.setPublics(value.publics);
  builder.setDomainSize(value.domain_size);
}

Status read_error(schema::Error::Reader reader, Error& out) {
  out.code = PENSTOCK_TRY(enumerator(reader.getCode(), ErrorCode::not_found, "error code"));
  out.what = PENSTOCK_TRY(text(reader.getWhat(), "error text"));
  out.hint = PENSTOCK_TRY(text(reader.getHint(), "error hint"));
  out.file = PENSTOCK_TRY(text(reader.getFile(), "error file"));
  if (reader.getHasOffset()) out.offset = reader.getOffset();
  return {};
}

void write(schema::Error::Builder builder, const Error& value) {
  builder.setCode(to_wire<schema::ErrorCode>(value.code));
  builder.setWhat(text_of(clean(value.what)));
  builder.setHint(text_of(clean(value.hint)));
  builder.setFile(text_of(clean(value.file)));
  builder.setHasOffset(value.offset.has_value());
  builder.setOffset(value.offset.value_or(0));
}

Result<telemetry::PhaseTimes> read(capnp::List<schema::PhaseTime>::Reader list) {
  if (list.size() > phase_count) return bad("list of phases", "is too long");
  telemetry::PhaseTimes out;
  for (const auto item : list) {
    const auto phase =
        PENSTOCK_TRY(enumerator(item.getPhase(), static_cast<Phase>(phase_count - 1), "phase"));
    // A year at most: sums of a few records cannot overflow.
    const std::int64_t spent = item.getNanoseconds();
    if (spent < 0 || spent > std::int64_t{366} * 86400 * 1'000'000'000)
      return bad("phase time", "is out of range");
    out.add(phase, telemetry::Duration(spent));
  }
  return out;
}

unsigned phase_times_count(const telemetry::PhaseTimes& times) {
  unsigned count = 0;
  times.for_each([&](Phase, telemetry::Duration) { ++count; });
  return count;
}

void write(capnp::List<schema::PhaseTime>::Builder list, const telemetry::PhaseTimes& times) {
  unsigned i = 0;
  times.for_each([&](Phase phase, telemetry::Duration spent) {
    auto item = list[i++];
    item.setPhase(to_wire<schema::Phase>(phase));
    item.setNanoseconds(spent.count());
  });
}

}  // namespace penstock::wire::codec
