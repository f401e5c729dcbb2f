// Owning values, and moving them between host text and a device.
#include "api_value.h"

#include <utility>

#include "handles.h"

namespace dagaz::runtime {

ApiValue::ApiValue(ApiValue&& other) noexcept
    : context_(other.context_), type_(other.type_), content_(other.content_) {
  other.content_.bits = 0;
}

ApiValue& ApiValue::operator=(ApiValue&& other) noexcept {
  if (this != &other) {
    reset();
    context_ = other.context_;
    type_ = other.type_;
    content_ = std::exchange(other.content_, Content{0});
  }
  return *this;
}

const dz_type& ApiValue::description() const {
  return type_at(*context_, type_);
}

const void* ApiValue::argument() const {
  return description().kind == DZ_SCALAR_TYPE ? static_cast<const void*>(&content_)
                                              : content_.array;
}

void* ApiValue::destination() {
  return &content_;
}

void ApiValue::reset() {
  if (description().kind == DZ_ARRAY_TYPE) {
    dzr_free_array(context_, content_.array);
  } else if (description().kind == DZ_OPAQUE_TYPE) {
    dzr_free_opaque(context_, content_.object);
  }
  content_.bits = 0;
}

bool has_value_form(const dz_program& program, int32_t index) {
  const dz_type& type = program.types[index];
  if (type.kind != DZ_OPAQUE_TYPE) {
    return true;
  }
  if (type.opaque_kind == DZ_OPAQUE_ARRAY) {
    return has_value_form(program, type.element_type);
  }
  if (type.opaque_kind != DZ_RECORD) {
    return false;
  }
  for (int32_t i = 0; i < type.member_count; ++i) {
    if (!has_value_form(program, type.members[i].types[0])) {
      return false;
    }
  }
  return true;
}

bool read_leaves(ValueReader& reader, const dz_type& type, std::vector<Value>& leaves) {
  for (int32_t i = 0; i < type.leaf_count; ++i) {
    if (!reader.read(type.leaves[i], leaves.emplace_back())) {
      return false;
    }
  }
  return true;
}

/// Bytes up to which gathering rows costs more than reading them all.
static constexpr size_t few_bytes = 1 << 16;

static dz_array* upload_array(dz_context& context, const Value& value, Reading reading) {
  const int rank = static_cast<int>(value.shape.size());
  if (reading == Reading::all || value.bytes.size() < few_bytes) {
    return dzr_new_array(&context, value.element, rank, value.bytes.data(), value.shape.data());
  }
  const auto bytes = static_cast<int64_t>(value.bytes.size());
  const int64_t row_bytes = bytes / value.shape[0];
  return dzr_new_array_part(&context, value.element, rank,
                            value.bytes.data() + context.ranks.first(value.shape[0]) * row_bytes,
                            value.shape.data());
}

int32_t upload(dz_context& context, const std::vector<Value>& values, Reading reading,
               ApiValue& out) {
  const dz_type& type = out.description();
  std::vector<dz_leaf> leaves(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (type.leaves[i].rank == 0) {
      leaves[i] = scalar_leaf(values[i].bytes.data(), values[i].element);
      continue;
    }
    leaves[i].array = upload_array(context, values[i], reading);
    if (leaves[i].array == nullptr) {
      for (size_t j = 0; j < i; ++j) {
        free_array(context, type.leaves[j].rank > 0 ? leaves[j].array : nullptr);
      }
      return DZ_OUT_OF_MEMORY;
    }
  }
  return store_leaves(context, out.type(), leaves.data(), out.destination());
}

int32_t write_leaves(dz_context& context, const ApiValue& value, ValueFormat format,
                     std::string& out) {
  const dz_type& type = value.description();
  std::vector<dz_leaf> leaves;
  append_leaves(context, value.type(), value.argument(), leaves);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (type.leaves[i].rank == 0) {
      write_value(out, format, type.leaves[i].element, {}, &leaves[i].bits);
    } else {
      const dz_array& array = *leaves[i].array;
      const int64_t bytes = element_total(array) * element_bytes(array);
      std::vector<char> elements(static_cast<size_t>(bytes));
      const int32_t status = dzr_array_values(&context, &array, elements.data());
      if (status != DZ_OK) {
        return status;
      }
      write_value(out, format, array.element, shape_of(array), elements.data());
    }
    if (format == ValueFormat::text || format == ValueFormat::binary) {
      out += '\n';
    }
  }
  return DZ_OK;
}

}  // namespace dagaz::runtime
