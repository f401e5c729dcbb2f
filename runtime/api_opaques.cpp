// The functions of api.h about records, sums and serialisation of opaque values.  A record is
// the concatenation of its fields' leaves and a sum is a tag with the leaves of its payloads, so
// all of this is selecting leaves and sharing what they hold.
#include <cstdlib>

#include "handles.h"

using namespace dagaz::runtime;

namespace {

/// Shares `count` leaves with a new opaque value's, or frees the value.
int32_t fill_opaque(dz_context& context, dz_opaque* object, const std::vector<dz_leaf>& leaves) {
  const dz_type& type = type_at(context, object->type);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const int32_t status =
        share_leaf(context, type.leaves[i], leaves[i], &object->leaves[i]);
    if (status != DZ_OK) {
      object->leaves[i].array = nullptr;
      free_opaque(context, object);
      return status;
    }
  }
  return DZ_OK;
}

/// A C value of `type` that shares the given leaves.
int32_t share_as_value(dz_context& context, int32_t type, const std::vector<dz_leaf>& leaves,
                       void* out) {
  const dz_type& description = type_at(context, type);
  std::vector<dz_leaf> shared(leaves.size());
  int32_t status = DZ_OK;
  for (size_t i = 0; i < leaves.size() && status == DZ_OK; ++i) {
    status = share_leaf(context, description.leaves[i], leaves[i], &shared[i]);
  }
  return status == DZ_OK ? store_leaves(context, type, shared.data(), out) : status;
}

/// Where the leaves of a record's member begin.
int32_t first_leaf(const dz_context& context, const dz_type& record, int32_t member) {
  int32_t first = 0;
  for (int32_t i = 0; i < member; ++i) {
    first += type_at(context, record.members[i].types[0]).leaf_count;
  }
  return first;
}

int32_t append_serialised(dz_context& context, std::string& out, dz_leaf_type type,
                          dz_leaf leaf) {
  if (type.rank == 0) {
    write_value(out, ValueFormat::binary, type.element, {}, &leaf.bits);
    return DZ_OK;
  }
  if (leaf.array == nullptr) {
    write_value(out, ValueFormat::binary, type.element,
                std::vector<int64_t>(static_cast<size_t>(type.rank), 0), nullptr);
    return DZ_OK;
  }
  const dz_array& array = *leaf.array;
  const int64_t bytes = element_bytes(array);
  std::string elements(static_cast<size_t>(element_total(array) * bytes), '\0');
  const int32_t status =
      dz_read(&context, array.block, array.offset * bytes,
              static_cast<int64_t>(elements.size()), elements.data());
  if (status == DZ_OK) {
    write_value(out, ValueFormat::binary, type.element, shape_of(array), elements.data());
  }
  return status;
}

/// The size of the same, without reading the elements.
size_t serialised_bytes(dz_leaf_type type, dz_leaf leaf) {
  constexpr size_t header = 7;
  const size_t sizes = static_cast<size_t>(type.rank) * sizeof(int64_t);
  const int64_t bytes = element_info(type.element).bytes;
  int64_t count = type.rank == 0 ? 1 : 0;
  if (type.rank > 0 && leaf.array != nullptr) {
    count = element_total(*leaf.array);
  }
  return header + sizes + static_cast<size_t>(count * bytes);
}

int32_t restore_leaf(dz_context& context, ValueReader& reader, dz_leaf_type type, dz_leaf* out) {
  Value value;
  if (!reader.read(type, value)) {
    return bad_value(context, "Error: " + reader.error());
  }
  if (type.rank == 0) {
    *out = scalar_leaf(value.bytes.data(), type.element);
    return DZ_OK;
  }
  const int32_t status = make_array(context, type, value.shape.data(), &out->array);
  if (status != DZ_OK || value.bytes.empty()) {
    return status;
  }
  return dz_write(&context, out->array->block, 0, static_cast<int64_t>(value.bytes.size()),
                  value.bytes.data());
}

}  // namespace

int dzr_free_opaque(dz_context* context, dz_opaque* object) {
  const std::lock_guard lock(context->calls);
  free_opaque(*context, object);
  return DZ_OK;
}

int dzr_store_opaque(dz_context* context, const dz_opaque* object, void** p, size_t* n) {
  const Call call(*context);
  const dz_type& type = type_at(*context, object->type);
  int64_t payload = 0;
  for (int32_t i = 0; i < object->leaf_count; ++i) {
    payload += static_cast<int64_t>(serialised_bytes(type.leaves[i], object->leaves[i]));
  }
  *n = stored_header + static_cast<size_t>(payload);
  if (p == nullptr) {
    return DZ_OK;
  }
  const int32_t whole = make_whole(*context, *object);
  if (whole != DZ_OK) {
    return whole;
  }
  std::string text(stored_magic);
  text.append(reinterpret_cast<const char*>(&payload), sizeof payload);
  for (int32_t i = 0; i < object->leaf_count; ++i) {
    const int32_t status =
        append_serialised(*context, text, type.leaves[i], object->leaves[i]);
    if (status != DZ_OK) {
      return status;
    }
  }
  if (*p == nullptr) {
    *p = std::malloc(text.size());
    if (*p == nullptr) {
      return context->errors.report(DZ_OUT_OF_MEMORY, "Error: out of host memory");
    }
  }
  std::memcpy(*p, text.data(), text.size());
  return DZ_OK;
}

dz_opaque* dzr_restore_opaque(dz_context* context, int type, const void* p) {
  const Call call(*context);
  if (!context->usable) {
    return nullptr;
  }
  const auto* bytes = static_cast<const char*>(p);
  int64_t payload = 0;
  if (std::string_view(bytes, stored_magic.size()) != stored_magic) {
    bad_value(*context, "Error: these bytes are not a stored value");
    return nullptr;
  }
  std::memcpy(&payload, bytes + stored_magic.size(), sizeof payload);
  dz_opaque* object = nullptr;
  if (payload < 0 || make_opaque(*context, type, &object) != DZ_OK) {
    return nullptr;
  }
  ValueReader reader({bytes + stored_header, static_cast<size_t>(payload)}, "a stored value");
  for (int32_t i = 0; i < object->leaf_count; ++i) {
    const dz_leaf_type leaf = type_at(*context, type).leaves[i];
    if (restore_leaf(*context, reader, leaf, &object->leaves[i]) != DZ_OK) {
      free_opaque(*context, object);
      return nullptr;
    }
  }
  return object;
}

int dzr_new_record(dz_context* context, int type, dz_opaque** out, const void* const* fields) {
  const Call call(*context);
  const dz_type& record = type_at(*context, type);
  std::vector<dz_leaf> leaves;
  for (int32_t i = 0; i < record.member_count; ++i) {
    if (!append_leaves(*context, record.members[i].types[0], fields[i], leaves)) {
      return bad_value(*context, std::string("Error: field ") + record.members[i].name +
                                     " has a value of another type");
    }
  }
  dz_opaque* object = nullptr;
  int32_t status = make_opaque(*context, type, &object);
  if (status == DZ_OK) {
    status = fill_opaque(*context, object, leaves);
  }
  if (status == DZ_OK) {
    *out = object;
  }
  return status;
}

int dzr_project(dz_context* context, int type, int member, void* out, const dz_opaque* object) {
  const Call call(*context);
  const dz_type& record = type_at(*context, type);
  if (object == nullptr || object->type != type) {
    return misuse(*context, "project", "the value has another type");
  }
  const int32_t field_type = record.members[member].types[0];
  const dz_leaf* const first = object->leaves + first_leaf(*context, record, member);
  return share_as_value(*context, field_type,
                        {first, first + type_at(*context, field_type).leaf_count}, out);
}

int dzr_variant(dz_context* context, const dz_opaque* object) {
  if (object == nullptr || type_at(*context, object->type).opaque_kind != DZ_SUM) {
    return -1;
  }
  return static_cast<int>(object->leaves[0].bits & 0xff);
}

int dzr_new_sum(dz_context* context, int type, int variant, dz_opaque** out,
                const void* const* payload) {
  const Call call(*context);
  const dz_type& sum = type_at(*context, type);
  const dz_member& chosen = sum.members[variant];
  std::vector<dz_leaf> leaves;
  for (int32_t i = 0; i < chosen.type_count; ++i) {
    if (!append_leaves(*context, chosen.types[i], payload[i], leaves)) {
      return bad_value(*context, std::string("Error: a payload of #") + chosen.name +
                                     " has a value of another type");
    }
  }
  dz_opaque* object = nullptr;
  int32_t status = make_opaque(*context, type, &object);
  if (status != DZ_OK) {
    return status;
  }
  std::vector<dz_leaf> all(static_cast<size_t>(sum.leaf_count));
  all[0].bits = static_cast<uint64_t>(variant);
  for (size_t i = 0; i < leaves.size(); ++i) {
    all[static_cast<size_t>(chosen.leaf_index[i])] = leaves[i];
  }
  status = fill_opaque(*context, object, all);
  // The arrays of other variants must exist, if only as empty ones.
  for (int32_t i = 0; i < sum.leaf_count && status == DZ_OK; ++i) {
    const dz_leaf_type leaf = sum.leaves[i];
    if (leaf.rank > 0 && object->leaves[i].array == nullptr) {
      const std::vector<int64_t> empty(static_cast<size_t>(leaf.rank), 0);
      status = make_array(*context, leaf, empty.data(), &object->leaves[i].array);
      if (status != DZ_OK) {
        free_opaque(*context, object);
      }
    }
  }
  if (status == DZ_OK) {
    *out = object;
  }
  return status;
}

int dzr_destruct(dz_context* context, int type, int variant, void* const* outs,
                 const dz_opaque* object) {
  const Call call(*context);
  if (object == nullptr || object->type != type || dzr_variant(context, object) != variant) {
    return misuse(*context, "destruct", "the value is not of this variant");
  }
  const dz_member& chosen = type_at(*context, type).members[variant];
  int32_t next = 0;
  for (int32_t i = 0; i < chosen.type_count; ++i) {
    std::vector<dz_leaf> leaves;
    for (int32_t j = 0; j < type_at(*context, chosen.types[i]).leaf_count; ++j) {
      leaves.push_back(object->leaves[chosen.leaf_index[next]]);
      ++next;
    }
    const int32_t status = share_as_value(*context, chosen.types[i], leaves, outs[i]);
    if (status != DZ_OK) {
      return status;
    }
  }
  return DZ_OK;
}
