-- A radix sort hands out places at the ends of its lists.
import "/prelude/sort"
entry main [n] (xs: [n]i32) = sort_i32.sort xs
-- expect
--| -- main, line 3: segmented_map over [pieces]
--| counts: [
--|   pointwise] operations [5, radix, 10 * piece]
--| -- main, line 3: segmented_scan over [t]
--| ends: [
--|   lane_blocks width 4 remainder serialised] operations [2] strip 1024
--| -- main, line 3: segmented_reduce over [radix]
--| x: [
--|   in_pieces] operations [3]
--| -- main, line 3: segmented_map over [pieces]
--| x.2: [
--|   pointwise] operations [7, 2 * radix, 11 * piece] additions [piece] appends [out ahead 128]
