// From C values to Python values.
#include <cstdlib>
#include <cstring>

#include "native.h"

namespace dagaz::python {

dz_opaque* copied(Context& context, const dz_opaque* opaque, int32_t type) {
  const dz_interface& api = context.api();
  void* bytes = nullptr;
  std::size_t count = 0;
  if (api.store_opaque(context.context, opaque, &bytes, &count) != DZ_OK) return nullptr;
  dz_opaque* copy = api.restore_opaque(context.context, type, bytes);
  std::free(bytes);
  return copy;
}

Results::Results(Context& context, std::size_t count) : context_(context) {
  kinds_.reserve(count);
}

Results::~Results() {
  for (std::size_t i = 0; called_ && i < kinds_.size(); ++i) {
    void* handle = nullptr;
    std::memcpy(&handle, &values_[i], sizeof handle);
    if (is_array(i)) {
      if (handle != nullptr) free_array(context_, static_cast<dz_array*>(handle));
    } else if (context_.type(kinds_[i]).kind == DZ_OPAQUE_TYPE && handle != nullptr) {
      free_opaque(context_, static_cast<dz_opaque*>(handle));
    }
  }
}

bool Results::is_array(std::size_t i) const {
  return kinds_[i] < 0 || context_.type(kinds_[i]).kind == DZ_ARRAY_TYPE;
}

void Results::add(int32_t type) { kinds_.push_back(type); }

void* const* Results::pointers() {
  values_.assign(kinds_.size(), 0);
  pointers_.clear();
  for (std::uint64_t& value : values_) pointers_.push_back(&value);
  return pointers_.data();
}

bool Results::settle() {
  called_ = true;
  // A view of device memory keeps its owner alive instead.
  if (!context_.host_memory()) return true;
  const dz_interface& api = context_.api();
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    void* handle = nullptr;
    std::memcpy(&handle, &values_[i], sizeof handle);
    void* copy = nullptr;
    if (is_array(i)) {
      auto* array = static_cast<dz_array*>(handle);
      if (api.array_is_borrowed(array) == 0) continue;
      copy = api.new_array(context_.context, array->element, array->rank,
                           api.array_values_raw(context_.context, array), array->shape);
      if (copy == nullptr) return raise_failure(context_, DZ_OUT_OF_MEMORY) != nullptr;
      api.free_array(context_.context, array);
    } else if (context_.type(kinds_[i]).kind == DZ_OPAQUE_TYPE) {
      auto* opaque = static_cast<dz_opaque*>(handle);
      if (api.opaque_is_borrowed(opaque, &context_.type(kinds_[i])) == 0) continue;
      copy = copied(context_, opaque, kinds_[i]);
      if (copy == nullptr) return raise_failure(context_, DZ_OUT_OF_MEMORY) != nullptr;
      api.free_opaque(context_.context, opaque);
    } else {
      continue;
    }
    std::memcpy(&values_[i], &copy, sizeof copy);
  }
  return true;
}

PyObject* Results::take(std::size_t i, PyObject* owner) {
  const int32_t type = kinds_[i];
  if (!is_array(i) && context_.type(type).kind == DZ_SCALAR_TYPE) {
    return scalar_object(context_, context_.type(type).leaves[0].element, &values_[i]);
  }
  void* handle = nullptr;
  std::memcpy(&handle, &values_[i], sizeof handle);
  values_[i] = 0;  // the object owns it
  PyObject* const kept = context_.host_memory() ? nullptr : Py_XNewRef(owner);
  if (is_array(i)) {
    Ref array(new_array_object(context_, static_cast<dz_array*>(handle), kept));
    if (!array || context_.hooks.wrap_array == nullptr) return array.release();
    return PyObject_CallFunctionObjArgs(context_.hooks.wrap_array, array.get(), nullptr);
  }
  Ref opaque(new_opaque_object(context_, static_cast<dz_opaque*>(handle), type, kept));
  if (!opaque || context_.hooks.unwrap_opaque == nullptr) return opaque.release();
  return PyObject_CallFunction(context_.hooks.unwrap_opaque, "iO", type, opaque.get());
}

PyObject* scalar_object(const Context& context, int32_t element, const void* value) {
  const auto read = [&]<typename T>(T zero) {
    T number = zero;
    std::memcpy(&number, value, sizeof number);
    return number;
  };
  switch (element) {
    case DZ_BOOL: return PyBool_FromLong(read(std::uint8_t{0}));
    case DZ_I8: return PyLong_FromLong(read(std::int8_t{0}));
    case DZ_I16: return PyLong_FromLong(read(std::int16_t{0}));
    case DZ_I32: return PyLong_FromLong(read(std::int32_t{0}));
    case DZ_I64: return PyLong_FromLongLong(read(std::int64_t{0}));
    case DZ_U8: return PyLong_FromLong(read(std::uint8_t{0}));
    case DZ_U16: return PyLong_FromLong(read(std::uint16_t{0}));
    case DZ_U32: return PyLong_FromUnsignedLong(read(std::uint32_t{0}));
    case DZ_U64: return PyLong_FromUnsignedLongLong(read(std::uint64_t{0}));
    case DZ_F16:
      return PyFloat_FromDouble(context.api().half_to_double(read(std::uint16_t{0})));
    case DZ_F32: return PyFloat_FromDouble(read(float{0}));
    default: return PyFloat_FromDouble(read(double{0}));
  }
}

}  // namespace dagaz::python
