-- | A gather reads where its indices say, and fails by one that is outside, wherever that stands: a
-- long loop has several points in one iteration, and some are left at the end.

def table : [3]f32 = [1.5, 2.5, 4]

-- Indices that lie in memory, one of which may be wrong.
def places (n: i64) (bad: i64) (place: i64) : *[n]i64 =
  let good = tabulate n (\i -> i % 3)
  in if bad < n then good with [bad] = place else good

-- ==
-- entry: gathered summed walked
-- input { [2i64, 0, 1] } output { 8f32 }
-- input { [2i64, 0, 1, 1] } output { 10.5f32 }
-- input { [2i64, 0, 1, 1, 0] } output { 12f32 }
-- input { [2i64, 0, 1, 1, 0, 0, 2, 2, 1] } output { 24f32 }
-- input { empty([0]i64) } output { 0f32 }
-- input { [3i64] } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [-1i64, 0, 1, 1, 0, 0, 2, 2, 1] } error: Index \[-1\] out of bounds
-- input { [2i64, 0, 3, 1, 0, 0, 2, 2, 1] } error: Index \[3\] out of bounds
-- input { [2i64, 0, 1, 4, 0, 0, 2, 2, 1] } error: Index \[4\] out of bounds
-- input { [2i64, 0, 1, 1, 0, 0, 2, -9223372036854775808, 1] } error: Index \[-9223372036854775808\]
-- input { [2i64, 0, 1, 1, 0, 0, 2, 2, 5] } error: Index \[5\] out of bounds
entry gathered [n] (is: [n]i64) : f32 =
  let xs = map (\i -> table[i]) is
  in loop sum = 0 for x in xs do sum + x

entry summed [n] (is: [n]i64) : f32 = f32.sum (map (\i -> table[i]) is)

-- | The first that is wrong is told, where iterations follow each other.
-- ==
-- entry: walked
-- input { [2i64, 0, 9, 1, 7, 0, 2, 2, 1] } error: Index \[9\] out of bounds
-- input { [2i64, 0, 1, 1, 0, -7, -9, 2, 1] } error: Index \[-7\] out of bounds
entry walked [n] (is: [n]i64) : f32 = loop sum = 0 for i in is do sum + table[i]

-- | Many, in several tasks.
-- ==
-- entry: many
-- input { 67i64 67i64 0i64 } output { 1.5f32 1.5f32 177.5f32 }
-- input { 67i64 3i64 -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]
-- input { 67i64 64i64 3i64 } error: Index \[3\] out of bounds
-- input { 67i64 66i64 9i64 } error: Index \[9\] out of bounds
-- input { 100000i64 100000i64 0i64 } output { 1.5f32 1.5f32 266665.5f32 }
-- input { 100001i64 100001i64 0i64 } output { 1.5f32 2.5f32 266668f32 }
-- input { 100000i64 0i64 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { 100000i64 4097i64 -5i64 } error: Index \[-5\] out of bounds
-- input { 100000i64 50002i64 77i64 } error: Index \[77\] out of bounds
-- input { 100000i64 99999i64 3i64 } error: Index \[3\] out of bounds
entry many (n: i64) (bad: i64) (place: i64) : (f32, f32, f32) =
  let is = places n bad place
  let xs = map (\i -> table[i]) is
  in (xs[0], xs[n - 1], f32.sum xs)

-- | Their derivatives fail alike.
-- ==
-- entry: counts
-- input { [2i64, 0, 1, 1, 0, 0, 2, 2, 1] } output { [3f32, 3, 3] }
-- input { [2i64, 0, 1, 4, 0, 0, 2, 2, 1] } error: Index \[4\] out of bounds
-- input { [2i64, 0, 1, 1, 0, 0, 2, 2, -1] } error: Index \[-1\] out of bounds
entry counts [n] (is: [n]i64) : [3]f32 =
  vjp (\xs -> map (\i -> xs[i]) is) (copy table) (replicate n 1)

-- ==
-- entry: squares
-- input { [2i64, 0, 1, 1, 0] } output { [6f32, 10, 8] }
-- input { [2i64, 0, 1, 1, 3] } error: Index \[3\] out of bounds
entry squares [n] (is: [n]i64) : [3]f32 =
  vjp (\xs -> f32.sum (map (\i -> xs[i] * xs[i]) is)) (copy table) 1

-- ==
-- entry: many_counts
-- input { 67i64 67i64 0i64 } output { [23f32, 22, 22] }
-- input { 100001i64 100001i64 0i64 } output { [33334f32, 33334, 33333] }
-- input { 67i64 65i64 -7i64 } error: Index \[-7\] out of bounds
-- input { 100001i64 4098i64 3i64 } error: Index \[3\] out of bounds
entry many_counts (n: i64) (bad: i64) (place: i64) : [3]f32 =
  let is = places n bad place
  in vjp (\xs -> map (\i -> xs[i]) is) (copy table) (replicate n 1)
