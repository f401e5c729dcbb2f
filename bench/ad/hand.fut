-- | ADBench's HAND, simple and complicated, as in GradBench, on a made-up hand: every vertex hangs on
-- two bones, triangles join neighbouring vertices.
-- Published sizes: 22 bones, 544 (small) or 10597 (big) vertices, 100 to 100000 correspondences.
-- memory: gradient bones=22 v=544 c=800: gradient <= 2.1 * max(primal, least)
-- ==
-- entry: check
-- input { 22i64 9i64 5i64 } output { true true }
-- input { 22i64 5i64 9i64 } output { true true }

import "../gradbench/ht"
import "data"

-- | A rotation and a shift.
def placement (seed: i64) (bone: i64): [4][4]f64 =
  let part k = noise seed (6 * bone + k)
  let rotation = rotation_about [part 0, part 1, part 2]
  in tabulate_2d 4 4 (\i j ->
                        if i < 3 && j < 3 then rotation[i, j]
                        else if i < 3 then part (3 + i)
                        else f64.bool (i == j))

-- | Parents, base relatives, inverse base absolutes, weights, base positions, whether mirrored,
-- triangles, correspondences, points, theta and us.
entry generate (bones: i64) (v: i64) (c: i64)
  : ([bones]i32, [bones][4][4]f64, [bones][4][4]f64, [v][bones]f64, [v][4]f64, bool, [v][3]i32,
     [c]i32, [c][3]f64, [26]f64, [c][2]f64) =
  let parent bone = i32.i64 (if bone == 0 then -1 else if bone % 4 == 1 then 0 else bone - 1)
  let weight i bone =
    let (first, second) = (i % bones, (i * 5 + 3) % bones)
    in 0.3 * f64.bool (bone == first) + 0.7 * f64.bool (bone == second)
  in ( tabulate bones parent, tabulate bones (placement 1), tabulate bones (placement 2)
     , tabulate_2d v bones weight, map (\row -> copy row with [3] = 1) (noise_2d 3 v 4), false
     , tabulate_2d v 3 (\i j -> i32.i64 ((i + j) % v)), tabulate c (\i -> i32.i64 (i * 7 % v))
     , noise_2d 4 c 3, noise_1d 5 26, map (map (* 0.5)) (noise_2d 6 c 2))

entry primal [b][v][t][c]
    (parents: [b]i32) (relatives: [b][4][4]f64) (inverses: [b][4][4]f64) (weights: [v][b]f64)
    (positions: [v][4]f64) (mirrored: bool) (triangles: [t][3]i32) (correspondences: [c]i32)
    (points: [c][3]f64) (theta: [26]f64) (us: [c][2]f64): []f64 =
  objective_complicated parents relatives inverses weights positions mirrored triangles
                        correspondences points theta us

entry gradient [b][v][t][c]
    (parents: [b]i32) (relatives: [b][4][4]f64) (inverses: [b][4][4]f64) (weights: [v][b]f64)
    (positions: [v][4]f64) (mirrored: bool) (triangles: [t][3]i32) (correspondences: [c]i32)
    (points: [c][3]f64) (theta: [26]f64) (us: [c][2]f64): [][]f64 =
  jacobian_complicated parents relatives inverses weights positions mirrored triangles
                       correspondences points theta us

-- | Along one direction, a weighted sum of the errors: by the Jacobian, and by differences.
entry slopes [b][v][t][c]
    (parents: [b]i32) (relatives: [b][4][4]f64) (inverses: [b][4][4]f64) (weights: [v][b]f64)
    (positions: [v][4]f64) (mirrored: bool) (triangles: [t][3]i32) (correspondences: [c]i32)
    (points: [c][3]f64) (theta: [26]f64) (us: [c][2]f64): (f64, f64) =
  let jacobian = gradient parents relatives inverses weights positions mirrored triangles
                          correspondences points theta us :> [3 * c][28]f64
  let (of_theta, of_us) = (direction 26, unflatten (direction (c * 2)))
  let shares = noise_1d 8 (3 * c)
  let value t =
    dot shares (primal parents relatives inverses weights positions mirrored triangles
                       correspondences points (map2 (\x by -> x + t * by) theta of_theta)
                       (map2 (map2 (\x by -> x + t * by)) us of_us) :> [3 * c]f64)
  let row r = dot jacobian[r] (of_us[r / 3] ++ of_theta :> [28]f64)
  in (dot shares (tabulate (3 * c) row), difference value)

-- The Jacobians times a direction are the derivatives along it.
entry check (bones: i64) (v: i64) (c: i64): (bool, bool) =
  let (parents, relatives, inverses, weights, positions, mirrored, triangles, corresponding,
       points, theta, us) = generate bones v c
  let direction = map (\u -> u - 0.4) (noise_1d 7 26)
  let sideways = map (map (\u -> u - 0.4)) (noise_2d 8 c 2)
  let simple theta =
    objective_simple parents relatives inverses weights positions mirrored corresponding points
                     theta
  let complicated theta us =
    primal parents relatives inverses weights positions mirrored triangles corresponding points
           theta us
  let of_simple =
    jacobian_simple parents relatives inverses weights positions mirrored corresponding points
                    theta :> [3 * c][26]f64
  let of_complicated =
    gradient parents relatives inverses weights positions mirrored triangles corresponding points
             theta us :> [3 * c][28]f64
  let moved t = map2 (\x by -> x + t * by) theta direction
  let moved_us t = map2 (map2 (\x by -> x + t * by)) us sideways
  in ( and (tabulate (3 * c) (\row ->
                                is_slope (\t -> (simple (moved t))[row])
                                         (dot of_simple[row] direction)))
     , and (tabulate (3 * c) (\row ->
                                is_slope (\t -> (complicated (moved t) (moved_us t))[row])
                                         (dot of_complicated[row] (sideways[row / 3] ++ direction :> [28]f64)))))
