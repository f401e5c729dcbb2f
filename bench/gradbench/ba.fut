-- | The eval `ba`, bundle adjustment: how far p observations of points by cameras lie from where the
-- cameras project the points, weighted; and the Jacobian of these errors in compressed rows.
--
-- A camera is its rotation (axis times angle), centre, focal length, principal point and two
-- coefficients of radial distortion.
-- ==
-- entry: objective
-- input { [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.5, 0.5, 0.0, 0.0]] [[1.0, 2.0, 4.0]] [0.5]
--         [[0i32, 0i32]] [[0.0, 0.0]] }
-- output { [[0.5, 0.75]] [0.75] }
-- ==
-- entry: jacobian_is_right
-- input { [[0.1, 0.2, -0.1, 0.3, -0.2, 0.1, 2.0, 0.5, 0.5, 0.01, 0.02]] [[1.0, 2.0, 4.0]] [0.5]
--         [[0i32, 0i32]] [[0.1, 0.2]] }
-- output { true }

type vector = (f64, f64, f64)

def dot (a: vector) (b: vector): f64 = a.0 * b.0 + a.1 * b.1 + a.2 * b.2

def cross (a: vector) (b: vector): vector =
  (a.1 * b.2 - a.2 * b.1, a.2 * b.0 - a.0 * b.2, a.0 * b.1 - a.1 * b.0)

def add (a: vector) (b: vector): vector = (a.0 + b.0, a.1 + b.1, a.2 + b.2)

def scale (s: f64) (a: vector): vector = (s * a.0, s * a.1, s * a.2)

-- | Rodrigues' formula.
def rotate_by (rotation: vector) (x: vector): vector =
  let squared_angle = dot rotation rotation
  in if squared_angle == 0
     then add x (cross rotation x)
     else let angle = f64.sqrt squared_angle
          let axis = scale (1 / angle) rotation
          in scale (f64.cos angle) x
             `add` scale (f64.sin angle) (cross axis x)
             `add` scale (dot axis x * (1 - f64.cos angle)) axis

def project (camera: [11]f64) (point: [3]f64): (f64, f64) =
  let three i (xs: []f64) = (xs[i], xs[i + 1], xs[i + 2])
  let (x, y, z) = rotate_by (three 0 camera) (three 0 point `add` scale (-1) (three 3 camera))
  let (u, v) = (x / z, y / z)
  let squared_radius = u * u + v * v
  let distortion = 1 + squared_radius * (camera[9] + squared_radius * camera[10])
  in (u * distortion * camera[6] + camera[7], v * distortion * camera[6] + camera[8])

def projection_error (feature: [2]f64) (camera: [11]f64) (point: [3]f64) (weight: f64): [2]f64 =
  let (u, v) = project camera point
  in [weight * (u - feature[0]), weight * (v - feature[1])]

def weight_error (weight: f64): f64 = 1 - weight * weight

entry objective [n][m][p] (cameras: [n][11]f64) (points: [m][3]f64) (weights: [p]f64)
                          (observations: [p][2]i32) (features: [p][2]f64): ([p][2]f64, [p]f64) =
  ( map3 (\seen feature weight ->
            projection_error feature cameras[seen[0]] points[seen[1]] weight)
         observations features weights
  , map weight_error weights)

-- | The two rows of an observation: derivatives with respect to camera, point and weight.
def rows_of (feature: [2]f64) (camera: [11]f64) (point: [3]f64) (weight: f64): [2][15]f64 =
  map (\unit ->
         let (camera, point, weight) =
           vjp (\(camera, point, weight) -> projection_error feature camera point weight)
               (camera, point, weight) unit
         in camera ++ point ++ [weight] :> [15]f64)
      [[1, 0], [0, 1]]

-- | Where the rows start, the columns, and the values.  Columns are those of cameras, points,
-- weights; rows are two for each observation, then one for each weight.
entry jacobian [n][m][p] (cameras: [n][11]f64) (points: [m][3]f64) (weights: [p]f64)
                         (observations: [p][2]i32) (features: [p][2]f64)
  : ([]i32, []i32, []f64) =
  let rows = map3 (\seen feature weight ->
                     rows_of feature cameras[seen[0]] points[seen[1]] weight)
                  observations features weights
  let first_weight = i32.i64 (11 * n + 3 * m)
  let columns_of (seen: [2]i32) (i: i64): [15]i32 =
    tabulate 15 (\j -> let j = i32.i64 j
                       in if j < 11 then 11 * seen[0] + j
                          else if j < 14 then i32.i64 (11 * n) + 3 * seen[1] + j - 11
                          else first_weight + i32.i64 i)
  let columns = map2 (\seen i -> replicate 2 (columns_of seen i)) observations (iota p)
  let starts = tabulate (3 * p + 1) (\r -> if r <= 2 * p then 15 * r else 28 * p + r)
  in ( map i32.i64 starts
     , flatten_3d columns ++ map (\i -> first_weight + i32.i64 i) (iota p)
     , flatten_3d rows ++ map (\weight -> vjp weight_error weight 1) weights)

-- The rows of the first observation agree with central differences.
entry jacobian_is_right [p] (cameras: [][11]f64) (points: [][3]f64) (weights: [p]f64)
                            (observations: [p][2]i32) (features: [p][2]f64): bool =
  let all_of (camera: [11]f64) (point: [3]f64) (weight: f64) = camera ++ point ++ [weight] :> [15]f64
  let error (x: [15]f64) = projection_error features[0] (take 11 x) (take 3 (drop 11 x)) x[14]
  let x = all_of cameras[observations[0, 0]] points[observations[0, 1]] weights[0]
  let h = 1e-6
  let difference j =
    let moved by = error (map2 (\i y -> if i == j then y + by else y) (iota 15) x)
    in (moved h .- moved (-h)) ./ (2 * h)
  let rows = rows_of features[0] (take 11 x) (take 3 (drop 11 x)) x[14]
  in and (flatten (map2 (map2 (\a b -> f64.abs (a - b) < 1e-6)) rows (transpose (tabulate 15 difference))))
