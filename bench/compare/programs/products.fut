-- Products of matrices, and what is like them.

entry product_f32 [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

entry product_f64 [n] [k] [m] (a: [n][k]f64) (b: [k][m]f64) : [n][m]f64 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

entry product_i32 [n] [k] [m] (a: [n][k]i32) (b: [k][m]i32) : [n][m]i32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

entry min_plus [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\row -> map (\column -> reduce f32.min f32.inf (map2 (+) row column)) (transpose b)) a

entry left_transposed [n] [k] [m] (a: [k][n]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) (transpose a)

entry batch [s] [n] [k] [m] (a: [s][n][k]f32) (b: [s][k][m]f32) : [s][n][m]f32 =
  map2 product_f32 a b

entry with_vector [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
  map (\row -> reduce (+) 0 (map2 (*) row x)) a

-- | A matrix by its rows' beginnings, their columns and values, times a vector.
entry sparse [n] [e] [m] (starts: [n]i64) (columns: [e]i64) (values: [e]f64) (x: [m]f64) : [n]f64 =
  tabulate n (\i ->
                let end = if i + 1 < n then starts[i + 1] else e
                in loop sum = 0 for j in starts[i]..<end do sum + values[j] * x[columns[j]])
