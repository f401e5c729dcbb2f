// The functions of api.h about arrays of scalars.
#include "handles.h"

using namespace dagaz::runtime;

dz_array* dzr_new_array(dz_context* context, int element, int rank, const void* data,
                        const int64_t* shape) {
  const Call call(*context);
  dz_array* array = nullptr;
  if (!context->usable || make_array(*context, {element, rank}, shape, &array) != DZ_OK) {
    return nullptr;
  }
  const int64_t bytes = element_total(*array) * element_bytes(*array);
  if (bytes > 0 && dz_write(context, array->block, 0, bytes, data) != DZ_OK) {
    free_array(*context, array);
    return nullptr;
  }
  return array;
}

dz_array* dzr_new_raw_array(dz_context* context, int element, int rank, void* data,
                            const int64_t* shape) {
  const Call call(*context);
  if (!context->usable) {
    return nullptr;
  }
  const int64_t bytes = element_info(element).bytes;
  const std::optional<int64_t> count = count_of(*context, shape, rank, bytes);
  if (!count) {
    return nullptr;
  }
  dz_block* block = nullptr;
  dz_array* array = nullptr;
  if (context->pool->adopt(data, *count * bytes, &block) == DZ_OK) {
    dz_make_array(context, block, 0, element, rank, shape, &array);
    context->device->share_memory();
  }
  dz_release(block);
  return array;
}

int dzr_free_array(dz_context* context, dz_array* array) {
  const std::lock_guard lock(context->calls);
  free_array(*context, array);
  return DZ_OK;
}

int dzr_array_values(dz_context* context, const dz_array* array, void* data) {
  const Call call(*context);
  const int32_t status = make_whole(*context, *array);
  if (status != DZ_OK) {
    return status;
  }
  const int64_t bytes = element_bytes(*array);
  return dz_read(context, array->block, array->offset * bytes, element_total(*array) * bytes,
                 data);
}

void* dzr_array_values_raw(dz_context* context, const dz_array* array) {
  const Call call(*context);
  if (make_whole(*context, *array) != DZ_OK) {
    return nullptr;
  }
  context->device->share_memory();
  return advance(array->block->data, array->offset * element_bytes(*array));
}

const int64_t* dzr_array_shape(dz_context*, const dz_array* array) {
  return array->shape;
}

// The place of an element in the block, in bytes, of an array that is made whole for it.
static int32_t find_element(dz_context& context, const dz_array& array, const int64_t* indices,
                            int64_t* place) {
  const std::optional<int64_t> flat = flat_index(context, array.shape, array.rank, indices);
  if (!flat) {
    return DZ_ERROR;
  }
  *place = (array.offset + *flat) * element_bytes(array);
  return make_whole(context, array);
}

int dzr_array_index(dz_context* context, void* out, const dz_array* array, const int64_t* indices) {
  const Call call(*context);
  int64_t place = 0;
  const int32_t status = find_element(*context, *array, indices, &place);
  if (status != DZ_OK) {
    return status;
  }
  return dz_read(context, array->block, place, element_bytes(*array), out);
}

int dzr_array_set(dz_context* context, dz_array* array, const void* value,
                  const int64_t* indices) {
  const Call call(*context);
  int64_t place = 0;
  const int32_t status = find_element(*context, *array, indices, &place);
  if (status != DZ_OK) {
    return status;
  }
  return dz_write(context, array->block, place, element_bytes(*array), value);
}
