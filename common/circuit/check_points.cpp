#include <string>
#include <vector>

#include "common/algebra/subgroup.hpp"
#include "common/circuit/parallel_ranges.hpp"
#include "common/circuit/point_checks.hpp"
#include "common/circuit/proving_key.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint64_t points_per_thread = 256;  // below this a thread costs more than it saves

/// May the point at infinity stand here?
enum class Infinity { allowed, refused };

/// Points that lie together in the file, and how errors call them.
template <class Point>
struct PointRange {
  const char* name;
  UnalignedSpan<Point> points;
  std::uint64_t file_offset;
  Infinity infinity;

  [[nodiscard]] Error refuse(std::uint64_t index, ErrorCode code, const char* why) const {
    const auto called = points.size() == 1 ? std::string(name) : name + ("[" + std::to_string(index) + "]");
    return Error{.code = code, .what = called + why, .offset = file_offset + index * sizeof(Point)};
  }
};

template <class C>
struct KeyPoints {
  std::vector<PointRange<typename C::G1>> g1;
  std::vector<PointRange<typename C::G2>> g2;
};

template <class C>
KeyPoints<C> points_of(const ProvingKey& key) {
  KeyPoints<C> all;
  auto header = key.header_points();
  const auto from_header = [&]<class Point>(std::vector<PointRange<Point>>& group, const char* name) {
    const UnalignedSpan<Point> point(header.first(sizeof(Point)));
    group.push_back({name, point, key.offset_of(header.data()), Infinity::refused});
    header = header.subspan(sizeof(Point));
  };
  from_header(all.g1, "alpha1");
  from_header(all.g1, "beta1");
  from_header(all.g2, "beta2");
  from_header(all.g2, "gamma2");
  from_header(all.g1, "delta1");
  from_header(all.g2, "delta2");
  const auto from_section = [&]<class Point>(std::vector<PointRange<Point>>& group, const char* name,
                                             UnalignedSpan<Point> points) {
    group.push_back({name, points, key.offset_of(points.bytes().data()), Infinity::allowed});
  };
  const auto view = key.view<C>();
  from_section(all.g1, "IC", view.ic);
  from_section(all.g1, "A", view.a);
  from_section(all.g1, "B1", view.b1);
  from_section(all.g2, "B2", view.b2);
  from_section(all.g1, "C", view.c);
  from_section(all.g1, "H", view.h);
  return all;
}

/// The coordinates and the equation of one point, without the subgroup.
template <class C, class Point>
Status check_equation(const PointRange<Point>& range, std::uint64_t index) {
  const auto point = range.points[index];
  if (!has_canonical_residue(point.x) || !has_canonical_residue(point.y))
    return range.refuse(index, ErrorCode::not_canonical, " has a coordinate that is not below the prime");
  if (point.is_infinity() && range.infinity == Infinity::refused)
    return range.refuse(index, ErrorCode::point_off_curve, " is the point at infinity");
  if (!C::on_curve(point)) return range.refuse(index, ErrorCode::point_off_curve, " is off the curve");
  return {};
}

template <class C, class Point>
Status check_equations(const std::vector<PointRange<Point>>& ranges, int threads) {
  for (const auto& range : ranges) {
    const auto bad = lowest_bad_index(range.points.size(), threads, points_per_thread,
                                      [&](std::uint64_t i) { return !check_equation<C>(range, i).ok(); });
    if (bad) return check_equation<C>(range, *bad);
  }
  return {};
}

/// REQUIRES: all points are on the curve.
template <class C, class Point>
Status check_subgroups(const std::vector<PointRange<Point>>& ranges, int threads) {
  for (const auto& range : ranges) {
    const auto useful = range_count(range.points.size(), threads, points_per_thread);
    const auto outside =
        algebra::find_outside_subgroup<C>(range.points, {.threads = static_cast<unsigned>(useful)});
    if (outside)
      return range.refuse(*outside, ErrorCode::point_not_in_subgroup,
                          " is not in the subgroup of prime order");
  }
  return {};
}

}  // namespace

Status check_points(const ProvingKey& key, const KeyCheckCache* cache, int threads) {
  if (cache != nullptr && cache->contains(key.file_stamp())) return {};
  if (cache != nullptr && cache->contains(key.content_hash())) {
    cache->remember(key.file_stamp());
    return {};
  }
  auto checked = algebra::with_curve(key.shape().curve, [&]<class C>(std::type_identity<C>) -> Status {
    const auto points = points_of<C>(key);
    PENSTOCK_TRY(check_equations<C>(points.g1, threads));
    PENSTOCK_TRY(check_equations<C>(points.g2, threads));
    PENSTOCK_TRY(check_subgroups<C>(points.g1, threads));
    return check_subgroups<C>(points.g2, threads);
  });
  if (!checked.ok()) return std::move(checked).error().in(key.path());
  if (cache != nullptr)
    for (const std::string& name : {key.content_hash(), key.file_stamp()}) cache->remember(name);
  return {};
}

}  // namespace penstock::circuit
