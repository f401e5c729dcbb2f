-- | Rows that lie where data says, and that each point reads again and again: embeddings of words
-- before a layer.

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

def table (v: i64) (e: i64) : [v][e]f32 =
  tabulate_2d v e (\i j -> f32.i64 ((i * 31 + j * 17) % 11) - 5)

def words (n: i64) (v: i64) : [n]i64 = map (\i -> i * 7919 % v) (iota n)

def layer [v] [e] [h] (embeddings: [v][e]f32) (w: [h][e]f32) (u: [h][e]f32) (x: i64) : [h]f32 =
  map2 (\a b -> f32.max 0 (dot a embeddings[x]) + dot b embeddings[x]) w u

-- ==
-- entry: layers
-- input { 100i64 13i64 24i64 20i64 } output { true }
-- input { 37i64 5i64 3i64 2i64 } output { true }
-- input { 5i64 5i64 40i64 33i64 } output { true }
-- input { 64i64 5i64 0i64 4i64 } output { true }
-- input { 64i64 5i64 4i64 0i64 } output { true }
entry layers (n: i64) (v: i64) (e: i64) (h: i64) : bool =
  let (embeddings, w, u) = (opaque (table v e), opaque (table h e), opaque (table (h + 1) e)[1:] :> [h][e]f32)
  let xs = opaque (words n v)
  let given = opaque (map (layer embeddings w u) xs)
  let right x i =
    let sum (m: [h][e]f32) = loop s = 0 for k < e do s + m[i, k] * embeddings[x, k]
    in f32.max 0 (sum w) + sum u
  in and (map2 (\row x -> and (map2 (\y i -> y == right x i) row (iota h))) given xs)

-- ==
-- entry: places
-- input { [0i64, 3i64, 1i64, 2i64, 0i64, 1i64, 3i64, 3i64, 2i64, 0i64, 0i64, 1i64, 2i64, 0i64, 3i64, 1i64, 2i64] } output { true }
-- input { [0i64, 3i64, 1i64, 2i64, 0i64, 1i64, 3i64, 3i64, 2i64, 0i64, 0i64, 1i64, 2i64, 0i64, 3i64, 4i64, 2i64] } error: Index \[4\] out of bounds
-- input { [-1i64] } error: Index \[-1\] out of bounds
entry places [n] (xs: [n]i64) : bool =
  let embeddings = opaque (table 4 9)
  let given = map (layer embeddings (table 6 9) (table 6 9)) xs
  in n == 0 || given[0, 0] == (layer embeddings (table 6 9) (table 6 9) xs[0])[0]

-- The gradient adds to the rows of the table.
-- ==
-- entry: gradient
-- input { 50i64 } output { true }
entry gradient (n: i64) : bool =
  let (embeddings, w) = (opaque (table 6 10), opaque (table 8 10))
  let xs = opaque (words n 6)
  let loss t = f32.sum (map (\x -> f32.sum (map (\a -> let y = dot a t[x] in y * y) w)) xs)
  let given = vjp loss embeddings 1
  let times x = f32.i64 (i64.sum (map (\y -> i64.bool (y == x)) xs))
  let right x k = times x * f32.sum (map (\a -> 2 * a[k] * dot a embeddings[x]) w)
  in and (map2 (\row x -> and (map2 (\y k -> f32.abs (y - right x k) <= 1e-3 * f32.abs y + 1e-3) row (iota 10)))
               given
               (iota 6))
