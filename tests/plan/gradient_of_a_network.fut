-- Products and their transposes.
def loss [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = f32.sum (map (\x -> f32.sum (map (\c -> f32.max 0 (f32.sum (map2 (*) x c))) (transpose w))) xs)
entry main [n][d][h] (xs: [n][d]f32) (w: [d][h]f32) = vjp (loss xs) w 1
