-- What is put together and then permuted has the elements of both, whatever order they lie in.
-- ==
-- entry: transposed
-- input { [[1i64,2i64,3i64],[4i64,5i64,6i64]] [[7i64],[8i64],[9i64]] }
-- output { [[1i64,4i64,7i64],[2i64,5i64,8i64],[3i64,6i64,9i64]] }
-- input { empty([0][0]i64) empty([0][2]i64) } output { empty([0][2]i64) }
-- ==
-- entry: used_before
-- input { [[1i64,2i64],[4i64,5i64]] [[7i64],[8i64]] } output { 27i64 [[1i64,4i64,7i64],[2i64,5i64,8i64]] }
-- ==
-- entry: turned_twice
-- input { [[[1i64,2i64]],[[3i64,4i64]]] [[[5i64,6i64]]] }
-- output { [[[1i64,3i64,5i64],[2i64,4i64,6i64]]] [[1i64,3i64,5i64],[2i64,4i64,6i64]] }
-- ==
-- entry: written_after
-- input { [[1i64,2i64],[4i64,5i64]] [[7i64],[8i64]] } output { [[1i64,4i64,7i64],[0i64,0i64,0i64]] }

entry transposed [n][m][l] (a: [n][m]i64) (b: [m][l]i64): [m][]i64 = transpose (a ++ transpose b)

entry used_before [n][m][l] (a: [n][m]i64) (b: [m][l]i64): (i64, [m][]i64) =
  let both = a ++ transpose b
  in (i64.sum (flatten both), transpose both)

entry turned_twice [n][m][l][k] (a: [n][m][l]i64) (b: [k][m][l]i64): ([m][l][]i64, [l][]i64) =
  let both = map (\i -> transpose (map (\block -> block[i]) (a ++ b))) (iota m)
  in (both, transpose (map (\block -> block[0]) (a ++ b)))

entry written_after [n][m][l] (a: [n][m]i64) (b: [m][l]i64): [m][]i64 =
  let both = transpose (a ++ transpose b)
  in copy both with [1] = map (const 0) both[0]
