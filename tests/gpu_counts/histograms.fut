-- Histograms of 16, 1000 and 1000000 bins, by operators that hardware has as atomic instructions,
-- one that it has not, and one on pairs.
-- spills: sm_90 kernels 0
-- counts: counted_16 [1000000]i64: launches 1, waits 1
-- counts: counted_1k [1000000]i64: launches 1, waits 1
-- counts: counted_1m [1000000]i64: launches 1, waits 1
-- counts: sums_16 [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: sums_1k [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: sums_1m [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: greatest_16 [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: greatest_1k [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: greatest_1m [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: arg_16 [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: arg_1k [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: arg_1m [1000000]i64 [1000000]f32: launches 1, waits 1
-- moves: counted_16 [100000]i64: loads 800000, stores 64, sectors 100
-- moves: counted_1k [100000]i64: loads 800000, stores 4000, sectors 100
-- moves: counted_1m [100000]i64: loads 800000, stores 4000000, sectors 100
-- moves: sums_16 [100000]i64 [100000]f32: loads 1200000, stores 64, sectors 100
-- moves: sums_1k [100000]i64 [100000]f32: loads 1200000, stores 4000, sectors 100
-- moves: sums_1m [100000]i64 [100000]f32: loads 1200000, stores 4000000, sectors 100
-- moves: greatest_16 [100000]i64 [100000]f32: loads 1200000, stores 64, sectors 100
-- moves: greatest_1k [100000]i64 [100000]f32: loads 1200000, stores 4000, sectors 100
-- moves: greatest_1m [100000]i64 [100000]f32: loads 1200000, stores 4000000, sectors 100
-- moves: arg_16 [100000]i64 [100000]f32: loads 1200000, stores 192 now 141696, sectors 100
-- moves: arg_1k [100000]i64 [100000]f32: loads 1200000, stores 12000 now 168040, sectors 100
-- moves: arg_1m [10000]i64 [10000]f32: loads 120000, stores 12000000 now 16000096, sectors 100
entry counted_16 [n] (is: [n]i64) = reduce_by_index (replicate 16 0i32) (+) 0 is (replicate n 1)
entry counted_1k [n] (is: [n]i64) = reduce_by_index (replicate 1000 0i32) (+) 0 is (replicate n 1)
entry counted_1m [n] (is: [n]i64) =
  reduce_by_index (replicate 1000000 0i32) (+) 0 is (replicate n 1)
entry sums_16 [n] (is: [n]i64) (xs: [n]f32) = reduce_by_index (replicate 16 0) (+) 0 is xs
entry sums_1k [n] (is: [n]i64) (xs: [n]f32) = reduce_by_index (replicate 1000 0) (+) 0 is xs
entry sums_1m [n] (is: [n]i64) (xs: [n]f32) = reduce_by_index (replicate 1000000 0) (+) 0 is xs
def greatest k = \is xs -> reduce_by_index (replicate k (-f32.inf)) f32.max (-f32.inf) is xs
entry greatest_16 [n] (is: [n]i64) (xs: [n]f32) = greatest 16 is xs
entry greatest_1k [n] (is: [n]i64) (xs: [n]f32) = greatest 1000 is xs
entry greatest_1m [n] (is: [n]i64) (xs: [n]f32) = greatest 1000000 is xs
def arg k = \is xs ->
  reduce_by_index (replicate k (-f32.inf, -1i64)) 
    (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (-f32.inf, -1)
    is (zip xs (indices xs))
entry arg_16 [n] (is: [n]i64) (xs: [n]f32) = arg 16 is xs
entry arg_1k [n] (is: [n]i64) (xs: [n]f32) = arg 1000 is xs
entry arg_1m [n] (is: [n]i64) (xs: [n]f32) = arg 1000000 is xs
