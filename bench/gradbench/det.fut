-- | The eval `det`: the determinant of an l×l matrix by expansion by minors, and its gradient.
--
-- The expansion is a tree: a node at depth i chooses a column for row i.  There is no recursion in
-- the language, so the paths through the first rows are numbered, each number is decoded into its
-- columns, and the last minors of a path are written out.
-- ==
-- entry: primal
-- input { 2i64 [1.0, 2.0, 3.0, 4.0] } output { -2.0 }
-- input { 3i64 [2.0, 0.0, 1.0, 1.0, 3.0, 0.0, 0.0, 1.0, 4.0] } output { 25.0 }
-- input { 5i64 [1.0, 2.0, 0.0, 0.0, 1.0,  0.0, 1.0, 3.0, 0.0, 0.0,  2.0, 0.0, 1.0, 1.0, 0.0,
--               0.0, 1.0, 0.0, 2.0, 1.0,  1.0, 0.0, 1.0, 0.0, 3.0] } output { 93.0 }
-- ==
-- entry: gradient
-- input { 2i64 [1.0, 2.0, 3.0, 4.0] } output { [4.0, -3.0, -2.0, 1.0] }
-- input { 3i64 [2.0, 0.0, 1.0, 1.0, 3.0, 0.0, 0.0, 1.0, 4.0] }
-- output { [12.0, -4.0, 1.0, 1.0, 8.0, -2.0, -3.0, 1.0, 6.0] }

-- | The first column that is not in the set `used` of columns.
def first_free (used: i64): i64 = i64.i32 (i64.ctz (i64.not used))

def with_column (used: i64) (column: i64): i64 = used | (1 << column)

-- | How many columns in `used` lie left of `column`.
def columns_left_of (used: i64) (column: i64): i64 =
  i64.i32 (i64.popc (used & ((1 << column) - 1)))

-- | The column number `k` among those not in `used`.
def free_column (used: i64) (k: i64): i64 =
  let (used, _) =
    loop (used, k) while k > 0 do (with_column used (first_free used), k - 1)
  in first_free used

-- | The determinant of the minor of rows r and r+1 and the columns not in `used`.
def minor2 (a: i64 -> i64 -> f64) (r: i64) (used: i64): f64 =
  let c0 = first_free used
  let c1 = first_free (with_column used c0)
  in a r c0 * a (r + 1) c1 - a r c1 * a (r + 1) c0

-- | The same for three rows, by the minors of two.
def minor3 (a: i64 -> i64 -> f64) (r: i64) (used: i64): f64 =
  let c0 = first_free used
  let c1 = first_free (with_column used c0)
  let c2 = first_free (with_column (with_column used c0) c1)
  let below c = minor2 a (r + 1) (with_column used c)
  in a r c0 * below c0 - a r c1 * below c1 + a r c2 * below c2

entry primal (l: i64) (a: [l * l]f64): f64 =
  let matrix = unflatten a
  let at i j = matrix[i, j]
  let rows = i64.max 0 (l - 3)
  let paths = loop paths = 1 for i < rows do paths * (l - i)
  -- The signed product of the entries on a path, times the determinant of what is left.
  let term path =
    let (product, used, _) =
      loop (product, used, path) = (1, 0, path)
      for i < rows do
        let column = free_column used (path % (l - i))
        let right_of = (column - columns_left_of used column) % 2
        let entry_here = at i column
        in ( if right_of == 0 then product * entry_here else -(product * entry_here)
           , with_column used column
           , path / (l - i))
    in product * (if l >= 3 then minor3 at rows used
                  else if l == 2 then minor2 at 0 0
                  else at 0 0)
  in f64.sum (map term (iota paths))

entry gradient (l: i64) (a: [l * l]f64): [l * l]f64 =
  vjp (primal l) a 1
