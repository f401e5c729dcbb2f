-- | The eval `kmeans`: the sum over points of the squared distance to the nearest centroid, and
-- Newton's direction for the centroids, the gradient over the diagonal of the Hessian.  The Hessian
-- has no other entries, so its product with a vector of ones is its diagonal.
-- ==
-- entry: cost
-- input { [[0.0, 0.0], [2.0, 0.0], [5.0, 5.0]] [[0.5, 0.0], [5.0, 4.0]] } output { 3.5 }
-- ==
-- entry: dir
-- input { [[0.0, 0.0], [2.0, 0.0], [5.0, 5.0]] [[0.5, 0.0], [5.0, 4.0]] }
-- output { [[-0.5, 0.0], [0.0, -1.0]] }

def squared_distance [d] (p: [d]f64) (q: [d]f64): f64 =
  f64.sum (map2 (\a b -> (a - b) * (a - b)) p q)

entry cost [n][k][d] (points: [n][d]f64) (centroids: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (squared_distance p) centroids)) points)

entry dir [n][k][d] (points: [n][d]f64) (centroids: [k][d]f64): [k][d]f64 =
  let gradient c = vjp (cost points) c 1
  let ones = replicate k (replicate d 1)
  let (slope, curvature) = jvp2 gradient centroids ones
  in slope ./ curvature
