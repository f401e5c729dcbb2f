-- Points that append to one of several lists are passes of a radix sort, where they have many elements.
-- target: cuda
entry main [n] [m] (starts: [n][16]i64) (xs: [n][m]u32) (to: *[]u32) =
  intrinsics.scatter_stream to
                            (\(out: *intrinsics.acc ([]u32)) p ->
                               (loop (out, next) = (out, copy starts[p])
                                for x in xs[p] do
                                  #[unsafe]
                                  let d = i64.u32 (x & 15)
                                  let place = next[d]
                                  let out = intrinsics.acc_write out place x
                                  in (out, next with [d] = place + 1)).0)
                            (iota n)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_map over [n]
--| x: [
--|   look_back stretch 18 when [m >= 256],
--|   pointwise]
