-- The HM-LSTM cell update, control flow in the element function, and its four derivatives.
-- ==
-- entry: primal gradient
-- random input { [1024]f32 [1024]f32 [1024][1024]f32 [1024][1024]f32 [1024][1024]f32 [1024][1024]f32 }

def sigmoid (x: f32): f32 = 1 / (1 + f32.exp (-x))
def update (z: f32) (zb: f32) (c: f32) (f: f32) (i: f32) (g: f32): f32 =
  if z >= 0.5 then sigmoid i * f32.tanh g
  else if zb < 0.5 then c
  else sigmoid f * c + sigmoid i * f32.tanh g

def cells [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32) (g: [n][m]f32): [n][m]f32 =
  map4 (\c f i g ->
          map3 (\(z, zb) (c, f) (i, g) -> update z zb c f i g) (zip z zb) (zip c f) (zip i g))
       c f i g

entry primal [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32) (g: [n][m]f32): [n][m]f32 =
  cells z zb c f i g
entry gradient [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32) (g: [n][m]f32)
  : ([n][m]f32, [n][m]f32, [n][m]f32, [n][m]f32) =
  vjp (\(c, f, i, g) -> cells z zb c f i g) (c, f, i, g) (replicate n (replicate m 1))
