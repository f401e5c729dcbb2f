// What a shared library made by `dagaz build --emit=shared` offers to bindings of other languages:
// one table of the generic functions of api.h, and through `dz_program_PREFIX` the description of
// the program.  A binding needs no header, no generated names and no manifest, and several
// libraries can be open at once: everything else in them is hidden.
#ifndef DZ_INTERFACE_H
#define DZ_INTERFACE_H

#include "api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A binding refuses tables of other versions, and programs of another DZ_ABI_VERSION. */
#define DZ_INTERFACE_VERSION 3

/* DZ_INTERFACE_FUNCTION(result, name, (parameters)): `dzr_name` of api.h, or below. */
#define DZ_INTERFACE_FUNCTIONS                                                                     \
  DZ_INTERFACE_FUNCTION(dz_config *, config_new, (const dz_program *))                             \
  DZ_INTERFACE_FUNCTION(void, config_free, (dz_config *))                                          \
  DZ_INTERFACE_FUNCTION(void, config_set_debugging, (dz_config *, int))                            \
  DZ_INTERFACE_FUNCTION(void, config_set_profiling, (dz_config *, int))                            \
  DZ_INTERFACE_FUNCTION(void, config_set_logging, (dz_config *, int))                              \
  DZ_INTERFACE_FUNCTION(void, config_set_cache_file, (dz_config *, const char *))                  \
  DZ_INTERFACE_FUNCTION(void, config_set_num_threads, (dz_config *, int))                          \
  DZ_INTERFACE_FUNCTION(void, config_set_device, (dz_config *, const char *))                      \
  DZ_INTERFACE_FUNCTION(void, config_set_unified_memory, (dz_config *, int))                       \
  DZ_INTERFACE_FUNCTION(void, config_set_memory_cap, (dz_config *, int64_t))                       \
  DZ_INTERFACE_FUNCTION(void, config_set_stream, (dz_config *, void *))                            \
  DZ_INTERFACE_FUNCTION(int, config_set_tuning_param, (dz_config *, const char *, size_t))         \
  DZ_INTERFACE_FUNCTION(void, config_set_check_ranks, (dz_config *, int))                          \
  DZ_INTERFACE_FUNCTION(dz_context *, context_new, (dz_config *))                                  \
  DZ_INTERFACE_FUNCTION(void, context_free, (dz_context *))                                        \
  DZ_INTERFACE_FUNCTION(int, context_sync, (dz_context *))                                         \
  DZ_INTERFACE_FUNCTION(char *, context_get_error, (dz_context *))                                 \
  DZ_INTERFACE_FUNCTION(char *, context_report, (dz_context *))                                    \
  DZ_INTERFACE_FUNCTION(int, context_clear_caches, (dz_context *))                                 \
  DZ_INTERFACE_FUNCTION(void, context_rows, (dz_context *, int64_t, int64_t *, int64_t *))         \
  DZ_INTERFACE_FUNCTION(dz_array *, new_array,                                                     \
                        (dz_context *, int, int, const void *, const int64_t *))                   \
  DZ_INTERFACE_FUNCTION(dz_array *, new_raw_array,                                                 \
                        (dz_context *, int, int, void *, const int64_t *))                         \
  DZ_INTERFACE_FUNCTION(dz_array *, new_array_part,                                                \
                        (dz_context *, int, int, const void *, const int64_t *))                   \
  DZ_INTERFACE_FUNCTION(int, array_values_part, (dz_context *, const dz_array *, void *))          \
  DZ_INTERFACE_FUNCTION(int, free_array, (dz_context *, dz_array *))                               \
  DZ_INTERFACE_FUNCTION(int, array_values, (dz_context *, const dz_array *, void *))               \
  DZ_INTERFACE_FUNCTION(void *, array_values_raw, (dz_context *, const dz_array *))                \
  DZ_INTERFACE_FUNCTION(int, free_opaque, (dz_context *, dz_opaque *))                             \
  DZ_INTERFACE_FUNCTION(int, store_opaque, (dz_context *, const dz_opaque *, void **, size_t *))   \
  DZ_INTERFACE_FUNCTION(dz_opaque *, restore_opaque, (dz_context *, int, const void *))            \
  DZ_INTERFACE_FUNCTION(int, new_record, (dz_context *, int, dz_opaque **, const void *const *))   \
  DZ_INTERFACE_FUNCTION(int, project, (dz_context *, int, int, void *, const dz_opaque *))         \
  DZ_INTERFACE_FUNCTION(int, variant, (dz_context *, const dz_opaque *))                           \
  DZ_INTERFACE_FUNCTION(int, new_sum,                                                              \
                        (dz_context *, int, int, dz_opaque **, const void *const *))               \
  DZ_INTERFACE_FUNCTION(int, destruct,                                                             \
                        (dz_context *, int, int, void *const *, const dz_opaque *))                \
  DZ_INTERFACE_FUNCTION(int, new_opaque_array,                                                     \
                        (dz_context *, int, dz_opaque **, const dz_opaque *const *,                \
                         const int64_t *))                                                         \
  DZ_INTERFACE_FUNCTION(int, opaque_array_index,                                                   \
                        (dz_context *, int, dz_opaque **, const dz_opaque *, const int64_t *))     \
  DZ_INTERFACE_FUNCTION(const int64_t *, opaque_array_shape, (dz_context *, const dz_opaque *))    \
  DZ_INTERFACE_FUNCTION(int, zip, (dz_context *, int, dz_opaque **, const void *const *))          \
  DZ_INTERFACE_FUNCTION(int, opaque_array_project,                                                 \
                        (dz_context *, int, int, void *, const dz_opaque *))                       \
  DZ_INTERFACE_FUNCTION(int, call_entry, (dz_context *, int, void *const *, const void *const *))  \
  DZ_INTERFACE_FUNCTION(int, array_is_borrowed, (const dz_array *))                                \
  DZ_INTERFACE_FUNCTION(int, opaque_is_borrowed, (const dz_opaque *, const dz_type *))             \
  DZ_INTERFACE_FUNCTION(uint16_t, half_from_double, (double))                                      \
  DZ_INTERFACE_FUNCTION(double, half_to_double, (uint16_t))

typedef struct dz_interface {
  int32_t version;     /* DZ_INTERFACE_VERSION */
  int32_t abi_version; /* DZ_ABI_VERSION */
#define DZ_INTERFACE_FUNCTION(result, name, parameters) result(*name) parameters;
  DZ_INTERFACE_FUNCTIONS
#undef DZ_INTERFACE_FUNCTION
} dz_interface;

const dz_interface *dagaz_interface(void);

/* Whether the elements are in the application's memory: the array, or what it was computed of as a
   part or another shape, came of dzr_new_raw_array. */
int dzr_array_is_borrowed(const dz_array *array);
/* The same for any array of a value of that type. */
int dzr_opaque_is_borrowed(const dz_opaque *object, const dz_type *type);
uint16_t dzr_half_from_double(double value);
double dzr_half_to_double(uint16_t bits);

#ifdef __cplusplus
}
#endif
#endif
