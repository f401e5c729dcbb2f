-- Functions that mention an earlier function of their own name, where they cannot mean themselves.
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[2.0, 4.0], [6.0, 8.0]] }
-- warning: taken to be the earlier one

-- ==
-- entry: fields
-- input { 3.0 } output { 9.0 }

-- ==
-- entry: itself
-- input { 5i64 } output { 120i64 }

def scale (c: f64) (x: f64) = c * x

module of_rows = {
  def scale [n] [m] (xss: [n][m]f64) : [n][m]f64 = map (map (scale 2)) xss
}

module of_fields = {
  def scale {c, x} : f64 = scale c x
}

def product (xs: []i64) = reduce (*) 1 xs

module own = {
  -- This one fits its own type, so it is recursive.
  def product (n: i64) : i64 = if n < 2 then 1 else n * product (n - 1)
}

entry rows [n] [m] (xss: [n][m]f64) = of_rows.scale xss
entry fields (x: f64) = of_fields.scale {c = x, x}
entry itself (n: i64) = own.product n
