-- | Exponential, logarithm and hyperbolic tangent of f32 in maps and in lanes: within two units in the
-- last place of those of f64, and right at the ends.

def places (n: i64) : [n]f32 = map (\i -> f32.i64 (i * 7919 % 10007) / 10007) (iota n)

-- How far a result is from the right one, in units of the last place of that.
def off (given: f32) (right: f64) : f64 =
  let unit = f64.max (2 ** (f64.floor (f64.log2 (f64.abs right)) - 23)) (2 ** -149)
  in f64.abs (f64.f32 given - right) / unit

def worst (f: f32 -> f32) (g: f64 -> f64) (xs: []f32) : f64 =
  f64.maximum (map (\x -> off (f x) (g (f64.f32 x))) xs)

-- ==
-- entry: errors
-- input { 10000i64 } output { true true true true }
-- input { 7i64 } output { true true true true }
entry errors (n: i64) : (bool, bool, bool, bool) =
  let xs = places n
  in ( worst f32.exp f64.exp (map (\x -> 190 * x - 102) xs) <= 2
     , worst f32.log f64.log (map (\x -> 1e-6 + 3 * x) xs) <= 2
       && worst f32.log f64.log (map (\x -> f32.exp (170 * x - 85)) xs) <= 2
     , worst f32.tanh f64.tanh (map (\x -> 24 * x - 12) xs) <= 2
       && worst f32.tanh f64.tanh (map (\x -> 2 * x - 1) xs) <= 2
     , worst f32.tanh f64.tanh (map (\x -> 1e-20 * x + 1e-30) xs) <= 2
     )

-- Points with a loop inside run in lanes.
-- ==
-- entry: in_lanes
-- input { 1000i64 } output { true }
entry in_lanes (n: i64) : bool =
  let xs = places n
  let rows = opaque (map (\x -> map (\k -> x + f32.i64 k) (iota 9)) xs)
  let f x = f32.exp (-x) + f32.tanh x - f32.log (x + 1)
  let sums = map (\row -> f32.sum (map f row)) rows
  let right x =
    loop sum = 0
    for k < 9 do
      let y = f64.f32 x + f64.i64 k in sum + f64.exp (-y) + f64.tanh y - f64.log (y + 1)
  in and (map2 (\sum x -> f64.abs (f64.f32 sum - right x) < 1e-5) sums xs)

def ends (n: i64) : [n]f32 =
  let some =
    [ 0
    , -0.0
    , f32.inf
    , -f32.inf
    , f32.nan
    , -1
    , 1
    , 88.7
    , 89.5
    , 3.4e38
    , -103
    , -104
    , -110
    , -3.4e38
    , 1e-45
    ]
  in map (\i -> some[i % 15]) (iota n)

-- ==
-- entry: at_ends
-- input { 60i64 }
-- output { [1f32, 1f32, f32.inf, 0f32, f32.nan, 0.36787944f32, 2.7182817f32, 3.3259769e38f32, f32.inf, f32.inf, 1.4e-45f32, 0f32, 0f32, 0f32, 1f32]
--          [-f32.inf, -f32.inf, f32.inf, f32.nan, f32.nan, f32.nan, 0f32, 4.48526f32, 4.49424f32, 88.71923f32, f32.nan, f32.nan, f32.nan, f32.nan, -103.27893f32]
--          [0f32, -0f32, 1f32, -1f32, f32.nan, -0.7615942f32, 0.7615942f32, 1f32, 1f32, 1f32, -1f32, -1f32, -1f32, -1f32, 1e-45f32]
--          true }
entry at_ends (n: i64) : ([15]f32, [15]f32, [15]f32, bool) =
  let xs = opaque (ends n)
  let (exps, logs, tanhs) = (map f32.exp xs, map f32.log xs, map f32.tanh xs)
  let bits = map (\i -> f32.to_bits tanhs[i]) (iota 2)
  in ( exps[:15] :> [15]f32
     , logs[:15] :> [15]f32
     , tanhs[:15] :> [15]f32
     , bits[0] == 0 && bits[1] == 1 << 31
     )
