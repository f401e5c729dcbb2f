-- Array literals of constants are written as a whole, whatever their type, on the host, in a task
-- and beside elements that are no constants.
-- ==
-- entry: host
-- input { 17i64 } output { 34i64 -17i8 true 0.5f16 8.5f32 -f64.inf }
-- ==
-- entry: task
-- input { [0i64, 3, 19] } output { [100i32, 106i32, 138i32] }
-- ==
-- entry: mixed
-- input { 5i32 18i64 } output { 23i32 }
-- ==
-- entry: rows
-- input { 1i64 } output { [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37] }
-- ==
-- entry: changed
-- input { 3i64 } output { 1i32 0i32 }

def even : [20]i64 = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38]

entry host (i: i64) : (i64, i8, bool, f16, f32, f64) =
  ( even[i]
  , [0i8, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16, -17, -18][i]
  , [ false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , false
    , true
    , false
    ][i]
  , [0f16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0][i]
  , [0f32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8.5, 0][i]
  , [0f64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -f64.inf, 0][i]
  )

-- The literal is changed in place, so each point has its own.
entry task (is: []i64) : []i32 =
  map (\i ->
         let table: *[20]i32 =
           [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38]
         let table = table with [i] = table[i] + 100
         in table[i])
      is

entry mixed (x: i32) (i: i64) : i32 =
  [x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, x + 18, 19][i]

entry rows (i: i64) : []i32 =
  [ [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]
  , [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37]
  ][i]

-- The table itself stays as it is.
entry changed (i: i64) : (i32, i32) =
  let table: *[18]i32 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  let first = (copy table with [i] = 1)[i]
  in (first, table[i])
