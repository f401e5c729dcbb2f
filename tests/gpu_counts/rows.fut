-- Chains of operations on rows are one kernel where the rows fit a block, however many there are.
-- spills: sm_90 kernels 0
-- counts: softmax [10000][100]f32: launches 1, waits 1
-- counts: softmax [100][5000]f32: launches 1, waits 1
-- counts: softmax [10][100000]f32: launches 3, waits 1
-- counts: layer_norm [4096][1024]f32: launches 1, waits 1
-- counts: layer_norm_gradient [4096][1024]f32 [4096][1024]f32: launches 1, waits 1
-- counts: cross_entropy_gradient [4096][1024]f32 [4096]i64: launches 1, waits 1
-- counts: unit_rows [3][50][1000]f64: launches 1, waits 1
-- counts: shares [4096][1024]f32: launches 1, waits 1
-- What they move: each array once.
-- moves: softmax [40][1000]f32: loads 160000, stores 160000
-- moves: softmax [300][100]f32: loads 120000, stores 120000
-- moves: softmax [2][50000]f32: loads 400000 now 1200128, stores 400000 now 800592, sectors 100
-- moves: layer_norm [40][1000]f32: loads 160000, stores 160000
-- moves: layer_norm_gradient [40][1000]f32 [40][1000]f32: loads 320000, stores 160000
-- moves: cross_entropy_gradient [40][1000]f32 [40]i64: loads 160320, stores 160000
-- moves: unit_rows [3][9][1000]f64: loads 216000, stores 216000
-- moves: shares [40][1000]f32: loads 160000, stores 160000
entry softmax [n] [m] (a: [n][m]f32) =
  map (\row ->
         let most = f32.maximum row
         let grown = map (\x -> f32.exp (x - most)) row
         let total = f32.sum grown
         in map (/ total) grown)
      a

def normalised [m] (row: [m]f32) =
  let mean = f32.sum row / f32.i64 m
  let spread = f32.sum (map (\x -> (x - mean) * (x - mean)) row) / f32.i64 m
  in map (\x -> (x - mean) / f32.sqrt (spread + 1e-5)) row

entry layer_norm [n] [m] (a: [n][m]f32) = map normalised a
entry layer_norm_gradient [n] [m] (a: [n][m]f32) (seed: [n][m]f32) = vjp (map normalised) a seed

def cross_entropy [m] (row: [m]f32) (label: i64) =
  let most = f32.maximum row
  let total = f32.sum (map (\x -> f32.exp (x - most)) row)
  in f32.log total + most - row[label]

entry cross_entropy_gradient [n] [m] (a: [n][m]f32) (labels: [n]i64) =
  vjp (\b -> f32.sum (map2 cross_entropy b labels)) a 1

entry unit_rows (a: [][][]f64) =
  map (map (\row ->
              let length = f64.sqrt (f64.sum (map (\x -> x * x) row))
              in map (/ length) row))
      a

-- A scan between what needs it whole.
entry shares (a: [][]f32) =
  map (\row ->
         let until = scan (+) 0 row
         let most = f32.maximum until
         in map (/ most) until)
      a
