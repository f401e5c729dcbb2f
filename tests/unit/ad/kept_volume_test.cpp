// Comparing amounts of memory whose sizes are not known.
#include "passes/ad/kept_volume.h"

#include <doctest/doctest.h>

#include "ir/names.h"

namespace dagaz::passes::ad {
namespace {

using namespace ir;

struct Volumes {
  Names names = {};
  NameId n = names.fresh("n", scalar_of(ScalarType::i64));
  NameId m = names.fresh("m", scalar_of(ScalarType::i64));

  static KeptVolume of(const std::vector<std::vector<Operand>>& shapes,
                       ScalarType element = ScalarType::f64) {
    KeptVolume volume;
    for (const auto& shape : shapes) volume.add(array_of(element, shape));
    return volume;
  }
};

TEST_CASE("as many numbers fit, and no more") {
  Volumes v;
  const auto nm = Volumes::of({{v.n, v.m}});
  CHECK(Volumes::of({{v.m, v.n}}).fits(nm, 1));
  CHECK(Volumes::of({{v.m, v.n}, {v.n, v.m}}).fits(nm, 2));
  CHECK(!Volumes::of({{v.m, v.n}, {v.n, v.m}}).fits(nm, 1));
  CHECK(Volumes::of({{v.n, v.m}, {v.n, v.m}}, ScalarType::f32).fits(nm, 1));
  CHECK(!Volumes::of({{v.n, v.n}}).fits(nm, 8));
  CHECK(!nm.fits(Volumes::of({{v.n}, {v.m}}), 8));
}

TEST_CASE("constant sizes count as numbers") {
  Volumes v;
  const auto row = Volumes::of({{v.n, i64_operand(4)}});
  CHECK(Volumes::of({{v.n}, {v.n}, {i64_operand(2), v.n}}).fits(row, 1));
  CHECK(!Volumes::of({{v.n, i64_operand(5)}}).fits(row, 1));
  CHECK(Volumes::of({{}, {}}).fits(Volumes::of({{i64_operand(2)}}), 1));
}

TEST_CASE("of what is smaller by a size there may be a few more") {
  Volumes v;
  const auto n = Volumes::of({{v.n}});
  CHECK(Volumes::of({{}, {}, {}}).fits(n, 1));
  CHECK(!Volumes::of({{i64_operand(100)}}).fits(n, 1));
}

TEST_CASE("a loop multiplies what its iterations keep") {
  Volumes v;
  KeptVolume rows = Volumes::of({{v.m}});
  rows.multiply(v.n);
  CHECK(rows.fits(Volumes::of({{v.n, v.m}}), 1));
  rows.multiply(i64_operand(3));
  CHECK(!rows.fits(Volumes::of({{v.n, v.m}}), 2));
  CHECK(rows.fits(Volumes::of({{v.n, v.m}}), 3));
}

}  // namespace
}  // namespace dagaz::passes::ad
