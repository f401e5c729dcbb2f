// The binary interface between generated code and the runtime, in C.  Generated code never sees
// the inside of a context; it calls the functions listed in abi_functions.def and builds the
// structures below as constants.  codegen mirrors these layouts: a change here bumps
// DZ_ABI_VERSION, which the runtime checks when a context is made.
#ifndef DZ_ABI_H
#define DZ_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DZ_ABI_VERSION 16

/* Exit codes of entry points and runtime functions (the peer's numbers). */
enum dz_status {
  DZ_OK = 0,
  DZ_ERROR = 1,         /* something else went wrong: no device, bad handle, driver failure */
  DZ_PROGRAM_ERROR = 2, /* a value error of the program: bounds, assert, coercion, … */
  DZ_OUT_OF_MEMORY = 3
};

enum dz_element {
  DZ_BOOL = 0, DZ_I8, DZ_I16, DZ_I32, DZ_I64, DZ_U8, DZ_U16, DZ_U32, DZ_U64, DZ_F16, DZ_F32, DZ_F64
};

typedef struct dz_context dz_context;

/* Reference-counted memory on the device of its context (for the CPU: ordinary memory).
   `data` is a host pointer on cpu and sim, a CUdeviceptr on cuda.  Aligned to 64 bytes. */
typedef struct dz_block {
  void *data;
  int64_t bytes;
  int64_t references; /* changed by dz_retain and dz_release only */
  dz_context *context;
} dz_block;

/* Scratch memory from `begin` to `end`, of which what comes before `next` is in use: all of them
   multiples of the alignment. */
#define DZ_SCRATCH_ALIGNMENT 64
typedef struct dz_chunk {
  char* begin;
  char* next;
  char* end;
} dz_chunk;

/* An array value as it crosses an entry point: dense and row-major, starting `offset` elements
   into its block. */
typedef struct dz_array {
  dz_block *block;
  int64_t offset;
  int32_t element; /* enum dz_element */
  int32_t rank;
  __extension__ int64_t shape[]; /* `rank` sizes */
} dz_array;

/* One flattened component of an argument or result.  Records are the concatenation of their
   fields' leaves, in the order of field names (tuples: by position); a sum is an i8 tag and then
   its payload leaves; an array of records is one array per leaf of the record. */
typedef union dz_leaf {
  uint64_t bits;   /* a scalar, in its low bytes */
  dz_array *array; /* borrowed in arguments, owned by the caller in results */
} dz_leaf;

/* An entry point: reads `in`, writes `out`, returns a dz_status.  Arrays in `in` stay owned by
   the caller; where the parameter is unique their contents may have been overwritten. */
typedef int32_t (*dz_entry_function)(dz_context *, const dz_leaf *in, dz_leaf *out);

enum dz_type_kind { DZ_SCALAR_TYPE = 0, DZ_ARRAY_TYPE, DZ_OPAQUE_TYPE };
enum dz_opaque_kind { DZ_RECORD = 0, DZ_SUM, DZ_OPAQUE_ARRAY, DZ_UNKNOWN };

/* One leaf of a type. rank 0 = scalar. */
typedef struct dz_leaf_type {
  int32_t element;
  int32_t rank;
} dz_leaf_type;

/* A field of a record or a variant of a sum.  For a variant, `types` are its payload and
   leaf_index tells, for each leaf of each payload in order, which leaf of the sum holds it. */
typedef struct dz_member {
  const char *name;
  int32_t type_count;
  const int32_t *types; /* indices into dz_program.types; one for a field */
  const int32_t *leaf_index;
} dz_member;

/* A type visible at an entry point. */
typedef struct dz_type {
  const char *name;   /* as in the source, without sizes: "f64", "[][]f64", "params" */
  const char *c_name; /* identifier part: "f64_2d", "params" */
  int32_t kind;       /* enum dz_type_kind */
  int32_t opaque_kind;
  int32_t leaf_count;
  const dz_leaf_type *leaves;
  int32_t member_count;
  const dz_member *members;
  int32_t element_type; /* DZ_OPAQUE_ARRAY: index of the element's type */
  int32_t rank;         /* arrays */
} dz_type;

typedef struct dz_parameter {
  const char *name;
  int32_t type;
  int32_t unique;
} dz_parameter;

typedef struct dz_entry {
  const char *name;
  const char *documentation;
  dz_entry_function function;
  int32_t input_count;
  const dz_parameter *inputs;
  int32_t output_count;
  const dz_parameter *outputs;
} dz_entry;

/* A kernel.  `sim_function` is null except in programs built for sim; see runtime/sim. */
typedef struct dz_kernel {
  const char *name; /* the .entry name in the PTX */
  void (*sim_function)(void *thread, void **arguments);
  int32_t argument_count; /* without the failure word, which comes first */
  const int32_t *argument_bytes; /* size of each argument: 1, 2, 4 or 8 */
  const char *position;   /* source position of one launch, for reports */
  int32_t may_fail;       /* or trace: somebody has to look, when it has run */
} dz_kernel;

/* What a failure inside a kernel means: `text` holds a {} for each argument. */
typedef struct dz_failure {
  const char *text;      /* "Index [{}] out of bounds for array of shape [{}]." */
  const char *backtrace; /* source positions, a line each, innermost first */
} dz_failure;

/* A line that the program prints where it evaluates a trace. */
typedef struct dz_trace {
  const char *label;
  const char *type; /* what the leaves are, in the form of runtime/traces.h */
} dz_trace;

/* All kernels as machine code for GPUs of one compute capability, 10 * major + minor. */
typedef struct dz_gpu_code {
  int32_t capability;
  const void *image;
  int64_t bytes;
} dz_gpu_code;

/* A tuning parameter that the program names; it may have had a value when it was compiled. */
typedef struct dz_tuning_param {
  const char *name;
  int32_t is_set;
  int64_t value; /* where set */
} dz_tuning_param;

enum dz_target { DZ_TARGET_CPU = 0, DZ_TARGET_CUDA, DZ_TARGET_SIM };

/* Everything the runtime knows about a compiled program.  Symbol: dz_program_<prefix>. */
typedef struct dz_program {
  int32_t abi_version;
  int32_t target; /* enum dz_target */
  const char *name;
  int32_t type_count;
  const dz_type *types;
  int32_t entry_count;
  const dz_entry *entries;
  int32_t kernel_count;
  const dz_kernel *kernels;
  int32_t failure_count;
  const dz_failure *failures;
  const char *ptx; /* null unless target is cuda */
  int64_t ptx_length;
  /* Evaluates the program's constants; called once when a context is made.  May be null. */
  int32_t (*initialise)(dz_context *);
  /* Leaves kept per context, see dz_global: for each tuning parameter whether it is set and its
     value, then those of the constants. */
  int64_t global_count;
  int32_t tuning_count;
  const dz_tuning_param *tuning_params;
  int64_t kernel_stack_bytes; /* what a kernel's thread needs where the GPU's compiler cannot tell
                                 because functions call themselves; else 0 */
  int32_t trace_count;
  const dz_trace *traces;
  const char *processor;          /* LLVM's name of the one that the host's code was compiled for */
  const char *processor_features; /* what that code may need of processor_features.def, separated by
                                     spaces; null: nothing */
  /* The same program for other processors and targets, the one that needs most last: a context runs
     the last version that its machine can run.  They differ in code only. */
  int32_t version_count;
  const struct dz_program *const *versions;
  int32_t gpu_code_count; /* besides the PTX, for some GPUs */
  const dz_gpu_code *gpu_code;
} dz_program;

/* Instead of the index of a dz_failure: the arrays of a kernel's thread need more than the arena
   has; the argument says how many bytes. */
#define DZ_ARENA_EXHAUSTED (-2)

/* Where kernels leave what they trace, in device memory, for the host to print.  A thread takes
   words for its record by adding their number to `used`; a record that does not fit is only
   counted.  A record: 1 + the index of its dz_trace, the number of words that follow, and for each
   leaf its value in a word of its own, or its sizes and then its elements, a word each. */
typedef struct dz_trace_buffer {
  int64_t capacity; /* in words */
  int64_t used;     /* may be more */
  int64_t lost;     /* records that did not fit */
  __extension__ int64_t words[];
} dz_trace_buffer;

/* The failure word of a kernel launch, in device memory. `code` is 0 or 1 + index of a
   dz_failure or DZ_ARENA_EXHAUSTED; the first failing thread sets it with a compare-and-swap and
   then `arguments`. */
typedef struct dz_failure_word {
  int32_t code;
  int32_t argument_count;
  int64_t arguments[8];
  dz_trace_buffer *traces; /* null in programs without traces */
} dz_failure_word;

/* `bytes` of a block, from `byte_offset` on, and where to put them. */
typedef struct dz_read_request {
  dz_block *block;
  int64_t byte_offset;
  int64_t bytes;
  void *host;
} dz_read_request;

/* What a rank has, and where all ranks' are left, in their order. */
typedef struct dz_rank_piece {
  dz_block *block; /* null: a scalar */
  int64_t offset;
  int64_t bytes;
  uint64_t bits;
  dz_block *all;
} dz_rank_piece;

/* Elements of a rank that are combined with those of the others, and where that is left. */
typedef struct dz_rank_sum {
  int32_t combine; /* enum dz_combine */
  int32_t element; /* enum dz_element */
  dz_block *block;
  int64_t offset;
  int64_t count;
  dz_block *whole;
} dz_rank_sum;

/* An array of `outer` times `rows` times `middle` times `columns` times `inner_bytes`, of which
   this rank has its own rows and gets its own columns, or, without `later`, the other way round. */
typedef struct dz_rank_turned {
  dz_block *block;
  int64_t offset;
  int64_t later;
  int64_t rows;
  int64_t columns;
  int64_t outer;
  int64_t middle;
  int64_t inner_bytes;
  dz_block *turned;
} dz_rank_turned;

/* Rows of a rank, of an array with `rows` of them, and where it gets those that its points read: of
   `points` they are its own, and point i reads rows i + low to i + high. */
typedef struct dz_rank_window {
  dz_block *block;
  int64_t offset;
  int64_t rows;
  int64_t points;
  int64_t low;
  int64_t high;
  int64_t wraps; /* rows are counted modulo `rows` */
  int64_t row_bytes;
  dz_block *window;
} dz_rank_window;

/* What this rank has added to the rows of a window, and the rows that it has; where the sums of
   those are left. */
typedef struct dz_rank_added {
  dz_rank_window shape; /* its block is what was added */
  dz_block *own;
  int64_t own_offset;
  int64_t element; /* enum dz_element */
} dz_rank_added;

/* Rows of a rank, of which all ranks ask for some, and where it gets those that it has asked for.
 */
typedef struct dz_rank_requested {
  dz_block *block;
  int64_t offset;
  int64_t row_bytes;
  dz_block *answers;
} dz_rank_requested;

/* What the points of a rank have for rows of others, and what all have for its own. */
typedef struct dz_rank_delivered {
  dz_block *block;
  int64_t offset;
  int64_t row_bytes;
  dz_block *delivered;
} dz_rank_delivered;

/* How dz_rank_reduce combines two elements. */
enum dz_combine {
  DZ_ADD = 0, DZ_MULTIPLY, DZ_SIGNED_MINIMUM, DZ_SIGNED_MAXIMUM, DZ_UNSIGNED_MINIMUM,
  DZ_UNSIGNED_MAXIMUM, DZ_BIT_AND, DZ_BIT_OR, DZ_BIT_XOR
};

/* The body of a parallel loop: iterations [begin, end).  Returns a dz_status. */
typedef int32_t (*dz_task)(dz_context *, void *environment, int64_t begin, int64_t end);

enum dz_property {
  DZ_MULTIPROCESSORS = 0, /* cuda: SMs; sim: 4 */
  DZ_MAX_BLOCK_THREADS,   /* threads in a block */
  DZ_MAX_SHARED_BYTES,    /* shared memory of a block */
  DZ_RESIDENT_THREADS,    /* threads that fill the device: the measure of "enough parallelism" */
  DZ_WARP_SIZE,
  DZ_ARENA_BYTES /* for the arrays of kernels' threads whose size the host does not know */
};

#define DZ_ABI(result, name, parameters, codes) result name parameters;
#include "abi_functions.def"
#undef DZ_ABI

#ifdef __cplusplus
}
#endif
#endif
