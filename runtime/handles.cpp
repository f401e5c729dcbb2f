// Making, sharing and freeing values that the application holds.
#include "handles.h"

#include <array>
#include <cstdlib>
#include <new>

namespace dagaz::runtime {

namespace {

struct ScalarTypes {
  std::array<dz_leaf_type, element_count> leaves{};
  std::array<dz_type, element_count> types{};

  ScalarTypes() {
    for (int32_t element = 0; element < element_count; ++element) {
      const auto i = static_cast<size_t>(element);
      leaves[i] = {element, 0};
      types[i].name = element_info(element).name;
      types[i].c_name = types[i].name;
      types[i].kind = DZ_SCALAR_TYPE;
      types[i].leaf_count = 1;
      types[i].leaves = &leaves[i];
    }
  }
  ScalarTypes(const ScalarTypes&) = delete;
  ScalarTypes& operator=(const ScalarTypes&) = delete;
};

}  // namespace

const dz_type& scalar_description(int32_t element) {
  static const ScalarTypes scalars;
  return scalars.types.at(static_cast<size_t>(element));
}

int64_t element_total(const dz_array& array) {
  return checked_count(shape_of(array), element_bytes(array)).value_or(0);
}

std::optional<int64_t> count_of(dz_context& context, const int64_t* shape, int32_t rank,
                                int64_t bytes) {
  const std::optional<int64_t> count = checked_count({shape, shape + rank}, bytes);
  if (!count) {
    bad_value(context, "Error: the sizes of an array are negative or too large");
  }
  return count;
}

int32_t make_array(dz_context& context, dz_leaf_type type, const int64_t* shape,
                   dz_array** out) {
  const int64_t bytes = element_info(type.element).bytes;
  const std::optional<int64_t> count = count_of(context, shape, type.rank, bytes);
  if (!count) {
    return DZ_ERROR;
  }
  dz_block* block = nullptr;
  int32_t status = dz_allocate(&context, *count * bytes, &block);
  if (status == DZ_OK) {
    status = dz_make_array(&context, block, 0, type.element, type.rank, shape, out);
  }
  dz_release(block);  // the handle has a reference of its own
  return status;
}

int32_t share_array(dz_context& context, const dz_array& array, dz_array** out) {
  return dz_make_array(&context, array.block, array.offset, array.element, array.rank,
                       array.shape, out);
}

void free_array(dz_context& context, dz_array* array) {
  if (array != nullptr) {
    dz_release(array->block);
    context.pool->free_handle(array);
  }
}

int32_t make_opaque(dz_context& context, int32_t type, dz_opaque** out) {
  const auto count = static_cast<size_t>(type_at(context, type).leaf_count);
  auto* object =
      static_cast<dz_opaque*>(std::calloc(1, sizeof(dz_opaque) + count * sizeof(dz_leaf)));
  if (object == nullptr) {
    return context.errors.report(DZ_OUT_OF_MEMORY, "Error: out of host memory");
  }
  object->type = type;
  object->leaf_count = static_cast<int32_t>(count);
  *out = object;
  return DZ_OK;
}

void free_opaque(dz_context& context, dz_opaque* object) {
  if (object == nullptr) {
    return;
  }
  const dz_type& type = type_at(context, object->type);
  for (int32_t i = 0; i < object->leaf_count; ++i) {
    if (type.leaves[i].rank > 0) {
      free_array(context, object->leaves[i].array);
    }
  }
  std::free(object);
}

int32_t share_leaf(dz_context& context, dz_leaf_type type, dz_leaf source, dz_leaf* target) {
  if (type.rank == 0 || source.array == nullptr) {
    *target = source;
    return DZ_OK;
  }
  return share_array(context, *source.array, &target->array);
}

bool append_leaves(dz_context& context, int32_t type, const void* value,
                   std::vector<dz_leaf>& leaves) {
  const dz_type& description = type_at(context, type);
  if (value == nullptr) {
    return false;
  }
  dz_leaf leaf;
  switch (description.kind) {
    case DZ_SCALAR_TYPE:
      leaves.push_back(scalar_leaf(value, description.leaves[0].element));
      return true;
    case DZ_ARRAY_TYPE: {
      // A leaf's array is not const because a unique parameter may be overwritten.
      leaf.array = const_cast<dz_array*>(static_cast<const dz_array*>(value));
      leaves.push_back(leaf);
      return leaf.array->element == description.leaves[0].element &&
             leaf.array->rank == description.leaves[0].rank;
    }
    default: {
      const auto* object = static_cast<const dz_opaque*>(value);
      if (object->type != type) {
        return false;
      }
      leaves.insert(leaves.end(), object->leaves, object->leaves + object->leaf_count);
      return true;
    }
  }
}

int32_t store_leaves(dz_context& context, int32_t type, const dz_leaf* leaves, void* out) {
  const dz_type& description = type_at(context, type);
  switch (description.kind) {
    case DZ_SCALAR_TYPE:
      std::memcpy(out, &leaves[0].bits,
                  static_cast<size_t>(element_info(description.leaves[0].element).bytes));
      return DZ_OK;
    case DZ_ARRAY_TYPE:
      *static_cast<dz_array**>(out) = leaves[0].array;
      return DZ_OK;
    default: {
      dz_opaque* object = nullptr;
      const int32_t status = make_opaque(context, type, &object);
      if (status != DZ_OK) {
        return status;
      }
      for (int32_t i = 0; i < object->leaf_count; ++i) {
        object->leaves[i] = leaves[i];
      }
      *static_cast<dz_opaque**>(out) = object;
      return DZ_OK;
    }
  }
}

int32_t make_whole(dz_context& context, const dz_array& array) {
  return context.ranks.make_whole(context, *array.block);
}

int32_t make_whole(dz_context& context, const dz_opaque& object) {
  const dz_type& type = type_at(context, object.type);
  int32_t status = DZ_OK;
  for (int32_t i = 0; i < object.leaf_count && status == DZ_OK; ++i) {
    const bool is_array = type.leaves[i].rank > 0 && object.leaves[i].array != nullptr;
    status = is_array ? make_whole(context, *object.leaves[i].array) : DZ_OK;
  }
  return status;
}

int32_t misuse(dz_context& context, const char* function, const char* problem) {
  return context.errors.report(DZ_ERROR, std::string(function) + ": " + problem);
}

int32_t bad_value(dz_context& context, const std::string& problem) {
  return context.errors.report(DZ_ERROR, problem);
}

std::optional<int64_t> flat_index(dz_context& context, const int64_t* shape, int32_t rank,
                                  const int64_t* indices) {
  int64_t flat = 0;
  for (int32_t i = 0; i < rank; ++i) {
    if (indices[i] < 0 || indices[i] >= shape[i]) {
      bad_value(context, "Error: Index [" + std::to_string(indices[i]) +
                             "] out of bounds for dimension " + std::to_string(i) +
                             " of size " + std::to_string(shape[i]) + ".");
      return std::nullopt;
    }
    flat = flat * shape[i] + indices[i];
  }
  return flat;
}

}  // namespace dagaz::runtime
