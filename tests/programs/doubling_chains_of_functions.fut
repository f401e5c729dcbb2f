-- Chains of functions that each apply the one before twice: 4096 applications or more, of which
-- most become calls.
-- ==
-- entry: sum_of_18
-- input { 1i64 } output { 2621440i64 }
-- ==
-- entry: value
-- input { 0.5f64 } output { 4096.5f64 }
-- ==
-- entry: slope
-- input { 0.5f64 } output { 1f64 }
-- ==
-- entry: points
-- input { [0f64, 1f64, 2.5f64] } output { [4096f64, 4097f64, 4098.5f64] }
-- ==
-- entry: updates
-- input { [7i64, 8i64] } output { [4103i64, 8i64] }

def sum_0 (x: i64) : i64 = x
def sum_1 (x: i64) : i64 = sum_0 x + sum_0 (x + 1)
def sum_2 (x: i64) : i64 = sum_1 x + sum_1 (x + 1)
def sum_3 (x: i64) : i64 = sum_2 x + sum_2 (x + 1)
def sum_4 (x: i64) : i64 = sum_3 x + sum_3 (x + 1)
def sum_5 (x: i64) : i64 = sum_4 x + sum_4 (x + 1)
def sum_6 (x: i64) : i64 = sum_5 x + sum_5 (x + 1)
def sum_7 (x: i64) : i64 = sum_6 x + sum_6 (x + 1)
def sum_8 (x: i64) : i64 = sum_7 x + sum_7 (x + 1)
def sum_9 (x: i64) : i64 = sum_8 x + sum_8 (x + 1)
def sum_10 (x: i64) : i64 = sum_9 x + sum_9 (x + 1)
def sum_11 (x: i64) : i64 = sum_10 x + sum_10 (x + 1)
def sum_12 (x: i64) : i64 = sum_11 x + sum_11 (x + 1)
def sum_13 (x: i64) : i64 = sum_12 x + sum_12 (x + 1)
def sum_14 (x: i64) : i64 = sum_13 x + sum_13 (x + 1)
def sum_15 (x: i64) : i64 = sum_14 x + sum_14 (x + 1)
def sum_16 (x: i64) : i64 = sum_15 x + sum_15 (x + 1)
def sum_17 (x: i64) : i64 = sum_16 x + sum_16 (x + 1)
def sum_18 (x: i64) : i64 = sum_17 x + sum_17 (x + 1)

entry sum_of_18 (x: i64) = sum_18 x

def grow_0 (x: f64) : f64 = x + f64.cos (x - x)
def grow_1 (x: f64) : f64 = grow_0 (grow_0 x)
def grow_2 (x: f64) : f64 = grow_1 (grow_1 x)
def grow_3 (x: f64) : f64 = grow_2 (grow_2 x)
def grow_4 (x: f64) : f64 = grow_3 (grow_3 x)
def grow_5 (x: f64) : f64 = grow_4 (grow_4 x)
def grow_6 (x: f64) : f64 = grow_5 (grow_5 x)
def grow_7 (x: f64) : f64 = grow_6 (grow_6 x)
def grow_8 (x: f64) : f64 = grow_7 (grow_7 x)
def grow_9 (x: f64) : f64 = grow_8 (grow_8 x)
def grow_10 (x: f64) : f64 = grow_9 (grow_9 x)
def grow_11 (x: f64) : f64 = grow_10 (grow_10 x)
def grow_12 (x: f64) : f64 = grow_11 (grow_11 x)

entry value (x: f64) = grow_12 x
entry slope (x: f64) = vjp grow_12 x 1
entry points (xs: []f64) = map grow_12 xs

def update_0 [n] (xs: *[n]i64) : *[n]i64 = xs with [0] = xs[0] + 1
def update_1 [n] (xs: *[n]i64) : *[n]i64 = update_0 (update_0 xs)
def update_2 [n] (xs: *[n]i64) : *[n]i64 = update_1 (update_1 xs)
def update_3 [n] (xs: *[n]i64) : *[n]i64 = update_2 (update_2 xs)
def update_4 [n] (xs: *[n]i64) : *[n]i64 = update_3 (update_3 xs)
def update_5 [n] (xs: *[n]i64) : *[n]i64 = update_4 (update_4 xs)
def update_6 [n] (xs: *[n]i64) : *[n]i64 = update_5 (update_5 xs)
def update_7 [n] (xs: *[n]i64) : *[n]i64 = update_6 (update_6 xs)
def update_8 [n] (xs: *[n]i64) : *[n]i64 = update_7 (update_7 xs)
def update_9 [n] (xs: *[n]i64) : *[n]i64 = update_8 (update_8 xs)
def update_10 [n] (xs: *[n]i64) : *[n]i64 = update_9 (update_9 xs)
def update_11 [n] (xs: *[n]i64) : *[n]i64 = update_10 (update_10 xs)
def update_12 [n] (xs: *[n]i64) : *[n]i64 = update_11 (update_11 xs)

entry updates [n] (xs: *[n]i64) = update_12 xs
