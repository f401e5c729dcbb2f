-- Sorting by the standard library.

import "data"
import "/prelude/sort"

entry floats = numbers

entry integers (n: i64) : [n]i32 = map (\i -> i32.u32 (hash i)) (iota n)

entry sorted_integers [n] (xs: [n]i32) : [n]i32 = sort_i32.sort xs

entry sorted_floats [n] (xs: [n]f32) : [n]f32 = sort_f32.sort xs
