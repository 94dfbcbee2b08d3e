#include <string>

#include "common/circuit/point_checks.hpp"
#include "common/circuit/point_ranges.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/subgroup_search.hpp"

namespace penstock::circuit {
namespace {

constexpr std::uint64_t equations_per_thread = 4096;

template <class Point>
bool is_canonical(const Point& point) {
  return has_canonical_residue(point.x) && has_canonical_residue(point.y);
}

/// The coordinates and the equation, without the subgroup.
template <class C, class Point>
Status check_equation(const PointRanges<Point>& points, std::uint64_t index) {
  const auto& range = points.range_of(index);
  const auto point = range.points[index - range.first];
  const auto refuse = [&](ErrorCode code, const char* why) {
    return Error{.code = code, .what = points.name_of(index) + why, .offset = points.file_offset_of(index)};
  };
  if (!is_canonical(point))
    return refuse(ErrorCode::not_canonical, " has a coordinate that is not below the prime");
  if (point.is_infinity() && range.infinity == Infinity::refused)
    return refuse(ErrorCode::point_off_curve, " is the point at infinity");
  if (!C::on_curve(point)) return refuse(ErrorCode::point_off_curve, " is off the curve");
  return {};
}

template <class C, class Point>
Status check_equations(const PointRanges<Point>& points, int threads) {
  const auto bad = lowest_bad_index(points.size(), threads, equations_per_thread,
                                    [&](std::uint64_t i) { return !check_equation<C>(points, i).ok(); });
  return bad ? check_equation<C>(points, *bad) : Status();
}

template <class C, class Point>
Status check_subgroup(const PointRanges<Point>& points, int threads) {
  constexpr bool cofactor_is_one = std::is_same_v<Point, algebra::Bn254::G1>;
  if constexpr (!cofactor_is_one) {
    if (const auto outside = find_outside_subgroup<C>(points, {.threads = threads}))
      return Error{.code = ErrorCode::point_not_in_subgroup,
                   .what = points.name_of(*outside) + " is not in the subgroup of prime order",
                   .offset = points.file_offset_of(*outside)};
  }
  return {};
}

template <class C>
struct KeyPoints {
  PointRanges<typename C::G1> g1;
  PointRanges<typename C::G2> g2;
};

template <class C>
KeyPoints<C> points_of(const ProvingKey& key) {
  KeyPoints<C> all;
  auto header = key.header_points();
  const auto from_header = [&]<class Point>(PointRanges<Point>& group, const char* name) {
    group.add(name, UnalignedSpan<Point>(header.first(sizeof(Point))), key.offset_of(header.data()),
              Infinity::refused);
    header = header.subspan(sizeof(Point));
  };
  from_header(all.g1, "alpha1");
  from_header(all.g1, "beta1");
  from_header(all.g2, "beta2");
  from_header(all.g2, "gamma2");
  from_header(all.g1, "delta1");
  from_header(all.g2, "delta2");
  const auto view = key.view<C>();
  const auto from_section = [&]<class Point>(PointRanges<Point>& group, const char* name,
                                             UnalignedSpan<Point> points) {
    group.add(name, points, key.offset_of(points.bytes().data()), Infinity::allowed);
  };
  from_section(all.g1, "IC", view.ic);
  from_section(all.g1, "A", view.a);
  from_section(all.g1, "B1", view.b1);
  from_section(all.g2, "B2", view.b2);
  from_section(all.g1, "C", view.c);
  from_section(all.g1, "H", view.h);
  return all;
}

}  // namespace

Status check_points(const ProvingKey& key, const KeyCheckCache* cache, int threads) {
  if (cache != nullptr && cache->contains(key.content_hash())) return {};
  auto checked = algebra::with_curve(key.shape().curve, [&]<class C>(std::type_identity<C>) -> Status {
    const auto points = points_of<C>(key);
    PENSTOCK_TRY(check_equations<C>(points.g1, threads));
    PENSTOCK_TRY(check_equations<C>(points.g2, threads));
    PENSTOCK_TRY(check_subgroup<C>(points.g1, threads));
    return check_subgroup<C>(points.g2, threads);
  });
  if (!checked.ok()) return std::move(checked).error().in(key.path());
  if (cache != nullptr) cache->remember(key.content_hash());
  return {};
}

}  // namespace penstock::circuit
