-- A radix sort of pairs hands out places at the ends of its lists.
import "/prelude/sort"
entry main [n] (xs: [n]i64) = sort_i64.argsort xs
-- expect
--| -- main, line 3: segmented_map over [pieces]
--| counts: [
--|   pointwise] operations [7, 4 * radix, 10 * piece]
--| -- main, line 3: segmented_reduce over [pieces]
--| x: [
--|   in_pieces] operations [4] lanes 4
--| -- main, line 3: segmented_scan over [t]
--| x.2: [
--|   lane_blocks width 4 remainder serialised] operations [3] strip 256 link 65536
--| -- main, line 3: segmented_map over [pieces]
--| x.3: [
--|   pointwise] operations [6, radix, 12 * piece] additions [2 * piece] appends [out ahead 128, out.2 ahead 128]
