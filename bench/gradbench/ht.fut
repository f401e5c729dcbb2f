-- | The eval `ht`, hand tracking: how far measured points lie from the skin of a hand model, whose
-- pose is given by 26 numbers, and the Jacobian of these distances.  In the complicated form a
-- point corresponds to a place on a triangle of the skin, and the place is differentiated too.
--
-- The pose is the hand's rotation (axis times angle), its position, and four angles for each of
-- five fingers.
--
-- Points that are fewer than vertices are placed one by one, without the rest of the skin.
-- ==
-- entry: rotations_are_right
-- input { 0.3 0.7 0.5 }
-- output { true true }

type matrix [n][m] = [n][m]f64

def times [n][m][l] (a: matrix [n][m]) (b: matrix [m][l]): matrix [n][l] =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def identity (n: i64): matrix [n][n] = tabulate_2d n n (\i j -> f64.bool (i == j))

-- | The rotation about an axis by the axis' length.
def rotation_about (axis: [3]f64): matrix [3][3] =
  let angle = f64.sqrt (f64.sum (axis .* axis))
  in if angle < 0.0001
     then identity 3
     else let (x, y, z) = (axis[0] / angle, axis[1] / angle, axis[2] / angle)
          let (s, c) = (f64.sin angle, f64.cos angle)
          in [ [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s]
             , [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s]
             , [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c] ]

-- | Rotations about x, then y, then z, as a transformation of points.
def rotation_by (x: f64) (z: f64) (y: f64): matrix [4][4] =
  let (sx, cx, sy, cy, sz, cz) =
    (f64.sin x, f64.cos x, f64.sin y, f64.cos y, f64.sin z, f64.cos z)
  in [ [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0]
     , [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0]
     , [-sy, cy * sx, cy * cx, 0]
     , [0, 0, 0, 1] ]

-- | Bone 0 is the wrist; each finger has four, the first of which does not turn against the hand,
-- while the second does about two axes.
def bone_rotation (theta: [26]f64) (bone: i64): matrix [4][4] =
  let (finger, part) = ((bone - 1) / 4, (bone - 1) % 4)
  let first = 6 + 4 * finger
  in if bone == 0 || finger >= 5 || part == 0
     then identity 4
     else if part == 1
     then rotation_by theta[first] theta[first + 1] 0
     else rotation_by theta[first + part] 0 0

type model [bones][vertices] =
  { parents: [bones]i32
  , base_relatives: [bones]matrix [4][4]
  , inverse_base_absolutes: [bones]matrix [4][4]
  , weights: [vertices][bones]f64
  , base_positions: [vertices][4]f64
  , is_mirrored: bool }

-- | What a bone does to a point: three rows for its homogeneous coordinates.
type placement = matrix [3][4]

-- | Each bone's placement, from the base pose to the pose.  The rotation and the mirroring of the
-- whole hand are part of it; the translation is apart, since weights need not sum to 1.
def placements [bones][v] (model: model [bones][v]) (theta: [26]f64)
  : ([bones]placement, [3]f64) =
  let relatives =
    map2 (\base bone -> times base (bone_rotation theta bone)) model.base_relatives (iota bones)
  let absolutes =
    loop absolutes = copy relatives for bone < bones do
      let parent = model.parents[bone]
      in if parent == -1
         then absolutes
         else absolutes with [bone] = times (copy absolutes[i64.i32 parent]) relatives[bone]
  let rotation = rotation_about (take 3 theta)
  let mirrored = if model.is_mirrored
                 then map (\row -> [-row[0], row[1], row[2]]) rotation
                 else rotation
  let place absolute inverse = times mirrored (take 3 (times absolute inverse))
  in (map2 place absolutes model.inverse_base_absolutes, take 3 (drop 3 theta))

-- | What a vertex hangs on: its base position for each bone, times the weight.
def hanging [b] (weights: [b]f64) (base: [4]f64): [b * 4]f64 =
  flatten (map (\weight -> map (weight *) base) weights)

-- | Likewise a place on a triangle of the skin, at barycentric coordinates u, v and 1 - u - v.
def hanging_on_triangle [b][v] (model: model [b][v]) (triangle: [3]i32) (u: [2]f64): [b * 4]f64 =
  let (i, j, k) = (triangle[0], triangle[1], triangle[2])
  let (p, q, r) = (model.base_positions[i], model.base_positions[j], model.base_positions[k])
  let shares i share = map (share *) model.weights[i]
  in flatten (map3 (\a b c -> map3 (\x y z -> a * x + b * y + c * z) p q r)
                   (shares i u[0]) (shares j u[1]) (shares k (1 - u[0] - u[1])))

-- | Where a pose puts what hangs on bones: linear in their placements.
def place [b] (bones: [b]placement, translation: [3]f64) (hanging: [b * 4]f64): [3]f64 =
  let rows = map flatten (transpose bones)
  in map2 (\row t -> f64.sum (map2 (*) row hanging) + t) rows translation

-- | The places of the skin's vertices.
def skin [b][v] (model: model [b][v]) (pose: ([b]placement, [3]f64)): [v][3]f64 =
  map2 (\weights base -> place pose (hanging weights base)) model.weights model.base_positions

-- | The point of a triangle at barycentric coordinates u, v and 1 - u - v.
def on_triangle [v] (vertices: [v][3]f64) (triangle: [3]i32) (u: [2]f64): [3]f64 =
  map3 (\p q r -> u[0] * p + u[1] * q + (1 - u[0] - u[1]) * r)
       vertices[triangle[0]] vertices[triangle[1]] vertices[triangle[2]]

-- | How far points lie from the places that correspond to them.
def distances [c] (points: [c][3]f64) (places: [c][3]f64): [c * 3]f64 =
  flatten (map2 (map2 (-)) points places)

-- | Where vertices are: by placing these alone, or the skin.
def vertices_alone [b][v][c] (model: model [b][v]) (correspondences: [c]i32)
    (pose: ([b]placement, [3]f64)): [c][3]f64 =
  map (\i -> place pose (hanging model.weights[i] model.base_positions[i])) correspondences

def vertices_of_skin [b][v][c] (model: model [b][v]) (correspondences: [c]i32)
    (pose: ([b]placement, [3]f64)): [c][3]f64 =
  let vertices = skin model pose
  in map (\i -> vertices[i]) correspondences

-- | Likewise where points of triangles are.  What is alone is the mean of what corners hang on, and
-- is placed once.
def triangles_alone [b][v][t][c] (model: model [b][v]) (triangles: [t][3]i32)
    (correspondences: [c]i32) (pose: ([b]placement, [3]f64)) (us: [c][2]f64): [c][3]f64 =
  map2 (\i u -> place pose (hanging_on_triangle model triangles[i] u)) correspondences us

def triangles_of_skin [b][v][t][c] (model: model [b][v]) (triangles: [t][3]i32)
    (correspondences: [c]i32) (pose: ([b]placement, [3]f64)) (us: [c][2]f64): [c][3]f64 =
  let vertices = skin model pose
  in map2 (\i u -> on_triangle vertices triangles[i] u) correspondences us

entry objective_simple [b][v][c]
    (parents: [b]i32) (base_relatives: [b][4][4]f64) (inverse_base_absolutes: [b][4][4]f64)
    (weights: [v][b]f64) (base_positions: [v][4]f64) (is_mirrored: bool)
    (correspondences: [c]i32) (points: [c][3]f64) (theta: [26]f64): []f64 =
  let model = {parents, base_relatives, inverse_base_absolutes, weights, base_positions,
               is_mirrored}
  let errors places = distances points (places (placements model theta))
  in if c < v
     then errors (vertices_alone model correspondences)
     else errors (vertices_of_skin model correspondences)

entry objective_complicated [b][v][t][c]
    (parents: [b]i32) (base_relatives: [b][4][4]f64) (inverse_base_absolutes: [b][4][4]f64)
    (weights: [v][b]f64) (base_positions: [v][4]f64) (is_mirrored: bool) (triangles: [t][3]i32)
    (correspondences: [c]i32) (points: [c][3]f64) (theta: [26]f64) (us: [c][2]f64): []f64 =
  let model = {parents, base_relatives, inverse_base_absolutes, weights, base_positions,
               is_mirrored}
  let errors places = distances points (places (placements model theta) us)
  in if c < v
     then errors (triangles_alone model triangles correspondences)
     else errors (triangles_of_skin model triangles correspondences)

-- | One row for each error; a column for each number of the pose.
entry jacobian_simple [b][v][c]
    (parents: [b]i32) (base_relatives: [b][4][4]f64) (inverse_base_absolutes: [b][4][4]f64)
    (weights: [v][b]f64) (base_positions: [v][4]f64) (is_mirrored: bool)
    (correspondences: [c]i32) (points: [c][3]f64) (theta: [26]f64): [][]f64 =
  let model = {parents, base_relatives, inverse_base_absolutes, weights, base_positions,
               is_mirrored}
  let jacobian places =
    let errors theta = distances points (places (placements model theta))
    in transpose (jmp errors theta (identity 26))
  in if c < v
     then jacobian (vertices_alone model correspondences)
     else jacobian (vertices_of_skin model correspondences)

-- | First the columns of the places on triangles, each error's own two numbers, then those of the
-- pose.
entry jacobian_complicated [b][v][t][c]
    (parents: [b]i32) (base_relatives: [b][4][4]f64) (inverse_base_absolutes: [b][4][4]f64)
    (weights: [v][b]f64) (base_positions: [v][4]f64) (is_mirrored: bool) (triangles: [t][3]i32)
    (correspondences: [c]i32) (points: [c][3]f64) (theta: [26]f64) (us: [c][2]f64): [][]f64 =
  let model = {parents, base_relatives, inverse_base_absolutes, weights, base_positions,
               is_mirrored}
  let jacobian places =
    let pose = placements model theta
    let errors pose us = distances points (places pose us)
    let of_places = map (\unit -> jvp (errors pose) us (map (const unit) us)) [[1, 0], [0, 1]]
    let of_pose = jmp (\theta -> errors (placements model theta) us) theta (identity 26)
    in transpose (of_places ++ of_pose)
  in if c < v
     then jacobian (triangles_alone model triangles correspondences)
     else jacobian (triangles_of_skin model triangles correspondences)

-- The two ways to make rotations agree, and they are orthogonal.
entry rotations_are_right (x: f64) (z: f64) (y: f64): (bool, bool) =
  let close [n][m] (a: matrix [n][m]) (b: matrix [n][m]) =
    and (flatten (map2 (map2 (\p q -> f64.abs (p - q) < 1e-12)) a b))
  let combined = map (take 3) (take 3 (rotation_by x z y))
  in ( close (times combined (transpose combined)) (identity 3)
     , close (rotation_about [0, 0, z] `times` rotation_about [0, y, 0]
              `times` rotation_about [x, 0, 0])
             combined)
