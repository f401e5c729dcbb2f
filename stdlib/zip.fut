-- | Arrays of tuples from tuples of arrays, and back.  An array of tuples is kept as several
-- arrays, so none of these moves data.

-- | Pairs the elements of two arrays.
def zip [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) =
  intrinsics.zip as bs

-- | The same as `zip`.
def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) =
  intrinsics.zip as bs

-- | Combines the elements of three arrays.
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  intrinsics.map (\(a, (b, c)) -> (a, b, c)) (intrinsics.zip as (intrinsics.zip bs cs))

-- | Combines the elements of four arrays.
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  intrinsics.map (\((a, b), (c, d)) -> (a, b, c, d))
                 (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | Combines the elements of five arrays.
def zip5 [n] 'a 'b 'c 'd 'e
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n](a, b, c, d, e) =
  intrinsics.map (\((a, b), (c, (d, e))) -> (a, b, c, d, e))
                 (intrinsics.zip (intrinsics.zip as bs)
                                 (intrinsics.zip cs (intrinsics.zip ds es)))

-- | Takes an array of pairs apart.
def unzip [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) =
  intrinsics.unzip xs

-- | The same as `unzip`.
def unzip2 [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) =
  intrinsics.unzip xs

-- | Takes an array of triples apart.
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) =
  let (as, bcs) = intrinsics.unzip (intrinsics.map (\(a, b, c) -> (a, (b, c))) xs)
  let (bs, cs) = intrinsics.unzip bcs
  in (as, bs, cs)

-- | Takes an array of quadruples apart.
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  let (abs, cds) = intrinsics.unzip (intrinsics.map (\(a, b, c, d) -> ((a, b), (c, d))) xs)
  let (as, bs) = intrinsics.unzip abs
  let (cs, ds) = intrinsics.unzip cds
  in (as, bs, cs, ds)

-- | Takes an array of quintuples apart.
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  let (abs, cdes) =
    intrinsics.unzip (intrinsics.map (\(a, b, c, d, e) -> ((a, b), (c, (d, e)))) xs)
  let (as, bs) = intrinsics.unzip abs
  let (cs, des) = intrinsics.unzip cdes
  let (ds, es) = intrinsics.unzip des
  in (as, bs, cs, ds, es)
