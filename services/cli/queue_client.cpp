#include "services/cli/queue_client.hpp"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "services/cli/sse_parser.hpp"

namespace penstock::cli {
namespace {

constexpr int connect_seconds = 5;
constexpr std::size_t upload_chunk_bytes = std::size_t{1} << 20;

/// A file's content in pieces. Of a thousand that wait for their turn each costs nothing: it is opened at the
/// first piece, has a buffer no larger than itself, and lets go of both at its end.
class FileSource {
 public:
  explicit FileSource(std::filesystem::path path) : path_(std::move(path)) {}
  /// Empty at the end; nullopt when the file cannot be read.
  [[nodiscard]] std::optional<std::string_view> next() {
    if (!file_.is_open()) {
      std::error_code failed;
      const std::uint64_t size = std::filesystem::file_size(path_, failed);
      file_.open(path_, std::ios::binary);
      if (failed || !file_) return std::nullopt;
      chunk_.resize(std::clamp<std::uint64_t>(size, 1, upload_chunk_bytes));
    }
    file_.read(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    if (file_.bad()) return std::nullopt;
    const auto got = static_cast<std::size_t>(file_.gcount());
    if (got > 0) return std::string_view(chunk_).substr(0, got);
    file_.close();
    chunk_ = std::string();
    return std::string_view();
  }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::string chunk_;
};

httplib::MultipartFormDataProvider provider_of(const UploadPart& part) {
  const std::string filename = part.file.filename().string();
  if (part.file.empty())
    return {part.name,
            [text = part.text](std::size_t offset, httplib::DataSink& sink) {
              if (offset < text.size()) return sink.write(text.data() + offset, text.size() - offset);
              sink.done();
              return true;
            },
            filename, part.content_type};
  auto source = std::make_shared<FileSource>(part.file);
  return {part.name,
          [source](std::size_t, httplib::DataSink& sink) {
            const auto piece = source->next();
            if (!piece) return false;
            if (!piece->empty()) return sink.write(piece->data(), piece->size());
            sink.done();
            return true;
          },
          filename, part.content_type};
}

Status expect_readable(const std::vector<UploadPart>& parts) {
  for (const auto& part : parts) {
    if (part.file.empty()) continue;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(part.file, failed) || !std::ifstream(part.file))
      return Error{.code = ErrorCode::file_unreadable,
                   .what = "the file cannot be read",
                   .hint = "check the path",
                   .file = part.file.string()};
  }
  return {};
}

Error error_of(int status, const nlohmann::json& body, const std::string& url) {
  Error error;
  error.what = "the queue answered with status " + std::to_string(status);
  if (body.is_object()) {
    if (const auto code = error_code_from(body.value("code", ""))) error.code = *code;
    error.what = body.value("message", error.what);
    error.hint = body.value("hint", "");
  } else if (status == 404) {
    error.code = ErrorCode::not_found;
    error.hint = "is a penstock queue listening at " + url + "?";
  }
  if (status == 401 || status == 403) {
    error.code = ErrorCode::unauthorized;
    if (error.hint.empty()) error.hint = "give --api-key, PENSTOCK_API_KEY or PENSTOCK_API_KEY_FILE";
  }
  return error;
}

}  // namespace

struct QueueClient::Impl {
  explicit Impl(const std::string& address) : url(address), client(address) {}
  std::string url;
  httplib::Client client;
  std::atomic<bool> stopped = false;

  [[nodiscard]] Error unreachable(httplib::Error reason) const {
    return {.code = ErrorCode::not_found,
            .what = "no queue answers at " + url + " (" + httplib::to_string(reason) + ")",
            .hint = "start one with: penstock up; or name it with --url or PENSTOCK_URL"};
  }
  [[nodiscard]] Result<ApiAnswer> answer(const httplib::Result& result) const {
    if (stopped) return Error{.code = ErrorCode::cancelled, .what = "interrupted"};
    if (!result) return unreachable(result.error());
    ApiAnswer parsed{result->status, nlohmann::json::parse(result->body, nullptr, false)};
    if (result->status < 200 || result->status >= 300) return error_of(parsed.status, parsed.body, url);
    if (parsed.body.is_discarded() && !result->body.empty())
      return Error{.code = ErrorCode::bad_format, .what = "the queue's answer is not JSON"};
    return parsed;
  }
};

QueueClient::QueueClient(const std::string& url, const std::string& api_key, std::chrono::seconds patience)
    : impl_(std::make_unique<Impl>(url)) {
  impl_->client.set_connection_timeout(connect_seconds);
  impl_->client.set_read_timeout(patience);
  impl_->client.set_write_timeout(patience);
  impl_->client.set_keep_alive(true);
  if (!api_key.empty()) impl_->client.set_bearer_token_auth(api_key);
}

QueueClient::~QueueClient() = default;

const std::string& QueueClient::url() const {
  return impl_->url;
}

void QueueClient::stop() {
  impl_->stopped = true;
  impl_->client.stop();
}

Result<ApiAnswer> QueueClient::get(const std::string& path) {
  return impl_->answer(impl_->client.Get(path));
}

Result<ApiAnswer> QueueClient::post(const std::string& path, const nlohmann::json& body) {
  return impl_->answer(impl_->client.Post(path, body.dump(), "application/json"));
}

Result<ApiAnswer> QueueClient::remove(const std::string& path) {
  return impl_->answer(impl_->client.Delete(path));
}

Result<ApiAnswer> QueueClient::post_parts(const std::string& path, const std::vector<UploadPart>& parts,
                                          const Headers& headers) {
  PENSTOCK_TRY(expect_readable(parts));
  httplib::MultipartFormDataProviderItems items;
  for (const auto& part : parts) items.push_back(provider_of(part));
  const httplib::Headers sent(headers.begin(), headers.end());
  return impl_->answer(impl_->client.Post(path, sent, {}, items));
}

Result<ApiAnswer> QueueClient::put_parts(const std::string& path, const std::vector<UploadPart>& parts) {
  PENSTOCK_TRY(expect_readable(parts));
  httplib::MultipartFormDataProviderItems items;
  for (const auto& part : parts) items.push_back(provider_of(part));
  return impl_->answer(impl_->client.Put(path, {}, {}, items));
}

Result<std::pair<int, std::string>> QueueClient::get_text(const std::string& path) {
  const auto result = impl_->client.Get(path);
  if (!result) return impl_->unreachable(result.error());
  return std::pair(result->status, result->body);
}

Status QueueClient::events(const std::string& path, const OnEvent& on_event) {
  int status = 0;
  bool ended_by_us = false;
  std::string refused;
  SseParser parser(on_event);
  const auto result = impl_->client.Get(
      path, httplib::Headers{{"Accept", "text/event-stream"}},
      [&](const httplib::Response& response) {
        status = response.status;
        return true;
      },
      [&](const char* data, std::size_t size) {
        if (status == 200) {
          ended_by_us = !parser.feed({data, size});
          return !ended_by_us;
        }
        refused.append(data, size);
        return true;
      });
  if (impl_->stopped) return Error{.code = ErrorCode::cancelled, .what = "interrupted"};
  if (ended_by_us) return {};
  if (status != 0 && status != 200)
    return error_of(status, nlohmann::json::parse(refused, nullptr, false), impl_->url);
  // A connection that broke after events began is for the caller to take up again.
  if (!result) return impl_->unreachable(result.error());
  return {};
}

std::string path_component(const std::string& text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
      encoded += static_cast<char>(c);
    } else {
      encoded += '%';
      encoded += hex[c >> 4];
      encoded += hex[c & 15];
    }
  }
  return encoded;
}

}  // namespace penstock::cli
