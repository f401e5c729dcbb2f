-- Rows whose steps need each other: the exponentials of a row, in whole vectors and a masked rest.
def main [n] [m] (xss: [n][m]f64) : [n][m]f64 =
  map (\xs ->
         loop xs for _i < 4 do
           let top = f64.maximum xs
           in map (\x -> f64.exp (x - top)) xs)
      xss
-- expect
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 8 when [n >= 32 * resident],
--|   lane_blocks columns 4 width 8 when [n >= 32, 65536 >= 240 * m * n],
--|   lane_blocks columns 2 width 8 when [n >= 16 * resident],
--|   lane_blocks columns 2 width 8 when [n >= 16, 65536 >= 240 * m * n],
--|   lane_blocks width 8 when [n >= 8],
--|   pointwise] operations [18, 240 * m] lanes 4
--| -- main, line 3: map_scan_reduce over [m]
--| x.2: [
--|   pointwise whole_vectors 8]
