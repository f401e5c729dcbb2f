-- Prices of options.

def normal (x: f64) : f64 =
  let k = 1 / (1 + 0.2316419 * f64.abs x)
  let series =
    k
    * (0.31938153
       + k
         * (-0.356563782
            + k
              * (1.781477937
                 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.3989422804014327 * f64.exp (-0.5 * x * x) * series
  in if x > 0 then 1 - tail else tail

-- | Calls by Black and Scholes.
entry black_scholes [n] (spots: [n]f64) (strikes: [n]f64) (years: [n]f64) : [n]f64 =
  let (rate, volatility) = (0.08, 0.3)
  let price spot strike t =
    let spread = volatility * f64.sqrt t
    let d = (f64.log (spot / strike) + (rate + 0.5 * volatility * volatility) * t) / spread
    in spot * normal d - strike * f64.exp (-rate * t) * normal (d - spread)
  in map3 price spots strikes years

-- | American puts, on a tree of so many steps.
entry american [n] (steps: i64) (spots: [n]f32) : [n]f32 =
  let (strike, rate, volatility, years) = (100, 0.05, 0.3, 1)
  let dt = years / f32.i64 steps
  let up = f32.exp (volatility * f32.sqrt dt)
  let discount = f32.exp (-rate * dt)
  let p = (1 / discount - 1 / up) / (up - 1 / up)
  let nodes = steps + 1
  let price spot =
    let exercise t j =
      f32.max 0 (strike - spot * f32.exp (volatility * f32.sqrt dt * f32.i64 (2 * j - t)))
    let leaves = tabulate nodes (exercise steps)
    let values =
      loop values = leaves
      for i < steps do
        let t = steps - 1 - i
        in tabulate nodes (\j ->
                             if j > t
                             then values[j]
                             else f32.max (exercise t j)
                                          (discount * (p * values[j + 1] + (1 - p) * values[j])))
    in values[0]
  in map price spots

def mixed (x: u32) : u32 =
  let x = (x ^ (x >> 15)) * 0x9e3779b1
  let x = (x ^ (x >> 13)) * 0x85ebca77
  in x ^ (x >> 16)

-- | A call on the mean price of `paths` random walks.
entry asian (paths: i64) (steps: i64) : f32 =
  let (spot, strike, rate, volatility) = (100, 100, 0.05, 0.3)
  let dt = 1 / f32.i64 steps
  let uniform x = (f32.u32 (mixed x >> 8) + 0.5) / 16777216
  let gain path =
    let (_, total) =
      loop (price, total) = (spot, 0)
      for i < steps do
        let seed = u32.i64 (path * steps + i) * 2
        let radius = f32.sqrt (-2 * f32.log (uniform seed))
        let z = radius * f32.cos (2 * f32.pi * uniform (seed + 1))
        let growth = (rate - 0.5 * volatility * volatility) * dt + volatility * f32.sqrt dt * z
        let price = price * f32.exp growth
        in (price, total + price)
    in f32.max 0 (total / f32.i64 steps - strike)
  in f32.exp (-rate) * reduce (+) 0 (map gain (iota paths)) / f32.i64 paths
