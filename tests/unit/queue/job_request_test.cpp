#include "services/queue/job_request.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

const WallMillis now(std::chrono::milliseconds(1764558245678));

Result<JobRequest> parse(std::string_view document, std::vector<Part> more = {{"input", "", "{}"}}) {
  std::vector<Part> parts = {{"job", "", document}};
  parts.insert(parts.end(), more.begin(), more.end());
  return parse_job_request(parts, now);
}
ErrorCode code_of(const Result<JobRequest>& request) {
  EXPECT_FALSE(request.ok());
  return request.ok() ? ErrorCode::internal : request.error().code;
}
std::string vector_file(const std::string& path) {
  std::ifstream file(std::string(PENSTOCK_TEST_VECTORS) + "/" + path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

TEST(JobRequest, a_job_names_its_circuit_and_brings_inputs) {
  const auto request =
      parse(R"({"circuit":"mul","priority":"high"})", {{"input", "", "{}"}, {"witness", "", "wtns"}});
  ASSERT_TRUE(request.ok()) << to_string(request.error());
  EXPECT_EQ(request->circuit, "mul");
  EXPECT_EQ(request->priority, wire::Priority::high);
  EXPECT_FALSE(request->deadline);
  ASSERT_EQ(request->inputs.size(), 2u);
  EXPECT_EQ(request->inputs[0].kind, wire::InputKind::json);
  EXPECT_EQ(request->inputs[1].kind, wire::InputKind::wtns);
}

// Fault 15 of the reference system: accepted but ignored.
TEST(JobRequest, nothing_is_accepted_and_ignored) {
  EXPECT_EQ(code_of(parse(R"({"circuit":"mul","colour":"red"})")), ErrorCode::bad_request);
  EXPECT_EQ(code_of(parse(R"({"circuit":"mul"})", {{"input", "", "{}"}, {"inputs", "", "{}"}})),
            ErrorCode::bad_request);
  const auto webhook = parse(R"({"circuit":"mul","webhook":"https://example.org"})");
  EXPECT_EQ(code_of(webhook), ErrorCode::bad_request);
  EXPECT_NE(webhook.error().what.find("not supported yet"), std::string::npos);
}

TEST(JobRequest, malformed_documents_are_refused) {
  for (const char* document : {"", "[]", "{", "null", "{}", R"({"circuit":1})", R"({"circuit":""})",
                               R"({"circuit":"../x"})", R"({"circuit":"a","priority":"urgent"})",
                               R"({"circuit":"a","priority":3})", "{\"circuit\":\"\xff\"}"})
    EXPECT_EQ(code_of(parse(document)), ErrorCode::bad_request) << document;
  EXPECT_EQ(code_of(parse("{\"circuit\":\"" + std::string(70000, 'a') + "\"}")), ErrorCode::body_too_large);
  EXPECT_EQ(code_of(parse(R"({"circuit":"a"})", {})), ErrorCode::bad_request);
  EXPECT_EQ(code_of(parse(R"({"circuit":"a"})", {{"job", "", R"({"circuit":"b"})"}, {"input", "", "{}"}})),
            ErrorCode::bad_request);
  EXPECT_EQ(code_of(parse_job_request(std::vector<Part>{{"input", "", "{}"}}, now)), ErrorCode::bad_request);
}

TEST(JobRequest, deadlines_are_durations_seconds_or_times_of_day) {
  EXPECT_EQ(parse(R"({"circuit":"a","deadline":"90s"})")->deadline, now + 90s);
  EXPECT_EQ(parse(R"({"circuit":"a","deadline":1.5})")->deadline, now + 1500ms);
  EXPECT_EQ(parse(R"({"circuit":"a","deadline":"2025-12-01T04:00:00Z"})")->deadline,
            from_iso8601("2025-12-01T04:00:00Z"));
  EXPECT_FALSE(parse(R"({"circuit":"a","deadline":null})")->deadline);
  for (const char* past :
       {R"({"circuit":"a","deadline":"2025-12-01T02:00:00Z"})", R"({"circuit":"a","deadline":"0s"})"})
    EXPECT_EQ(check_deadline(*parse(past), now).error().code, ErrorCode::deadline) << past;
  EXPECT_TRUE(check_deadline(*parse(R"({"circuit":"a","deadline":"1ms"})"), now).ok());
  EXPECT_TRUE(check_deadline(*parse(R"({"circuit":"a"})"), now).ok());
  for (const char* value :
       {"-1", "0", "true", "[]", "\"soon\"", "1e300", "\"1e300s\"", "\"3000-01-01T00:00:00Z\""})
    EXPECT_EQ(code_of(parse("{\"circuit\":\"a\",\"deadline\":" + std::string(value) + "}")),
              ErrorCode::bad_request)
        << value;
}

TEST(JobRequest, durations_have_units) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("30"), 30s);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  for (const char* bad : {"", "s", "-1s", "1d", "nan", "inf", "1 s", "9999999999999s"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(JobRequest, json_inputs_must_be_objects_and_the_circuit_must_have_a_program) {
  wire::CircuitRef circuit{.id = CircuitId("c"), .name = "c", .has_wasm = true};
  const auto check = [&](std::string_view content) {
    return check_inputs({.circuit = "c",
                         .priority = {},
                         .deadline = {},
                         .document = {},
                         .inputs = {{.kind = wire::InputKind::json, .content = content}}},
                        circuit);
  };
  EXPECT_TRUE(check(" {\"a\": [1, \"2\", [3]]} ").ok());
  for (const char* bad : {"", "[]", "\"a\"", "{", "{}x", "{'a':1}", "\xff\xfe"})
    EXPECT_EQ(check(bad).error().code, ErrorCode::bad_format) << bad;
  EXPECT_TRUE(check("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}").ok());
  circuit.has_wasm = false;
  EXPECT_EQ(check("{}").error().code, ErrorCode::bad_request);
}

TEST(JobRequest, witnesses_are_checked_against_the_circuit) {
  const std::string good = vector_file("bn254/chain.wtns");
  wire::CircuitRef circuit{.id = CircuitId("c"), .name = "c", .curve = CurveId::bn254, .variables = 303};
  const auto code = [&](const std::string& bytes) {
    const auto status = check_inputs({.circuit = "c",
                                      .priority = {},
                                      .deadline = {},
                                      .document = {},
                                      .inputs = {{.kind = wire::InputKind::wtns, .content = bytes}}},
                                     circuit);
    return status.ok() ? std::string("ok") : std::string(name(status.error().code));
  };
  EXPECT_EQ(code(good), "ok");
  EXPECT_EQ(code(vector_file("bn254/f_badprime.wtns")), "wrong_prime");
  EXPECT_EQ(code(vector_file("bn254/f_empty.wtns")), "file_truncated");
  EXPECT_EQ(code(vector_file("bn254/f_ff.wtns")), "not_canonical");
  EXPECT_EQ(code(vector_file("bls12_381/chain.wtns")), "curve_mismatch");
  EXPECT_EQ(code(vector_file("bn254/mul.wtns")), "size_mismatch");
}

TEST(JobRequest, marks_tell_requests_apart_and_reveal_nothing) {
  const auto mark = [](std::string_view key, std::string_view document, std::vector<Part> inputs) {
    std::vector<Part> parts = {{"job", "", document}};
    parts.insert(parts.end(), inputs.begin(), inputs.end());
    return mark_of(key, parse_job_request(parts, now).value());
  };
  const auto first = mark("key-1", R"({"circuit":"a","priority":"low"})", {{"input", "", "{\"a\":\"1\"}"}});
  EXPECT_EQ(first,
            mark("key-1", R"( {"priority":"low", "circuit":"a"} )", {{"input", "x.json", "{\"a\":\"1\"}"}}));
  const std::vector<IdempotencyMark> others = {
      mark("key-1", R"({"circuit":"a","priority":"low"})", {{"input", "", "{\"a\":\"2\"}"}}),
      mark("key-1", R"({"circuit":"a","priority":"low"})", {{"witness", "", "{\"a\":\"1\"}"}}),
      mark("key-1", R"({"circuit":"b","priority":"low"})", {{"input", "", "{\"a\":\"1\"}"}}),
      mark("key-1", R"({"circuit":"a","priority":"low"})",
           {{"input", "", "{\"a\":\"1\"}"}, {"input", "", "{}"}})};
  for (const auto& other : others) {
    EXPECT_EQ(other.key_hash, first.key_hash);
    EXPECT_NE(other.body_hash, first.body_hash);
  }
  // The body's hash is keyed: the same low-entropy input under another key gives another hash.
  const auto second = mark("key-2", R"({"circuit":"a","priority":"low"})", {{"input", "", "{\"a\":\"1\"}"}});
  EXPECT_NE(second.key_hash, first.key_hash);
  EXPECT_NE(second.body_hash, first.body_hash);
  EXPECT_EQ(first.key_hash.size(), 64u);
  EXPECT_EQ(first.body_hash.size(), 64u);
}

TEST(JobRequest, idempotency_keys_are_short_and_printable) {
  EXPECT_TRUE(is_idempotency_key("a"));
  EXPECT_TRUE(is_idempotency_key(std::string(255, 'k')));
  for (const std::string& bad :
       {std::string(), std::string(256, 'k'), std::string("a b"), std::string("\xc3\xa4")})
    EXPECT_FALSE(is_idempotency_key(bad));
}

}  // namespace
}  // namespace penstock::queue::test
