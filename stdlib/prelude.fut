-- | What every program sees without importing anything.

open import "functional"
open import "soacs"
open import "array"
open import "math"
open import "ad"

-- | Conversions between `i32` and the real types; the modules `f32`, `f64` and `i32` have all.
def r32 (x: i32) : f32 = intrinsics.convert x

-- | To `i32`, towards zero.
def t32 (x: f32) : i32 = intrinsics.convert x

-- | To `f64`.
def r64 (x: i32) : f64 = intrinsics.convert x

-- | To `i32`, towards zero.
def t64 (x: f64) : i32 = intrinsics.convert x

-- | Negates a truth value.
def not (x: bool) : bool = !x

-- | The value itself, as something about which the compiler must not assume anything.
def opaque 't (x: t) : t = intrinsics.opaque x

-- | The value itself, which is printed on standard error; so is the value of `#[trace] x`.
def trace 't (x: t) : t = intrinsics.trace x

-- | The value itself; an interpreter stops here.
def break 't (x: t) : t = intrinsics.break x
