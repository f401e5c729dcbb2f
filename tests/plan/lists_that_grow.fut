-- Each element goes to the end of one of 256 lists: the schedule says how far ahead of it is fetched.
entry main [p] [n] (starts: [p][256]i64) (rows: [p][n]i32) : [p][n]i32 =
  map2 (\start row ->
          (loop (out, ends) = (replicate n 0, copy start)
           for x in row do
             #[unsafe]
             let list = i64.i32 (x & 255)
             let place = ends[list]
             in (out with [place] = x, ends with [list] = place + 1)).0)
       starts
       rows
-- expect
--| -- main, line 3: segmented_map over [p]
--| x: [
--|   pointwise] operations [259, 9 * n] appends [x.2 ahead 128]
