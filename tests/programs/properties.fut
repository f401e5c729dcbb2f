-- Properties hold for values that are made by type, of fixed sizes too, or by a generator.
-- ==
-- property: reversed_twice squares_are_not_negative
-- property: sizes_are_kept

-- ==
-- property: points_by_size

-- ==
-- property: shapes_have_areas

-- ==
-- entry: area
-- input { 3i64 } output { 9i64 }

type point = {x: i32, label: bool}

type shape = #square u8 | #box u8 u8 | #nothing

#[prop]
entry reversed_twice (xs: []i16) : bool =
  and (map2 (==) (reverse (reverse xs)) xs)

#[prop(size(7))]
entry squares_are_not_negative (rows: [](f64, f32)) : bool =
  length rows == 7 && all (\(a, b) -> a * a >= 0 && b >= -1 && b <= 1) rows

#[prop]
entry sizes_are_kept (table: [3][2]i8, tail: []u16) : bool =
  length table == 3 && length tail == 50

entry points (size: i64) (seed: u64) : []point =
  tabulate size (\i -> {x = i32.i64 i, label = u64.i64 i < seed})

#[prop(gen(points), size(5))]
entry points_by_size (ps: []point) : bool =
  i32.sum (map (.x) ps) == 10

#[prop(size(4))]
entry shapes_have_areas (shapes: []shape) : bool =
  let area (s: shape) : i64 =
    match s
    case #square a -> i64.u8 a * i64.u8 a
    case #box a b -> i64.u8 a * i64.u8 b
    case #nothing -> 0
  in all (\s -> area s >= 0 && area s <= 255 * 255) shapes

entry area (a: i64) = a * a
