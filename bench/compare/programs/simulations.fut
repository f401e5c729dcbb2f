-- Steps of things that move.

-- | The accelerations of bodies that attract each other.
entry n_body [n]
             (xs: [n]f32)
             (ys: [n]f32)
             (zs: [n]f32)
             (masses: [n]f32)
             : ([n]f32, [n]f32, [n]f32) =
  let pull x y z =
    let of_one x' y' z' mass =
      let (dx, dy, dz) = (x' - x, y' - y, z' - z)
      let square = dx * dx + dy * dy + dz * dz + 0.01
      let factor = mass / (square * f32.sqrt square)
      in (dx * factor, dy * factor, dz * factor)
    let add (a: f32, b: f32, c: f32) (a', b', c') = (a + a', b + b', c + c')
    in reduce_comm add (0, 0, 0) (map4 of_one xs ys zs masses)
  in unzip3 (map3 pull xs ys zs)

-- | After how many steps each point of the plane has left, at most `most`.
entry mandelbrot (width: i64) (height: i64) (most: i32) : [height][width]i32 =
  let steps y x =
    let a = 3 * f32.i64 x / f32.i64 width - 2.25
    let b = 2.5 * f32.i64 y / f32.i64 height - 1.25
    in (loop (u, v, i) = (0, 0, 0)
        while i < most && u * u + v * v <= 4 do
          (u * u - v * v + a, 2 * u * v + b, i + 1)).2
  in tabulate_2d height width steps

-- | Heat that spreads, with cold around.
entry heat [n] [m] (steps: i64) (xs: [n][m]f32) : [n][m]f32 =
  let at (xs: [n][m]f32) i j = if i >= 0 && i < n && j >= 0 && j < m then xs[i, j] else 0
  in loop xs for _i < steps do
       tabulate_2d n m (\i j ->
                          xs[i, j]
                          + 0.1
                            * (at xs (i - 1) j + at xs (i + 1) j + at xs i (j - 1) + at xs i (j + 1)
                               - 4 * xs[i, j]))

entry heat_gradient [n] [m] (steps: i64) (xs: [n][m]f32) (adjoint: [n][m]f32) : [n][m]f32 =
  vjp (\xs -> map (map (\x -> x * x)) (heat steps xs)) xs adjoint
