-- Fourier's transform of 4^k complex numbers, in the order that needs no reversal of digits.

type complex = (f32, f32)

def plus (a: complex) (b: complex) : complex = (a.0 + b.0, a.1 + b.1)
def minus (a: complex) (b: complex) : complex = (a.0 - b.0, a.1 - b.1)
def times (a: complex) (b: complex) : complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

-- | `cosines` and `sines` are those of the n-th roots of 1.
entry fft [n]
          (real: [n]f32)
          (imaginary: [n]f32)
          (cosines: [n]f32)
          (sines: [n]f32) : ([n]f32, [n]f32) =
  let quarter = n / 4
  let (real, imaginary, _) =
    loop (real, imaginary, size) = (copy real, copy imaginary, 1)
    while size < n do
      let blocks = quarter / size
      -- The roots of a block are those of all its k.
      let butterfly block k =
        let value r =
          let at = block * size + k + r * quarter
          in #[unsafe] (real[at], imaginary[at])
        let turn r value =
          let w = r * block * size
          in #[unsafe] times value (cosines[w], sines[w])
        let (a, b, c, d) = (value 0, value 1, value 2, value 3)
        let (sum, difference) = (plus a c, minus a c)
        let (other, turned) = (plus b d, minus b d)
        let turned = (turned.1, -turned.0)
        in [ plus sum other
           , turn 1 (plus difference turned)
           , turn 2 (minus sum other)
           , turn 3 (minus difference turned)
           ]
      let places = map transpose (tabulate_2d blocks size butterfly)
      let (real, imaginary) = unzip (flatten_3d places :> [n]complex)
      in (real, imaginary, 4 * size)
  in (real, imaginary)
