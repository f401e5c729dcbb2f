-- | Functions about functions.

-- | Applies a function to the value on its left: `x |> f` is `f x`.  Reads well in chains.
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | Applies a function to the value on its right: `f <| x` is `f x`.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | Composition from left to right: `(f >-> g) x` is `g (f x)`.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | Composition from right to left: `(g <-< f) x` is `g (f x)`.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | Swaps the first two parameters of a function.
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | Turns a function of a pair into a function of two parameters.
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | Turns a function of two parameters into a function of a pair.
def uncurry '^a '^b '^c (f: a -> b -> c) (a: a, b: b) : c = f a b

-- | The function that ignores its second argument.
def const '^a '^b (x: a) (_: b) : a = x

-- | The function that returns its argument.
def id '^a (x: a) : a = x

-- | Applies a function `n` times, each time to the previous result.
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop x for _i < n do f x

-- | Applies a function again and again until the predicate holds of the value.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while !(p x) do f x

-- | Applies a function again and again for as long as the predicate holds of the value.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while p x do f x
