-- | Gradients of reduce, scan and reduce_by_index, for each class of operators that has a rule of its
-- own (Bruun, Larsen, Hinnerskov and Oancea 2023): sums, products, minima, vectors of these, linear
-- recurrences, matrix products, and one without a rule.
-- Published sizes: 10 and 100 million numbers; histograms of 31, 401 and 500000 bins.
-- memory: reduce_sum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: reduce_product_gradient n=1000000: gradient <= 2.1 * primal
-- memory: reduce_min_gradient n=1000000: gradient <= 2.1 * primal
-- memory: reduce_rows_gradient n=1000000: gradient <= 2.1 * primal
-- memory: reduce_recurrence_gradient n=1000000: gradient <= 2.1 * primal
-- memory: reduce_matrices_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_sum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_product_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_min_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_rows_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_recurrence_gradient n=1000000: gradient <= 2.1 * primal
-- memory: scan_matrices_gradient n=1000000: gradient <= 2.1 * primal
-- memory: hist_sum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: hist_product_gradient n=1000000: gradient <= 2.1 * primal
-- memory: hist_min_gradient n=1000000: gradient <= 2.1 * primal
-- memory: hist_rows_gradient n=1000000: gradient <= 2.1 * primal
-- memory: hist_general_gradient n=1000000: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 12i64 } output { true }

import "data"

-- Operators on numbers, pairs and 2×2 matrices, each with its neutral element.
def compose (a: (f64, f64)) (b: (f64, f64)): (f64, f64) = (b.0 + b.1 * a.0, a.1 * b.1)

type square = (f64, f64, f64, f64)
def multiply (a: square) (b: square): square =
  ( a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3
  , a.2 * b.0 + a.3 * b.2, a.2 * b.1 + a.3 * b.3)
def unit: square = (1, 0, 0, 1)

def saturating_add (a: f64) (b: f64): f64 = if a + b > 4 then 4 else a + b
def sum_of_products (a: (f64, f64)) (b: (f64, f64)): (f64, f64) = (a.0 + b.0 + a.1 * b.1, a.1 + b.1)

def pairs [n] (xs: [n]f64): [n](f64, f64) = zip xs (map (\x -> 1.1 - 0.2 * x) (rotate 1 xs))
def squares [n] (xs: [n]f64): [n]square = map (\x -> (1 + 0.1 * x, x * 0.2, -0.1 * x, 1)) xs
def rows [n] (xs: [n]f64): [n][3]f64 = map (\x -> [x, x * x, 1 - x]) xs
def total (a: f64, b: f64): f64 = a + 2 * b
def trace_of (a: square): f64 = a.0 + 2 * a.1 - a.2 + 3 * a.3

def weighed [n] (xs: [n]f64): f64 = f64.sum (map2 (\x i -> x * f64.i64 (i % 7 + 1)) xs (iota n))

-- Each takes numbers to a number.
def reduce_sum [n] (xs: [n]f64): f64 = reduce (+) 0 xs
def reduce_product [n] (xs: [n]f64): f64 = reduce (*) 1 (map (\x -> 0.5 + x) xs)
def reduce_min [n] (xs: [n]f64): f64 = reduce f64.min f64.inf xs
def reduce_rows [n] (xs: [n]f64): f64 = f64.sum (reduce (map2 (+)) (replicate 3 0) (rows xs))
def reduce_recurrence [n] (xs: [n]f64): f64 = total (reduce compose (0, 1) (pairs xs))
def reduce_matrices [n] (xs: [n]f64): f64 = trace_of (reduce multiply unit (squares xs))
def reduce_saturating [n] (xs: [n]f64): f64 = reduce saturating_add 0 xs
def scan_sum [n] (xs: [n]f64): f64 = weighed (scan (+) 0 xs)
def scan_product [n] (xs: [n]f64): f64 = weighed (scan (*) 1 (map (\x -> 0.5 + x) xs))
def scan_min [n] (xs: [n]f64): f64 = weighed (scan f64.min f64.inf xs)
def scan_rows [n] (xs: [n]f64): f64 =
  weighed (map f64.sum (scan (map2 (+)) (replicate 3 0) (rows xs)))
def scan_recurrence [n] (xs: [n]f64): f64 = weighed (map total (scan compose (0, 1) (pairs xs)))
def scan_matrices [n] (xs: [n]f64): f64 = weighed (map trace_of (scan multiply unit (squares xs)))
def keys (n: i64) (bins: i64): [n]i64 = map (\i -> i64.f64 (noise 4 i * f64.i64 bins)) (iota n)
def hist_sum [n] (bins: i64) (xs: [n]f64): f64 = weighed (hist (+) 0 bins (keys n bins) xs)
def hist_product [n] (bins: i64) (xs: [n]f64): f64 =
  weighed (hist (*) 1 bins (keys n bins) (map (\x -> 0.5 + x) xs))
def hist_min [n] (bins: i64) (xs: [n]f64): f64 =
  weighed (map (f64.min 9) (hist f64.min f64.inf bins (keys n bins) xs))
def hist_rows [n] (bins: i64) (xs: [n]f64): f64 =
  weighed (map f64.sum (hist (map2 (+)) (replicate 3 0) bins (keys n bins) (rows xs)))
def hist_general [n] (bins: i64) (xs: [n]f64): f64 =
  weighed (map total (hist sum_of_products (0, 0) bins (keys n bins) (pairs xs)))

entry generate (n: i64): [n]f64 = noise_1d 1 n

entry reduce_sum_primal [n] (xs: [n]f64): f64 = reduce_sum xs
entry reduce_sum_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_sum xs 1
entry reduce_product_primal [n] (xs: [n]f64): f64 = reduce_product xs
entry reduce_product_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_product xs 1
entry reduce_min_primal [n] (xs: [n]f64): f64 = reduce_min xs
entry reduce_min_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_min xs 1
entry reduce_rows_primal [n] (xs: [n]f64): f64 = reduce_rows xs
entry reduce_rows_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_rows xs 1
entry reduce_recurrence_primal [n] (xs: [n]f64): f64 = reduce_recurrence xs
entry reduce_recurrence_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_recurrence xs 1
entry reduce_matrices_primal [n] (xs: [n]f64): f64 = reduce_matrices xs
entry reduce_matrices_gradient [n] (xs: [n]f64): [n]f64 = vjp reduce_matrices xs 1
entry scan_sum_primal [n] (xs: [n]f64): f64 = scan_sum xs
entry scan_sum_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_sum xs 1
entry scan_product_primal [n] (xs: [n]f64): f64 = scan_product xs
entry scan_product_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_product xs 1
entry scan_min_primal [n] (xs: [n]f64): f64 = scan_min xs
entry scan_min_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_min xs 1
entry scan_rows_primal [n] (xs: [n]f64): f64 = scan_rows xs
entry scan_rows_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_rows xs 1
entry scan_recurrence_primal [n] (xs: [n]f64): f64 = scan_recurrence xs
entry scan_recurrence_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_recurrence xs 1
entry scan_matrices_primal [n] (xs: [n]f64): f64 = scan_matrices xs
entry scan_matrices_gradient [n] (xs: [n]f64): [n]f64 = vjp scan_matrices xs 1
entry hist_sum_primal [n] (xs: [n]f64): f64 = hist_sum 401 xs
entry hist_sum_gradient [n] (xs: [n]f64): [n]f64 = vjp (hist_sum 401) xs 1
entry hist_product_primal [n] (xs: [n]f64): f64 = hist_product 401 xs
entry hist_product_gradient [n] (xs: [n]f64): [n]f64 = vjp (hist_product 401) xs 1
entry hist_min_primal [n] (xs: [n]f64): f64 = hist_min 401 xs
entry hist_min_gradient [n] (xs: [n]f64): [n]f64 = vjp (hist_min 401) xs 1
entry hist_rows_primal [n] (xs: [n]f64): f64 = hist_rows 401 xs
entry hist_rows_gradient [n] (xs: [n]f64): [n]f64 = vjp (hist_rows 401) xs 1
entry hist_general_primal [n] (xs: [n]f64): f64 = hist_general 401 xs
entry hist_general_gradient [n] (xs: [n]f64): [n]f64 = vjp (hist_general 401) xs 1

entry check (n: i64): bool =
  let xs = noise_1d 1 n
  let right (f: [n]f64 -> f64) = is_gradient f xs (vjp f xs 1)
  in right reduce_sum && right reduce_product && right reduce_min && right reduce_rows
     && right reduce_recurrence && right reduce_matrices && right reduce_saturating
     && right scan_sum && right scan_product && right scan_min && right scan_rows
     && right scan_recurrence && right scan_matrices
     && right (hist_sum 5) && right (hist_product 5) && right (hist_min 5) && right (hist_rows 5)
     && right (hist_general 5)
