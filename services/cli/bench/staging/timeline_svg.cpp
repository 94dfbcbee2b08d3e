#include "services/cli/bench/staging/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace penstock::cli::bench {
namespace {

using telemetry::IdleReason;
using telemetry::Interval;

constexpr double left = 110, width = 1080, top = 46, strip = 22, gap = 8, curve_height = 120;
constexpr std::size_t bins = 120;

constexpr std::array<std::string_view, 5> idle_colours = {"#7b241c", "#8e44ad", "#e67e22", "#c0392b",
                                                          "#d5d8dc"};
constexpr std::string_view busy_colour = "#1e8449", copy_colour = "#2e86c1";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

class Drawing {
 public:
  Drawing(SteadyTime begin, SteadyTime end, double height) : begin_(begin), end_(end) {
    fmt::format_to(std::back_inserter(text_),
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                   "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                   left + width + 20, height);
  }
  void words(double x, double y, std::string_view what, std::string_view more = "") {
    fmt::format_to(std::back_inserter(text_), "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more,
                   escaped(what));
  }
  /// Cut to the pictured time; nothing is drawn outside it.
  void bar(Interval when, double y, double height, std::string_view colour) {
    when.begin = std::max(when.begin, begin_);
    when.end = std::min(when.end, end_);
    if (when.begin >= when.end) return;
    const double from = x_of(when.begin);
    box(from, y, std::max(0.3, x_of(when.end) - from), height, colour);
  }
  void box(double x, double y, double wide, double high, std::string_view colour) {
    fmt::format_to(std::back_inserter(text_),
                   "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                   wide, high, colour);
  }
  void frame(double y, double height) {
    fmt::format_to(std::back_inserter(text_),
                   "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"none\" "
                   "stroke=\"#aab7b8\"/>\n",
                   left, y, width, height);
  }
  [[nodiscard]] std::string close() { return text_ + "</svg>\n"; }

 private:
  [[nodiscard]] double x_of(SteadyTime at) const {
    return left + width * (Seconds(at - begin_) / Seconds(end_ - begin_));
  }
  SteadyTime begin_, end_;
  std::string text_;
};

/// The share of each bin in which the device was busy.
std::vector<double> busy_shares(const StagingResult& result, SteadyTime begin, SteadyTime end) {
  std::vector<double> shares(bins, 0);
  const Seconds each = Seconds(end - begin) / bins;
  for (const auto& piece : result.account) {
    if (piece.reason) continue;
    for (std::size_t i = 0; i < bins; ++i) {
      const Seconds from = std::max(Seconds(piece.when.begin - begin), each * static_cast<double>(i));
      const Seconds to = std::min(Seconds(piece.when.end - begin), each * static_cast<double>(i + 1));
      if (from < to) shares[i] += (to - from) / each;
    }
  }
  return shares;
}

void draw_curve(Drawing& drawing, const std::vector<double>& shares, double y) {
  const double each = width / static_cast<double>(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double high = curve_height * std::min(1.0, shares[i]);
    drawing.box(left + each * static_cast<double>(i), y + curve_height - high, each + 0.2, high, "#82c99a");
  }
  drawing.frame(y, curve_height);
  drawing.words(left - 10, y + 12, "100 %", "text-anchor=\"end\"");
  drawing.words(left - 10, y + curve_height / 2, "device busy", "text-anchor=\"end\"");
  drawing.words(left - 10, y + curve_height, "0 %", "text-anchor=\"end\"");
}

void draw_account(Drawing& drawing, const StagingResult& result, double y) {
  for (const auto& piece : result.account)
    drawing.bar(piece.when, y, strip,
                piece.reason ? idle_colours[static_cast<std::size_t>(*piece.reason)] : busy_colour);
  drawing.words(left - 10, y + strip * 0.7, "device", "text-anchor=\"end\"");
}

void draw_lane(Drawing& drawing, const StagingResult& result, int lane, double y) {
  for (const auto& record : result.lanes) {
    if (record.lane != lane) continue;
    for (const auto& copy : record.device.transfers) drawing.bar(copy, y, strip / 2, copy_colour);
    for (const auto& run : record.device.segments)
      drawing.bar({run.first, run.last}, y + strip / 2, strip / 2, busy_colour);
  }
  drawing.words(left - 10, y + strip * 0.7, fmt::format("lane {}", lane), "text-anchor=\"end\"");
}

void draw_legend(Drawing& drawing, double y) {
  double x = left;
  const auto entry = [&](std::string_view colour, std::string_view what) {
    drawing.box(x, y - 10, 12, 12, colour);
    drawing.words(x + 17, y, what);
    x += 40 + 7.0 * static_cast<double>(what.size());
  };
  entry(busy_colour, "busy, kernels");
  entry(copy_colour, "copies");
  for (const IdleReason reason :
       {IdleReason::transfer, IdleReason::host, IdleReason::no_partition, IdleReason::circuit_load})
    entry(idle_colours[static_cast<std::size_t>(reason)], fmt::format("idle: {}", name(reason)));
}

}  // namespace

std::string timeline_svg(const StagingResult& result, const Picture& picture) {
  if (result.account.empty()) return {};
  SteadyTime begin = result.account.front().when.begin, end = result.account.back().when.end;
  const auto longest = std::chrono::duration_cast<SteadyTime::duration>(picture.longest);
  if (end - begin > longest) {
    begin += (end - begin - longest) / 2;
    end = begin + longest;
  }
  const double lanes_top = top + curve_height + gap + strip + gap;
  const double bottom = lanes_top + result.settings.lanes * (strip + gap);
  Drawing drawing(begin, end, bottom + 50);
  drawing.words(left, 20, picture.title, "font-size=\"14\" font-weight=\"bold\"");
  drawing.words(left, 36, fmt::format("{:.3f} s of the run", Seconds(end - begin).count()));
  draw_curve(drawing, busy_shares(result, begin, end), top);
  draw_account(drawing, result, top + curve_height + gap);
  for (int lane = 0; lane < result.settings.lanes; ++lane)
    draw_lane(drawing, result, lane, lanes_top + lane * (strip + gap));
  draw_legend(drawing, bottom + 24);
  return drawing.close();
}

}  // namespace penstock::cli::bench
