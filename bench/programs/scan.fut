-- Prefix sums and their gradient.
-- ==
-- entry: primal gradient
-- random input { [10000000]f32 }

entry primal [n] (xs: [n]f32): [n]f32 = scan (+) 0 xs
entry gradient [n] (xs: [n]f32): [n]f32 = vjp (\ys -> scan (+) 0 ys) xs (replicate n 1)
