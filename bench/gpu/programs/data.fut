-- Data that are made where they are needed, the same everywhere.

-- | Bits that depend on `i` in no visible way: the finaliser of MurmurHash3.
def hash (i: i64) : u32 =
  let x = u32.i64 i * 0x9e3779b9 + 1
  let x = (x ^ (x >> 16)) * 0x85ebca6b
  let x = (x ^ (x >> 13)) * 0xc2b2ae35
  in x ^ (x >> 16)

-- | Between 0 and 1.
def number (i: i64) : f32 = f32.u32 (hash i >> 8) / 16777216

def numbers (n: i64) : [n]f32 = map number (iota n)

def numbers_2d (n: i64) (m: i64) : [n][m]f32 = tabulate_2d n m (\i j -> number (i * m + j))

def numbers_3d (n: i64) (m: i64) (k: i64) : [n][m][k]f32 =
  tabulate_3d n m k (\i j l -> number ((i * m + j) * k + l))

def places (bins: i64) (n: i64) : [n]i64 = map (\i -> i64.u32 (hash i) % bins) (iota n)
