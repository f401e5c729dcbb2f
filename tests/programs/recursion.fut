-- Functions that call themselves, also from inside a map.
-- ==
-- entry: factorials
-- input { [0i64, 1i64, 5i64, 10i64] } output { [1i64, 1i64, 120i64, 3628800i64] }

-- ==
-- entry: greatest_common_divisor
-- input { 48i64 18i64 } output { 6i64 }

def factorial (n: i64): i64 = if n <= 1 then 1 else n * factorial (n - 1)
def gcd (a: i64) (b: i64): i64 = if b == 0 then a else gcd b (a % b)

entry factorials (ns: []i64) = map factorial ns
entry greatest_common_divisor (a: i64) (b: i64) = gcd a b
