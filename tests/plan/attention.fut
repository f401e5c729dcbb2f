-- Two products around a softmax.
entry main [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) =
  let s = map (\x -> map (\y -> f32.sum (map2 (*) x y)) k) q
  let a = map (\r -> let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let t = f32.sum e in map (/ t) e) s
  in map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose v)) a
