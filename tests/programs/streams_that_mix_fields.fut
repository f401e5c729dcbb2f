-- An operator of `hist_stream` may look at all fields of its operands at once.
-- ==
-- entry: smallest
-- input { 3i64 [5.0, 2.0, 7.0, 1.0, 9.0, 7.0] }
-- output { [1.0, 2.0, 7.0] [3i64, 1i64, 2i64] }

-- ==
-- entry: only_inside
-- input { [-1i64, 0i64, 5i64] } output { [1i64] [0i64] }

type~ writer 't = intrinsics.acc t

def stream [k] 'a 'b (dest: *[k]a)
           (op: a -> a -> a)
           (ne: a)
           (f: *writer ([k]a) -> b -> writer ([k]a))
           (bs: []b) : *[k]a =
  intrinsics.hist_stream dest op ne f bs :> *[k]a

def write [n] 't (to: *writer ([n]t)) (i: i64) (v: t) : *writer ([n]t) =
  intrinsics.acc_write to i v

def nearer (x: f64, i: i64) (y: f64, j: i64) =
  if x < y || (x == y && i < j) then (x, i) else (y, j)

def keep (n: i64) (to: *writer ([](f64, i64))) (i, x) = write to (i % n) (x, i)

entry smallest (n: i64) (xs: []f64) =
  stream (replicate n (f64.inf, -1)) nearer (f64.inf, -1) (keep n) (zip (indices xs) xs)
  |> unzip

def add_often (to: *writer ([](i64, i64))) (i: i64) =
  loop (to: *writer ([](i64, i64))) = to for _j < 1i64 do write to i (1, i)

entry only_inside (is: []i64) =
  stream [(0i64, 0i64)] (\(a, b) (c, d) -> (a + c + b * d, b)) (0, 0) add_often is |> unzip
