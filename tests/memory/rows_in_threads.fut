-- Threads make rows where the result wants them, and sort in place.
entry sorted_rows [n] (xs: [n][8]i32) : [n][8]i32 =
  map (\row ->
         loop row = copy row
         for i < 7 do
           loop row for j < 7 - i do
             if row[j] > row[j + 1]
             then let (a, b) = (row[j], row[j + 1]) in row with [j] = b with [j + 1] = a
             else row)
      xs

-- expect
--| -- sorted_rows
--|   xs: [n][8]i32, an argument
--|     x: [8]i32, result 0 of the thread
--|     row: [8]i32, loop in place, first x
--|       row.2: [8]i32, loop in place, first row
--|           x.2: [8]i32, result 0 of the thread
--|           x.3: [8]i32, result 0 of the thread
--|         x.4: [8]i32, result 0 of the thread
--|       x.5: [8]i32, result 0 of the thread
--|     x.6: [8]i32, result 0 of the thread
--|   x.7: [n][8]i32, block of 4*n*8 bytes, given on
