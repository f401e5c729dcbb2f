// Included before Futhark's C code: it makes a context as before CUDA 13, where a parameter came in.
#include <cuda.h>
#if CUDA_VERSION >= 13000
#undef cuCtxCreate
#define cuCtxCreate(context, flags, device) cuCtxCreate_v4(context, NULL, flags, device)
#endif
