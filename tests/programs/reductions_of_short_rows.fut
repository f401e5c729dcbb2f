-- Sums of rows, also of so few elements that rows, not elements, lie side by side: by operators on numbers
-- and pairs, of none, of one piece and of several.
-- ==
-- entry: sums products places
-- input { 5000i64 3i64 } output { true }
-- input { 300i64 4i64 } output { true }
-- input { 1i64 23i64 } output { true }
-- input { 257i64 24i64 } output { true }
-- input { 2i64 90000i64 } output { true }
-- input { 0i64 4i64 } output { true }
-- input { 6i64 0i64 } output { true }
-- ==
-- entry: sums_of_all_widths
-- input { 70i64 } output { true }
-- input { 1i64 } output { true }
-- ==
-- entry: sums_of_chosen_rows
-- input { 500i64 7i64 } output { true }
-- input { 40i64 60i64 } output { true }
-- input { 3i64 5i64 } output { true }
-- ==
-- entry: of_four
-- input { 1000i64 } output { true }
-- input { 0i64 } output { true }
-- ==
-- entry: within
-- input { 700i64 5i64 } output { true }

def value (i: i64) (j: i64) : i32 = i32.i64 ((i * 37 + j * 11) % 101)

entry sums (n: i64) (m: i64) =
  let rows = tabulate_2d n m value
  let wanted = tabulate n (\i -> loop sum = 0 for j < m do sum + value i j)
  in and (map2 (==) (map i32.sum rows) wanted)

-- Numbers modulo 2^32, by an operator whose arguments cannot change places.
entry products (n: i64) (m: i64) =
  let compose (a: u32, b: u32) (c, d) = (a * c, b * c + d)
  let pair i j = (u32.i32 (value i j) + 2, u32.i64 j)
  let rows = tabulate_2d n m pair
  let wanted = tabulate n (\i -> loop all = (1, 0) for j < m do compose all (pair i j))
  in and (map2 (==) (map (reduce compose (1, 0)) rows) wanted)

entry places (n: i64) (m: i64) =
  let better (x: i32, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let rows = tabulate_2d n m value
  let wanted =
    tabulate n (\i -> loop best = (i32.lowest, m) for j < m do better best (value i j, j))
  in and (map2 (==) (map (\row -> reduce_comm better (i32.lowest, m) (zip row (iota m))) rows) wanted)

-- The length is known.
entry of_four (n: i64) =
  let rows = tabulate n (\i -> tabulate 4 (\j -> f64.i32 (value i j)))
  let wanted = tabulate n (\i -> value i 0 + value i 1 + value i 2 + value i 3)
  in and (map2 (==) (map f64.sum rows) (map f64.i32 wanted))

-- The sums are a part of an array.
entry within (n: i64) (m: i64) =
  let rows = tabulate_2d n m value
  let all = replicate (n + 2) 7
  let all[1:n + 1] = map i32.sum rows :> [n + 1 - 1]i32
  let wanted = tabulate n (\i -> loop sum = 0 for j < m do sum + value i j)
  in and (map2 (==) all ([7] ++ wanted ++ [7] :> [n + 2]i32))

-- Rows of every width up to some, and behind that those that a piece ends in: vectors, and what is left of
-- them, of elements of one to eight bytes.
entry sums_of_all_widths (n: i64) =
  let are_right (m: i64) =
    let rows = tabulate_2d n m value
    let wanted = tabulate n (\i -> loop sum = 0 for j < m do sum + value i j)
    let least = tabulate n (\i -> loop least = i32.highest for j < m do i32.min least (value i j))
    in and (map2 (==) (map (map i8.i32 >-> i8.sum) rows) (map i8.i32 wanted))
       && and (map2 (==) (map (map i16.i32 >-> i16.sum) rows) (map i16.i32 wanted))
       && and (map2 (==) (map (map i64.i32 >-> i64.sum) rows) (map i64.i32 wanted))
       && and (map2 (==) (map (map f32.i32 >-> f32.sum) rows) (map f32.i32 wanted))
       && and (map2 (==) (map i32.minimum rows) least)
  in loop right = true for m < 140 do right && are_right m

-- Rows at places that each point computes.
entry sums_of_chosen_rows (n: i64) (m: i64) =
  let rows = tabulate_2d n m value
  let chosen i = (i * 7) % n
  let wanted = tabulate n (\i -> loop sum = 0 for j < m do sum + value (chosen i) j)
  in and (map2 (==) (tabulate n (\i -> i32.sum rows[chosen i])) wanted)
