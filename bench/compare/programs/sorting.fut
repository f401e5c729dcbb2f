-- Sorting by the library.
import "/prelude/sort"

entry sorted_i32 [n] (xs: [n]i32) : [n]i32 = sort_i32.sort xs

entry sorted_f32 [n] (xs: [n]f32) : [n]f32 = sort_f32.sort xs

entry order_f32 [n] (xs: [n]f32) : [n]i64 = sort_f32.argsort xs
