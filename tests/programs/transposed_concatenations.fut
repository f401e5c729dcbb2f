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
-- ==
-- entry: views_of_maps
-- input { [1i64, 2i64] true }
-- output { [[1i64, 10i64, 20i64, 30i64, 2i64], [1i64, 11i64, 21i64, 31i64, 3i64],
--           [2i64, 20i64, 40i64, 60i64, 3i64], [2i64, 21i64, 41i64, 61i64, 4i64]] 0i64 }
-- input { empty([0]i64) true } output { empty([0][5]i64) 0i64 }
-- input { [1i64] false } output { [[1i64, 9i64], [1i64, 9i64], [1i64, 9i64], [1i64, 9i64], [1i64, 9i64]] 0i64 }
-- ==
-- entry: part_used_twice
-- input { [1i64, 2i64] }
-- output { [[1i64, 2i64, 1i64, 2i64], [2i64, 4i64, 2i64, 4i64]] [[1i64, 2i64], [2i64, 4i64]] }
-- ==
-- entry: in_a_loop
-- input { [1i64, 2i64] 3i64 }
-- output { [[1i64, 2i64, 3i64, 2i64], [2i64, 4i64, 6i64, 4i64]] }
-- ==
-- entry: columns_of_points
-- input { 2i64 3i64 } output { true }
-- input { 5i64 2i64 } output { true }
-- input { 0i64 2i64 } output { true }

entry transposed [n] [m] [l] (a: [n][m]i64) (b: [m][l]i64) : [m][]i64 = transpose (a ++ transpose b)

entry used_before [n] [m] [l] (a: [n][m]i64) (b: [m][l]i64) : (i64, [m][]i64) =
  let both = a ++ transpose b
  in (i64.sum (flatten both), transpose both)

entry turned_twice [n] [m] [l] [k] (a: [n][m][l]i64) (b: [k][m][l]i64) : ([m][l][]i64, [l][]i64) =
  let both = map (\i -> transpose (map (\block -> block[i]) (a ++ b))) (iota m)
  in (both, transpose (map (\block -> block[0]) (a ++ b)))

entry written_after [n] [m] [l] (a: [n][m]i64) (b: [m][l]i64) : [m][]i64 =
  let both = transpose (a ++ transpose b)
  in copy both with [1] = map (const 0) both[0]

-- Parts that maps make, seen as lists and turned, in both sides of a branch.
entry views_of_maps [n] (xs: [n]i64) (long: bool) : ([][]i64, i64) =
  let first = map (\k -> flatten (map (\x -> [x + k, x + k]) xs)) (iota 1)
  let middle = map (\x -> map (\i -> map (\j -> x * 10 * (j + 1) + i) (iota 3)) (iota 2)) xs
  let last = map (\x -> map (\i -> x + 1 + i) (iota 2)) xs
  let both =
    if long
    then transpose (first ++ transpose (flatten middle) ++ transpose (map (\e -> [e]) (flatten last)))
    else transpose (map (\x -> replicate 5 x) xs ++ [replicate 5 9])
  in (both, 0)

entry part_used_twice [n] (xs: [n]i64) : ([n][]i64, [n][n]i64) =
  let part = map (\x -> map (* x) xs) xs
  in (transpose (part ++ part), part)

entry in_a_loop [n] (xs: [n]i64) (times: i64) : [n][4]i64 =
  loop rows = replicate n (replicate 4 1)
  for _i < times do
    transpose (map (\k -> map (* k) xs) (1...3)
               ++ transpose (map2 (\x row -> [row[0] + x - row[0] + x - x * (1 - 2 / 2)]) xs rows)
               |> map (map (\e -> e)))
    |> map (\row -> map2 (\i e -> if i == 3 then row[1] else e) (iota 4) (sized 4 row))

-- As a Jacobian is: columns of some, then what points made in rows.
entry columns_of_points (n: i64) (m: i64) : bool =
  let firsts = map (\k -> flatten (map (\i -> map (\j -> i * 3 + j + k * 1000) (iota 3)) (iota n))) (iota 2)
  let rows = map (\i -> map (\j -> map (\k -> i * 100 + j * 10 + k) (iota m)) (iota 3)) (iota n)
  let all = transpose (firsts ++ transpose (flatten rows))
  let is_right r c e =
    if c < 2
    then e == r + c * 1000
    else e == r / 3 * 100 + r % 3 * 10 + c - 2
  in and (flatten (map2 (\r row -> map2 (is_right r) (indices row) row) (indices all) all))
