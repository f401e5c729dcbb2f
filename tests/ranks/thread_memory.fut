-- Threads of one rank alone need more memory for their arrays than a kernel on a GPU first gets: all
-- ranks make the call again.
-- ==
-- input { [3i64, 2i64, 4i64, 300000i64] }
-- output { [9i64, 7i64, 18i64, 45000450000i64] 45000450034i64 }

entry main [n] (ks: [n]i64) : ([n]i64, i64) =
  let sums =
    map (\k ->
           let a = map (\j -> (j * 7) % k) (iota k)
           let b = loop a = a for i < 3 do map (\j -> a[(j * 3 + i) % k] + 1) (iota k)
           in i64.sum b)
        ks
  in (sums, i64.sum sums)
