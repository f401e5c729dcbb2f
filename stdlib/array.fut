-- | Functions on arrays.  Most only change how an array is looked at and cost nothing.

open import "zip"

-- | The number of elements.
def length [n] 't (_: [n]t) : i64 = n

-- | Whether there are no elements.
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element.
def head [n] 't (xs: [n]t) : t = xs[0]

-- | The last element.
def last [n] 't (xs: [n]t) : t = xs[n - 1]

-- | All elements but the first.
def tail [n] 't (xs: [n]t) : [n - 1]t = xs[1:]

-- | All elements but the last.
def init [n] 't (xs: [n]t) : [n - 1]t = xs[0:n - 1]

-- | The first `i` elements.
def take [n] 't (i: i64) (xs: [n]t) : [i]t = xs[0:i]

-- | All elements but the first `i`.
def drop [n] 't (i: i64) (xs: [n]t) : [n - i]t = xs[i:]

-- | The same array, of a size that is checked when the program runs.
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | Cuts an array in two; where, follows from the types that the context expects.
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) =
  (xs[0:n], xs[n:n + m] :> [m]t)

-- | The elements in the opposite order.
def reverse [n] 't (xs: [n]t) : [n]t = intrinsics.reverse xs

-- | Two arrays one behind the other.
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The same as `++`.
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The numbers from 0 to `n - 1`.
def iota (n: i64) : *[n]i64 = intrinsics.iota n

-- | The positions of an array.
def indices [n] 't (_: [n]t) : *[n]i64 = intrinsics.iota n

-- | Moves all elements by `r` places to the left; those that fall off come in at the end.
def rotate [n] 't (r: i64) (xs: [n]t) : *[n]t = intrinsics.rotate r xs

-- | `n` times the same value.
def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

-- | As many times the same value as the context expects.
def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

-- | A copy, which shares nothing with the original.
def copy 't (x: t) : *t = intrinsics.copy x

-- | A copy whose elements lie in memory in the order of the array.
def manifest 't (x: t) : *t = intrinsics.manifest x

-- | Joins the two outer dimensions.
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | Joins the three outer dimensions.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t =
  intrinsics.flatten (intrinsics.flatten xs)

-- | Joins the four outer dimensions.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t =
  intrinsics.flatten (intrinsics.flatten (intrinsics.flatten xs))

-- | Splits the outer dimension in two.
def unflatten 't [n] [m] (xs: [n * m]t) : [n][m]t = intrinsics.unflatten xs

-- | Splits the outer dimension in three.
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t) : [n][m][l]t =
  intrinsics.unflatten (intrinsics.unflatten xs)

-- | Splits the outer dimension in four.
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t) : [n][m][l][k]t =
  intrinsics.unflatten (intrinsics.unflatten (intrinsics.unflatten xs))

-- | Swaps the two outer dimensions.
def transpose [n] [m] 't (xs: [n][m]t) : [m][n]t = intrinsics.transpose xs

-- | Whether all elements are true.
def and [n] (xs: [n]bool) : bool = intrinsics.reduce_comm (\x y -> x && y) true xs

-- | Whether some element is true.
def or [n] (xs: [n]bool) : bool = intrinsics.reduce_comm (\x y -> x || y) false xs

-- | Combines the elements one by one from the first to the last.  Sequential.
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in bs do f acc b

-- | Combines the elements one by one from the last to the first.  Sequential.
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in intrinsics.reverse bs do f b acc

-- | The array of `n` elements whose element `i` is `f i`.
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a =
  intrinsics.map f (intrinsics.iota n)

-- | The array whose element `[i, j]` is `f i j`.
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  intrinsics.map (\i -> intrinsics.map (f i) (intrinsics.iota m)) (intrinsics.iota n)

-- | The array whose element `[i, j, k]` is `f i j k`.
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][o]a =
  intrinsics.map (\i ->
                    intrinsics.map (\j -> intrinsics.map (f i j) (intrinsics.iota o))
                                   (intrinsics.iota m))
                 (intrinsics.iota n)
