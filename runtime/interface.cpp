// The table of interface.h, and its few functions that are nowhere else.
#include "interface.h"

#include "half.h"
#include "handles.h"
#include "memory_pool.h"

using namespace dagaz::runtime;

int dzr_array_is_borrowed(const dz_array* array) {
  return static_cast<const PoolBlock*>(array->block)->borrowed ? 1 : 0;
}

int dzr_opaque_is_borrowed(const dz_opaque* object, const dz_type* type) {
  for (int32_t i = 0; i < type->leaf_count; ++i) {
    if (type->leaves[i].rank > 0 && dzr_array_is_borrowed(object->leaves[i].array) != 0) return 1;
  }
  return 0;
}

uint16_t dzr_half_from_double(double value) {
  return double_to_half(value);
}

double dzr_half_to_double(uint16_t bits) {
  return half_to_float(bits);
}

const dz_interface* dagaz_interface(void) {
  static constexpr dz_interface table = {
      DZ_INTERFACE_VERSION, DZ_ABI_VERSION,
#define DZ_INTERFACE_FUNCTION(result, name, parameters) dzr_##name,
      DZ_INTERFACE_FUNCTIONS
#undef DZ_INTERFACE_FUNCTION
  };
  return &table;
}
