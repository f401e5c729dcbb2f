-- The forward sweep keeps the states in rows; the adjoint takes the place of the one before.
def iterate [n] (xs: [n]f64) : f64 =
  f64.sum (loop xs for _i < 8 do map (\x -> x * x * 0.5 + 1) xs)

entry gradient [n] (xs: [n]f64) : [n]f64 = vjp iterate xs 1
-- expect
--| -- gradient
--|   xs: [n]f64, an argument
--|   saved: [8][n]f64, block of 8*8*n bytes, until xs_adjoint
--|   xs.2: [n]f64, loop renewed, first xs
--|   saved.2: [8][n]f64, loop in place, first saved
--|     saved.3: [8][n]f64, in saved
--|     x: [n]f64, next row of saved.2, given on
--|   x.2: [n]f64, in xs.2
--|   saved.4: [8][n]f64, in saved
--|   adjoint: [n]f64, block of 8*n bytes, until xs_adjoint
--|   xs_adjoint.2: [n]f64, loop renewed, first adjoint, which it is given
--|     xs.3: [n]f64, in saved
--|     adjoint.2: [n]f64, over xs_adjoint.2, given on
--|   xs_adjoint: [n]f64, in xs_adjoint.2
