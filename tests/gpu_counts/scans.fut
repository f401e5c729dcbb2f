-- Scans, and what is made of them.  A call that makes an array of unknown size waits for it, too.
-- spills: sm_90 kernels 0
-- counts: prefix_sums [1000000]i64: launches 1, waits 1
-- counts: recurrence [1000000]f64 [1000000]f64: launches 1, waits 1
-- counts: row_scans [10000][100]f32: launches 1, waits 1
-- counts: filtered [1000000]f32: launches 1, waits 1
-- counts: parted [1000000]f32: launches 1, waits 1
-- counts: sorted [1000000]i32: launches 6, waits 1, copies 0 now 1
-- counts: sorted_f32 [1000000]f32: launches 6, waits 1, copies 0
-- counts: fft [1048576]f32 [1048576]f32: launches 20, waits 1, graphs 1
-- moves: prefix_sums [100000]i64: loads 800000, stores 800000, sectors 100
-- moves: recurrence [100000]f64 [100000]f64: loads 1600000, stores 800000, sectors 100
-- moves: row_scans [1000][100]f32: loads 400000, stores 400000, sectors 100
-- moves: filtered [100000]f32: loads 400000, stores 400000, sectors 100
-- moves: parted [100000]f32: loads 400000, stores 400000, sectors 100
-- moves: sorted [100000]i32: loads 2000000 now 2592768, stores 1600000 now 2373024, sectors 101
-- moves: fft [16384]f32 [16384]f32: loads 1835008, stores 1835008, sectors 100
import "/prelude/sort"
entry prefix_sums (xs: []i64) = scan (+) 0 xs
entry recurrence [n] (a: [n]f64) (b: [n]f64) =
  (unzip (scan (\(a0, b0) (a1, b1) -> (a0 * a1, a1 * b0 + b1)) (1, 0) (zip a b))).1
entry row_scans (xs: [][]f32) = map (scan (+) 0) xs
entry filtered (xs: []f32) = filter (>= 0) xs
entry parted (xs: []f32) = partition (>= 0) xs
entry sorted [n] (xs: [n]i32) = sort_i32.sort xs
entry sorted_f32 [n] (xs: [n]f32) = sort_f32.sort xs
entry fft [n] (re: [n]f32) (im: [n]f32) =
  let bits = i64.i32 (63 - i64.clz n)
  in unzip (loop xs = zip re im for s < bits do
    let half = 1 << s
    in tabulate n (\i ->
         let j = i % (2 * half)
         let k = (i / (2 * half)) * half + j % half
         let (ar, ai) = #[unsafe] xs[k]
         let (br, bi) = #[unsafe] xs[k + n / 2]
         let angle = -f32.pi * f32.i64 (j % half) / f32.i64 half
         let (c, d) = (f32.cos angle, f32.sin angle)
         let (tr, ti) = (br * c - bi * d, br * d + bi * c)
         in if j < half then (ar + tr, ai + ti) else (ar - tr, ai - ti)))
