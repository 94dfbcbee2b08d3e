// The command line's HTTP client of a queue: JSON in and out, multipart uploads streamed from files, events.
// Ownership: owns one connection. Threads: one, but stop() may be called from another.
// Errors: what the queue answered ({"code", "message", "hint"}); not_found when nothing answers at the
// address; unauthorized hints at the key.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::cli {

/// One part of a multipart body: a file (streamed) or a text.
struct UploadPart {
  std::string name;
  std::string content_type = "application/octet-stream";
  std::filesystem::path file = {};  ///< when empty, `text` is sent
  std::string text = {};
};

struct ApiAnswer {
  int status = 0;
  nlohmann::json body;
};

class QueueClient {
 public:
  static constexpr std::chrono::seconds default_patience{120};  ///< above the longest long poll
  QueueClient(const std::string& url, const std::string& api_key,
              std::chrono::seconds patience = default_patience);
  ~QueueClient();
  QueueClient(const QueueClient&) = delete;
  QueueClient& operator=(const QueueClient&) = delete;

  using Headers = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Result<ApiAnswer> get(const std::string& path);
  [[nodiscard]] Result<ApiAnswer> post(const std::string& path, const nlohmann::json& body);
  [[nodiscard]] Result<ApiAnswer> remove(const std::string& path);
  [[nodiscard]] Result<ApiAnswer> post_parts(const std::string& path, const std::vector<UploadPart>& parts,
                                             const Headers& headers);
  [[nodiscard]] Result<ApiAnswer> put_parts(const std::string& path, const std::vector<UploadPart>& parts);
  /// Any text body (metrics, readyz); whatever the status.
  [[nodiscard]] Result<std::pair<int, std::string>> get_text(const std::string& path);

  /// Server-sent events until the server ends them, `on_event` returns false or stop() is called.
  using OnEvent = std::function<bool(const std::string& event, const std::string& data)>;
  [[nodiscard]] Status events(const std::string& path, const OnEvent& on_event);
  /// Ends a call in progress from another thread.
  void stop();

  [[nodiscard]] const std::string& url() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Percent-encodes one path component.
[[nodiscard]] std::string path_component(const std::string& text);

}  // namespace penstock::cli
