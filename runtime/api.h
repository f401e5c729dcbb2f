// The generic C API behind every generated header.  A generated function such as
// `gmm_new_f64_2d` does nothing but call one function below with constants: the element type and
// rank, or the index of a type, a member or an entry point in the dz_program.
//
// How values are passed: a scalar by a pointer to its C value (f16 as uint16_t, bool as one
// byte), an array as dz_array *, any other type as dz_opaque *.  Where a result goes to `out`,
// `out` points to a C scalar, to a dz_array * or to a dz_opaque *, by its type.
// Functions that return int return a dz_status; those that return a pointer return null on
// failure; dzr_context_get_error has the message.  On failure no result is written.
// Every function may be called from any thread; calls on one context run one after another.
#ifndef DZ_API_H
#define DZ_API_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dz_config dz_config;
/* A value of an opaque type: its leaves, and which of the program's types it has. */
typedef struct dz_opaque dz_opaque;

/* ---- configuration: made before a context; must outlive it ---- */

dz_config *dzr_config_new(const dz_program *program);
void dzr_config_free(dz_config *config);
void dzr_config_set_debugging(dz_config *config, int flag);
void dzr_config_set_profiling(dz_config *config, int flag);
void dzr_config_set_logging(dz_config *config, int flag);
/* The file in which all of the program's compiled GPU code is kept between runs; the string is
   copied.  Null: each kernel is compiled when it is first launched, and kept in the user's cache
   folder. */
void dzr_config_set_cache_file(dz_config *config, const char *file);
/* Threads of the cpu target; less than 1 means one per core. */
void dzr_config_set_num_threads(dz_config *config, int threads);
/* Which GPU: part of its name, or "#k" for the k-th. */
void dzr_config_set_device(dz_config *config, const char *name);
/* 0 never, 1 always, 2 when the device supports it. */
void dzr_config_set_unified_memory(dz_config *config, int flag);
/* Most bytes of device memory the context may hold, cached blocks included; 0 means no limit
   but the device's. */
void dzr_config_set_memory_cap(dz_config *config, int64_t bytes);
/* The stream of a GPU (a CUstream or cudaStream_t; null is the default stream) on which everything
   is done, in order with what the application puts there.  It must outlive the context and belong
   to the primary context of its device.  Without it the context has a stream of its own, and what
   raw pointers share is kept in order with the application's default stream. */
void dzr_config_set_stream(dz_config *config, void *stream);
/* Programs that were built with --ranks=mpi: the processes of the MPI_Comm at that address run the
   program together, each with a context.  All of them call this, after MPI_Init; MPI_Finalize comes
   after the configuration is freed.  Nonzero where MPI does not run. */
int dzr_config_set_communicator(dz_config *config, const void *communicator);
/* Seconds that ranks wait for each other at most, before all that they do together; they compare
   then what each is about to do.  0: they do neither. */
void dzr_config_set_check_ranks(dz_config *config, int seconds);
/* The embedded GPU program (PTX), or null; replacing it copies the string. */
const char *dzr_config_get_program(dz_config *config);
void dzr_config_set_program(dz_config *config, const char *text);
/* Sizes that the peer lets a user choose.  Dagaz chooses block and grid sizes from the device, so
   these are accepted and change nothing. `which`: "thread_block_size", "grid_size",
   "tile_size", "reg_tile_size", "registers", "cache", "threshold". */
void dzr_config_set_default(dz_config *config, const char *which, int value);
/* Nonzero when the program has no tuning parameter of that name. */
int dzr_config_set_tuning_param(dz_config *config, const char *name, size_t value);
int dzr_tuning_param_count(const dz_program *program);
const char *dzr_tuning_param_name(const dz_program *program, int index);
const char *dzr_tuning_param_class(const dz_program *program, int index);

/* ---- context ---- */

/* Null only when not even the context itself could be allocated.  When making the device or
   evaluating the program's constants fails, the context is returned all the same, get_error says
   why, and nothing else may be done with it but to free it. */
dz_context *dzr_context_new(dz_config *config);
void dzr_context_free(dz_context *context);
int dzr_context_sync(dz_context *context);
/* The text of the last error, to be freed by the caller; null when there is none.  Clears it. */
char *dzr_context_get_error(dz_context *context);
void dzr_context_set_logging_file(dz_context *context, FILE *file);
void dzr_context_pause_profiling(dz_context *context);
void dzr_context_unpause_profiling(dz_context *context);
/* JSON, to be freed by the caller. */
char *dzr_context_report(dz_context *context);
/* Gives cached memory back to the device. */
int dzr_context_clear_caches(dz_context *context);

/* ---- arrays of scalars ---- */

/* Copies `data`: row-major, as many elements as the product of `shape`. */
dz_array *dzr_new_array(dz_context *context, int element, int rank, const void *data,
                        const int64_t *shape);
/* Uses `data` (a device pointer, aligned to 64 bytes) itself; it stays the caller's and must
   outlive the array. */
dz_array *dzr_new_raw_array(dz_context *context, int element, int rank, void *data,
                            const int64_t *shape);
/* Of `rows` rows those that belong to this process where several run the program together; else
   all. */
void dzr_context_rows(dz_context *context, int64_t rows, int64_t *first, int64_t *count);
/* An array of that shape of which each process has its own rows of the outermost dimension, which
   it passes.  An entry point that reads more than those gathers them first; then the array is
   whole. */
dz_array *dzr_new_array_part(dz_context *context, int element, int rank, const void *data,
                             const int64_t *shape);
/* The rows of this process, of any array. */
int dzr_array_values_part(dz_context *context, const dz_array *array, void *data);
int dzr_free_array(dz_context *context, dz_array *array);
/* All elements, for which all processes must ask where each has its own rows alone: as do whoever
   indexes such an array, stores it, or takes its address. */
int dzr_array_values(dz_context *context, const dz_array *array, void *data);
/* The device address of the first element. */
void *dzr_array_values_raw(dz_context *context, const dz_array *array);
/* `rank` sizes; they live as long as the array. */
const int64_t *dzr_array_shape(dz_context *context, const dz_array *array);
int dzr_array_index(dz_context *context, void *out, const dz_array *array,
                    const int64_t *indices);
/* Overwrites one element. */
int dzr_array_set(dz_context *context, dz_array *array, const void *value,
                  const int64_t *indices);

/* ---- opaque values ---- */

int dzr_free_opaque(dz_context *context, dz_opaque *object);
/* The peer's protocol for `p` and `n`: *n is always set; p null: only the size; *p null: *p is
   allocated with malloc; otherwise the bytes are written to *p. */
int dzr_store_opaque(dz_context *context, const dz_opaque *object, void **p, size_t *n);
dz_opaque *dzr_restore_opaque(dz_context *context, int type, const void *p);

/* Records; the fields in the order of dz_type.members. */
int dzr_new_record(dz_context *context, int type, dz_opaque **out, const void *const *fields);
int dzr_project(dz_context *context, int type, int member, void *out, const dz_opaque *object);

/* Sums.  dzr_variant returns the number of the variant, -1 on a bad handle. */
int dzr_variant(dz_context *context, const dz_opaque *object);
int dzr_new_sum(dz_context *context, int type, int variant, dz_opaque **out,
                const void *const *payload);
int dzr_destruct(dz_context *context, int type, int variant, void *const *outs,
                 const dz_opaque *object);

/* Arrays of opaque values (dz_opaque_kind DZ_OPAQUE_ARRAY). */
int dzr_new_opaque_array(dz_context *context, int type, dz_opaque **out,
                         const dz_opaque *const *elements, const int64_t *shape);
int dzr_opaque_array_index(dz_context *context, int type, dz_opaque **out,
                           const dz_opaque *array, const int64_t *indices);
int dzr_opaque_array_set(dz_context *context, int type, dz_opaque *array,
                         const dz_opaque *value, const int64_t *indices);
const int64_t *dzr_opaque_array_shape(dz_context *context, const dz_opaque *array);
/* An array of records from one array per field, and back: `out` is a dz_array ** when the field
   is a scalar or an array of scalars, a dz_opaque ** otherwise. */
int dzr_zip(dz_context *context, int type, dz_opaque **out, const void *const *arrays);
int dzr_opaque_array_project(dz_context *context, int type, int member, void *out,
                             const dz_opaque *array);

/* ---- entry points ---- */

/* ins[i]: pointer to a scalar, dz_array * or dz_opaque *; outs[i]: where to put result i. */
int dzr_call_entry(dz_context *context, int entry, void *const *outs, const void *const *ins);

#ifdef __cplusplus
}
#endif
#endif
