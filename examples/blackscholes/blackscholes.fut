-- | Prices of European options (Black and Scholes 1973) and their sensitivities, the Greeks.
-- A Greek is a directional derivative, so each is one `jvp`; gamma, a second derivative, is a
-- `jvp` of a `jvp`.
-- ==
-- entry: call_prices
-- input { [42.0, 100.0] [40.0, 110.0] [0.5, 2.0] 0.1 0.2 }
-- output { [4.759422392871535, 16.37538688318194] }

-- The five Greeks of the first option are those of Hull's textbook example.
-- ==
-- entry: call_greeks
-- input { [42.0] [40.0] [0.5] 0.1 0.2 }
-- output { [0.779131290942669] [0.04996267040591185] [8.813415059602853]
--          [-4.559092194592626] [13.98204591336028] }

-- Each Greek agrees with a central difference; the largest relative error is small.
-- ==
-- entry: greeks_against_differences
-- input { [42.0, 100.0, 90.0] [40.0, 110.0, 91.0] [0.5, 2.0, 0.25] 0.1 0.2 }
-- output { true }

type option = {spot: f64, strike: f64, maturity: f64, rate: f64, volatility: f64}

def normal_cdf (x: f64) : f64 = 0.5 * f64.erfc (-x / f64.sqrt 2)

-- | The price of a call, in the currency of `spot`; `maturity` in years, `rate` and `volatility`
-- per year.
def call (o: option) : f64 =
  let spread = o.volatility * f64.sqrt o.maturity
  let d1 =
    (f64.log (o.spot / o.strike) + (o.rate + 0.5 * o.volatility ** 2) * o.maturity) / spread
  let d2 = d1 - spread
  in o.spot * normal_cdf d1 - o.strike * f64.exp (-o.rate * o.maturity) * normal_cdf d2

def no_change : option = {spot = 0, strike = 0, maturity = 0, rate = 0, volatility = 0}

def delta o = jvp call o (no_change with spot = 1)
def gamma o = jvp delta o (no_change with spot = 1)
def vega o = jvp call o (no_change with volatility = 1)
def theta o = -(jvp call o (no_change with maturity = 1))
def rho o = jvp call o (no_change with rate = 1)

def options [n] (spots: [n]f64)
            (strikes: [n]f64)
            (maturities: [n]f64)
            (rate: f64)
            (volatility: f64) : [n]option =
  map3 (\spot strike maturity -> {spot, strike, maturity, rate, volatility})
       spots
       strikes
       maturities

-- | The price of each call.
entry call_prices [n] (spots: [n]f64)
                  (strikes: [n]f64)
                  (maturities: [n]f64)
                  (rate: f64)
                  (volatility: f64) : [n]f64 =
  map call (options spots strikes maturities rate volatility)

-- | Delta, gamma, vega, theta and rho of each call.
entry call_greeks [n] (spots: [n]f64)
                  (strikes: [n]f64)
                  (maturities: [n]f64)
                  (rate: f64)
                  (volatility: f64) : ([n]f64, [n]f64, [n]f64, [n]f64, [n]f64) =
  options spots strikes maturities rate volatility
  |> map (\o -> (delta o, gamma o, vega o, theta o, rho o))
  |> unzip5

def difference (f: f64 -> f64) (x: f64) : f64 =
  let h = 1e-5 * f64.max 1 (f64.abs x)
  in (f (x + h) - f (x - h)) / (2 * h)

def close (a: f64) (b: f64) : bool = f64.abs (a - b) <= 1e-6 * f64.max 1 (f64.abs b)

entry greeks_against_differences [n] (spots: [n]f64)
                                 (strikes: [n]f64)
                                 (maturities: [n]f64)
                                 (rate: f64)
                                 (volatility: f64) : bool =
  options spots strikes maturities rate volatility
  |> all (\o ->
            close (delta o) (difference (\x -> call (o with spot = x)) o.spot)
            && close (gamma o) (difference (\x -> delta (o with spot = x)) o.spot)
            && close (vega o) (difference (\x -> call (o with volatility = x)) o.volatility)
            && close (-(theta o)) (difference (\x -> call (o with maturity = x)) o.maturity)
            && close (rho o) (difference (\x -> call (o with rate = x)) o.rate))
