// The functions of api.h about arrays of opaque values: one array per leaf of the element, all
// with the same outer sizes.
#include "handles.h"

using namespace dagaz::runtime;

namespace {

/// The inner part of one leaf of an array of opaque values, for one element.
struct Part {
  dz_leaf_type leaf;     // of the element
  dz_array* array;       // holds that leaf of all elements
  int64_t inner;         // scalars per element
  int64_t byte_offset;   // where the element's scalars begin
  int64_t bytes;         // and how long they are
};

Part part_of(dz_leaf_type element_leaf, int32_t outer_rank, dz_array* array, int64_t flat) {
  const int64_t size = element_info(element_leaf.element).bytes;
  int64_t inner = 1;
  for (int32_t i = outer_rank; i < array->rank; ++i) {
    inner *= array->shape[i];
  }
  return {element_leaf, array, inner, (array->offset + flat * inner) * size, inner * size};
}

int32_t copy_out(dz_context& context, const Part& part, int32_t outer_rank, dz_leaf* out) {
  if (part.leaf.rank == 0) {
    out->bits = 0;
    return dz_read(&context, part.array->block, part.byte_offset, part.bytes, &out->bits);
  }
  const int32_t status =
      make_array(context, part.leaf, part.array->shape + outer_rank, &out->array);
  if (status != DZ_OK) {
    return status;
  }
  return dz_copy(&context, out->array->block, 0, part.array->block, part.byte_offset,
                 part.bytes);
}

int32_t copy_in(dz_context& context, const Part& part, int32_t outer_rank, dz_leaf value) {
  if (part.leaf.rank == 0) {
    return dz_write(&context, part.array->block, part.byte_offset, part.bytes, &value.bits);
  }
  for (int32_t i = 0; i < part.leaf.rank; ++i) {
    if (value.array->shape[i] != part.array->shape[outer_rank + i]) {
      return bad_value(context, "Error: the element has another shape than the array's elements");
    }
  }
  const int64_t size = element_bytes(*value.array);
  return dz_copy(&context, part.array->block, part.byte_offset, value.array->block,
                 value.array->offset * size, part.bytes);
}

bool is_array_of_opaques(const dz_context& context, int32_t type, const dz_opaque* array) {
  return array != nullptr && array->type == type &&
         type_at(context, type).opaque_kind == DZ_OPAQUE_ARRAY;
}

int32_t check_zip(dz_context& context, const dz_type& type, const std::vector<dz_leaf>& leaves) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    const dz_array& array = *leaves[i].array;
    if (array.element != type.leaves[i].element || array.rank != type.leaves[i].rank) {
      return bad_value(context, "Error: zip: an array has another type than its field");
    }
    for (int32_t dim = 0; dim < type.rank; ++dim) {
      if (array.shape[dim] != leaves[0].array->shape[dim]) {
        return bad_value(context, "Error: zip: the arrays have different sizes: " +
                                      std::to_string(array.shape[dim]) + " and " +
                                      std::to_string(leaves[0].array->shape[dim]));
      }
    }
  }
  return DZ_OK;
}

/// Fills the leaves of a new array of opaque values from its elements.
int32_t gather(dz_context& context, dz_opaque* array, const dz_opaque* const* elements,
               const int64_t* shape, int64_t count) {
  const dz_type& type = type_at(context, array->type);
  const dz_type& element = type_at(context, type.element_type);
  for (int32_t i = 0; i < array->leaf_count; ++i) {
    std::vector<int64_t> sizes(shape, shape + type.rank);
    for (int32_t dim = 0; dim < element.leaves[i].rank; ++dim) {
      sizes.push_back(count == 0 ? 0 : elements[0]->leaves[i].array->shape[dim]);
    }
    int32_t status =
        make_array(context, type.leaves[i], sizes.data(), &array->leaves[i].array);
    for (int64_t flat = 0; flat < count && status == DZ_OK; ++flat) {
      const Part part =
          part_of(element.leaves[i], type.rank, array->leaves[i].array, flat);
      status = copy_in(context, part, type.rank, elements[flat]->leaves[i]);
    }
    if (status != DZ_OK) {
      return status;
    }
  }
  return DZ_OK;
}

}  // namespace

int dzr_new_opaque_array(dz_context* context, int type, dz_opaque** out,
                         const dz_opaque* const* elements, const int64_t* shape) {
  const Call call(*context);
  const dz_type& description = type_at(*context, type);
  const std::optional<int64_t> count = count_of(*context, shape, description.rank, sizeof(void*));
  if (!count) {
    return DZ_ERROR;
  }
  for (int64_t i = 0; i < *count; ++i) {
    if (elements[i] == nullptr || elements[i]->type != description.element_type) {
      return bad_value(*context, "Error: an element has another type than the array's elements");
    }
    const int32_t whole = make_whole(*context, *elements[i]);
    if (whole != DZ_OK) {
      return whole;
    }
  }
  dz_opaque* array = nullptr;
  int32_t status = make_opaque(*context, type, &array);
  if (status != DZ_OK) {
    return status;
  }
  status = gather(*context, array, elements, shape, *count);
  if (status != DZ_OK) {
    free_opaque(*context, array);
    return status;
  }
  *out = array;
  return DZ_OK;
}

int dzr_opaque_array_index(dz_context* context, int type, dz_opaque** out,
                           const dz_opaque* array, const int64_t* indices) {
  const Call call(*context);
  if (!is_array_of_opaques(*context, type, array)) {
    return misuse(*context, "index", "the value has another type");
  }
  const dz_type& description = type_at(*context, type);
  const std::optional<int64_t> flat =
      flat_index(*context, dzr_opaque_array_shape(context, array), description.rank, indices);
  if (!flat) {
    return DZ_ERROR;
  }
  dz_opaque* element = nullptr;
  int32_t status = make_whole(*context, *array);
  if (status == DZ_OK) {
    status = make_opaque(*context, description.element_type, &element);
  }
  const dz_type& element_type = type_at(*context, description.element_type);
  for (int32_t i = 0; status == DZ_OK && i < element->leaf_count; ++i) {
    const Part part =
        part_of(element_type.leaves[i], description.rank, array->leaves[i].array, *flat);
    status = copy_out(*context, part, description.rank, &element->leaves[i]);
  }
  if (status != DZ_OK) {
    free_opaque(*context, element);
    return status;
  }
  *out = element;
  return DZ_OK;
}

int dzr_opaque_array_set(dz_context* context, int type, dz_opaque* array, const dz_opaque* value,
                         const int64_t* indices) {
  const Call call(*context);
  const dz_type& description = type_at(*context, type);
  if (!is_array_of_opaques(*context, type, array) || value == nullptr ||
      value->type != description.element_type) {
    return misuse(*context, "set", "the value has another type");
  }
  const std::optional<int64_t> flat =
      flat_index(*context, dzr_opaque_array_shape(context, array), description.rank, indices);
  if (!flat) {
    return DZ_ERROR;
  }
  const dz_type& element_type = type_at(*context, description.element_type);
  int32_t status = make_whole(*context, *array);
  if (status == DZ_OK) {
    status = make_whole(*context, *value);
  }
  for (int32_t i = 0; i < array->leaf_count && status == DZ_OK; ++i) {
    const Part part =
        part_of(element_type.leaves[i], description.rank, array->leaves[i].array, *flat);
    status = copy_in(*context, part, description.rank, value->leaves[i]);
  }
  return status;
}

const int64_t* dzr_opaque_array_shape(dz_context*, const dz_opaque* array) {
  static constexpr int64_t no_sizes[16] = {};
  return array->leaf_count > 0 ? array->leaves[0].array->shape : no_sizes;
}

int dzr_zip(dz_context* context, int type, dz_opaque** out, const void* const* arrays) {
  const Call call(*context);
  const dz_type& description = type_at(*context, type);
  std::vector<dz_leaf> leaves;
  for (int32_t i = 0; i < description.member_count; ++i) {
    if (!append_leaves(*context, description.members[i].types[0], arrays[i], leaves)) {
      return bad_value(*context, std::string("Error: zip: the array for field ") +
                                     description.members[i].name + " has another type");
    }
  }
  int32_t status = check_zip(*context, description, leaves);
  dz_opaque* array = nullptr;
  if (status == DZ_OK) {
    status = make_opaque(*context, type, &array);
  }
  for (size_t i = 0; status == DZ_OK && i < leaves.size(); ++i) {
    status = share_array(*context, *leaves[i].array, &array->leaves[i].array);
  }
  if (status != DZ_OK) {
    free_opaque(*context, array);
    return status;
  }
  *out = array;
  return DZ_OK;
}

int dzr_opaque_array_project(dz_context* context, int type, int member, void* out,
                             const dz_opaque* array) {
  const Call call(*context);
  if (!is_array_of_opaques(*context, type, array)) {
    return misuse(*context, "project", "the value has another type");
  }
  const dz_type& description = type_at(*context, type);
  int32_t first = 0;
  for (int32_t i = 0; i < member; ++i) {
    first += type_at(*context, description.members[i].types[0]).leaf_count;
  }
  const int32_t field = description.members[member].types[0];
  if (type_at(*context, field).kind != DZ_OPAQUE_TYPE) {
    return share_array(*context, *array->leaves[first].array, static_cast<dz_array**>(out));
  }
  dz_opaque* result = nullptr;
  int32_t status = make_opaque(*context, field, &result);
  for (int32_t i = 0; status == DZ_OK && i < result->leaf_count; ++i) {
    status = share_array(*context, *array->leaves[first + i].array, &result->leaves[i].array);
  }
  if (status != DZ_OK) {
    free_opaque(*context, result);
    return status;
  }
  *static_cast<dz_opaque**>(out) = result;
  return DZ_OK;
}
