-- | The cell state update of a hierarchical multiscale LSTM (Chung, Ahn and Bengio 2017), the
-- example of "Dynamic automatic differentiation of GPU broadcast kernels" (Revels et al. 2018).
-- Each element decides by its own control bits whether to flush, copy or update; the bits are
-- stretched along the outer dimension.  The gradient of the broadcast is one kernel that runs
-- the update on dual numbers: no taped branches, no intermediate arrays.
-- ==
-- entry: cell
-- input { [1f32, 0f32, 0f32] [0f32, 0f32, 1f32]
--         [[0.1f32, 0.2f32, 0.3f32], [0.4f32, 0.5f32, 0.6f32]]
--         [[0.7f32, 0.8f32, 0.9f32], [0.15f32, 0.25f32, 0.35f32]]
--         [[0.45f32, 0.55f32, 0.65f32], [0.75f32, 0.85f32, 0.95f32]]
--         [[0.12f32, 0.22f32, 0.32f32], [0.42f32, 0.52f32, 0.62f32]] }
-- output { [[0.072927f32, 0.2f32, 0.4166341f32], [0.2695867f32, 0.5f32, 0.7493973f32]] }

-- The gradient agrees with central differences in f64, and ⟨w, J v⟩ = ⟨Jᵀ w, v⟩.
-- ==
-- entry: gradient_is_right
-- input { [1.0, 0.0, 0.0] [0.0, 0.0, 1.0]
--         [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]] [[0.7, 0.8, 0.9], [0.15, 0.25, 0.35]]
--         [[0.45, 0.55, 0.65], [0.75, 0.85, 0.95]] [[0.12, 0.22, 0.32], [0.42, 0.52, 0.62]] }
-- output { true true }

-- The cell over any real type, so that the same text serves f32 on a GPU and f64 in the check.
module cell_over (R: real) = {
  def one = R.i64 1
  def sigmoid (x: R.t) : R.t = R.(one / (one + exp (neg x)))

  -- | The new cell state; `z` says flush, `zb` says that the layer below has changed.
  def update (z: R.t) (zb: R.t) (c: R.t) (f: R.t) (i: R.t) (g: R.t) : R.t =
    if R.(z == one)
    then R.(sigmoid i * tanh g)
    else if R.(zb == i64 0)
    then c
    else R.(sigmoid f * c + sigmoid i * tanh g)

  -- | Over a whole layer: `z` and `zb` hold one control bit per column.
  def cells [n] [m] (z: [m]R.t)
            (zb: [m]R.t)
            (c: [n][m]R.t)
            (f: [n][m]R.t)
            (i: [n][m]R.t)
            (g: [n][m]R.t) : [n][m]R.t =
    update.(z, zb, c, f, i, g)
}

module cell_f32 = cell_over f32
module cell_f64 = cell_over f64

entry cell [n] [m] (z: [m]f32)
           (zb: [m]f32)
           (c: [n][m]f32)
           (f: [n][m]f32)
           (i: [n][m]f32)
           (g: [n][m]f32) : [n][m]f32 =
  cell_f32.cells z zb c f i g

-- | The adjoints of c, f, i and g for the adjoint `seed` of the new state.
entry gradient [n] [m] (z: [m]f32)
               (zb: [m]f32)
               (c: [n][m]f32)
               (f: [n][m]f32)
               (i: [n][m]f32)
               (g: [n][m]f32)
               (seed: [n][m]f32) : ([n][m]f32, [n][m]f32, [n][m]f32, [n][m]f32) =
  vjp (\(c, f, i, g) -> cell_f32.cells z zb c f i g) (c, f, i, g) seed

def dot [n] [m] (x: [n][m]f64) (y: [n][m]f64) : f64 = f64.sum (flatten (x .* y))

entry gradient_is_right [n] [m] (z: [m]f64)
                        (zb: [m]f64)
                        (c: [n][m]f64)
                        (f: [n][m]f64)
                        (i: [n][m]f64)
                        (g: [n][m]f64) : (bool, bool) =
  let run (c, f, i, g) = cell_f64.cells z zb c f i g
  -- Some direction and some weights that differ everywhere.
  let wave (phase: f64) =
    tabulate_2d n m (\k l -> f64.sin (phase + 1.3 * f64.i64 k + 0.7 * f64.i64 l))
  let (vc, vf, vi, vg) = (wave 0.1, wave 0.2, wave 0.3, wave 0.4)
  let w = wave 0.5
  let (ac, af, ai, ag) = vjp run (c, f, i, g) w
  let by_reverse = dot ac vc + dot af vf + dot ai vi + dot ag vg
  let by_forward = dot w (jvp run (c, f, i, g) (vc, vf, vi, vg))
  let h = 1e-6
  let step s = run (c .+ s .* vc, f .+ s .* vf, i .+ s .* vi, g .+ s .* vg)
  let by_difference = dot w ((step h .- step (-h)) ./ (2 * h))
  let close tolerance a b = f64.abs (a - b) <= tolerance * f64.max 1 (f64.abs b)
  in (close 1e-6 by_reverse by_difference, close 1e-10 by_reverse by_forward)
