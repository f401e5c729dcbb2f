-- Runs for as long as it is let, meeting the others in each step.  Says when it begins.
-- ==
-- input { 3i64 10i64 } auto output

entry main (steps: i64) (n: i64) : i64 =
  loop sum = #[trace(begins)] 1
  for i < steps do
    (sum + i64.sum (map (\k -> k * sum + i) (iota n))) %% 1000003
