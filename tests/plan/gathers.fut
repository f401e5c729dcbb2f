-- What reads at places that it reads waits for that: its results do not go past the caches, as those
-- of a copy do.
entry places [n] [m] (xs: [n]f32) (is: [m]i32) = map (\i -> xs[i64.i32 i]) is

entry twice [n] (xs: [n]f32) = map (* 2) xs
-- expect
--| -- places, line 3: segmented_map over [m]
--| x: [
--|   pointwise] operations [6]
--| -- twice, line 5: segmented_map over [n]
--| x.2: [
--|   pointwise] operations [3] lanes 4 strip 256
