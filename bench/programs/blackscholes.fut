-- Prices of call options, and their Greeks by forward mode.
-- ==
-- entry: primal gradient
-- random input { [1000000]f64 }

def normal_cdf (x: f64): f64 =
  let k = 1 / (1 + 0.2316419 * f64.abs x)
  let poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = f64.exp (-0.5 * x * x) / f64.sqrt (2 * f64.pi) * poly
  in if x < 0 then tail else 1 - tail

def price (spot: f64) (volatility: f64): f64 =
  let (strike, maturity, rate) = (1.0, 0.5, 0.05)
  let spread = volatility * f64.sqrt maturity
  let d1 = (f64.log (spot / strike) + (rate + 0.5 * volatility * volatility) * maturity) / spread
  in spot * normal_cdf d1 - strike * f64.exp (-rate * maturity) * normal_cdf (d1 - spread)

entry primal [n] (us: [n]f64): [n]f64 = map (\u -> price (0.5 + u) (0.1 + 0.3 * u)) us
entry gradient [n] (us: [n]f64): ([n]f64, [n]f64) =
  unzip (map (\u ->
                let (spot, volatility) = (0.5 + u, 0.1 + 0.3 * u)
                in (jvp (\s -> price s volatility) spot 1, jvp (price spot) volatility 1))
             us)
