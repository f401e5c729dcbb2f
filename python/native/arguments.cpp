// From Python values to C values.
#include <algorithm>
#include <cstring>

#include "native.h"

namespace dagaz::python {

// ---------------------------------------------------------------- buffers

HostBuffer::HostBuffer(HostBuffer&& other) noexcept : view_(other.view_), type_(other.type_) {
  other.view_.obj = nullptr;
}

HostBuffer::~HostBuffer() {
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

namespace {

// Machines spell some types in two ways.
bool is_format(const char* format, int32_t element) {
  if (format == nullptr) return element == DZ_U8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const char wanted = element_format(element);
  const char given = *format == 'q' ? 'l' : *format == 'Q' ? 'L' : *format;
  return given == wanted && given != '\0' && format[1] == '\0';
}

bool is_aligned(const void* data, Py_ssize_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace

bool HostBuffer::try_open(dz_leaf_type type, PyObject* value) {
  if (PyObject_CheckBuffer(value) == 0) return false;
  if (PyObject_GetBuffer(value, &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    view_.obj = nullptr;
    return false;
  }
  type_ = type;
  const Py_ssize_t bytes = element_bytes(type.element);
  if (view_.ndim == type.rank && view_.itemsize == bytes && is_format(view_.format, type.element) &&
      is_aligned(view_.buf, bytes)) {
    return true;
  }
  PyBuffer_Release(&view_);
  view_.obj = nullptr;
  return false;
}

bool HostBuffer::open(dz_leaf_type type, PyObject* value) {
  if (try_open(type, value)) return true;
  PyErr_Format(PyExc_TypeError, "a dense array of %s of rank %d is needed",
               element_name(type.element), type.rank);
  return false;
}

dz_array* HostBuffer::copy(Context& context) const {
  return context.api().new_array(context.context, type_.element, type_.rank, view_.buf,
                                 reinterpret_cast<const int64_t*>(view_.shape));
}

dz_array* HostBuffer::copy_part(Context& context, int64_t rows) const {
  std::vector<int64_t> shape(view_.shape, view_.shape + view_.ndim);
  shape.front() = rows;
  return context.api().new_array_part(context.context, type_.element, type_.rank, view_.buf,
                                      shape.data());
}

dz_array* HostBuffer::wrap(Context& context) const {
  return context.api().new_raw_array(context.context, type_.element, type_.rank, view_.buf,
                                     reinterpret_cast<const int64_t*>(view_.shape));
}

// ---------------------------------------------------------------- arguments

Arguments::Arguments(Context& context, std::size_t count) : context_(context) {
  scalars_.reserve(count);  // addresses of its elements are handed out
  pointers_.reserve(count);
}

Arguments::~Arguments() {
  for (dz_array* array : temporary_) free_array(context_, array);
}

bool Arguments::add(int32_t type, PyObject* value, Use use) {
  const dz_type& wanted = context_.type(type);
  switch (wanted.kind) {
    case DZ_SCALAR_TYPE: return add_scalar(wanted.leaves[0].element, value);
    case DZ_ARRAY_TYPE: return add_array({wanted.leaves[0].element, wanted.rank}, value, use);
    default: return add_opaque(type, value, use);
  }
}

namespace {

bool out_of_range(int32_t element) {
  PyErr_Format(PyExc_OverflowError, "the number does not fit %s", element_name(element));
  return false;
}

bool integer_bits(int32_t element, PyObject* value, std::uint64_t& bits) {
  Ref integer(PyNumber_Index(value));
  if (!integer) return false;
  const Py_ssize_t width = 8 * element_bytes(element);
  if (element >= DZ_U8) {
    bits = PyLong_AsUnsignedLongLong(integer.get());
    if (PyErr_Occurred() != nullptr) return out_of_range(element);
    return width == 64 || bits >> width == 0 || out_of_range(element);
  }
  const long long number = PyLong_AsLongLong(integer.get());
  if (number == -1 && PyErr_Occurred() != nullptr) return out_of_range(element);
  const long long limit = width == 64 ? 0 : 1LL << (width - 1);
  if (width < 64 && (number < -limit || number >= limit)) return out_of_range(element);
  bits = static_cast<std::uint64_t>(number);
  return true;
}

bool boolean_bits(PyObject* value, std::uint64_t& bits) {
  // Numbers are no truth values; those of NumPy and its like are, and say so.
  if (PyLong_CheckExact(value) != 0 || PyFloat_Check(value) != 0 || PyUnicode_Check(value) != 0 ||
      value == Py_None) {
    PyErr_Format(PyExc_TypeError, "a bool is needed, not %R", value);
    return false;
  }
  const int truth = PyObject_IsTrue(value);
  bits = truth > 0 ? 1 : 0;
  return truth >= 0;
}

bool float_bits(const Context& context, int32_t element, PyObject* value, std::uint64_t& bits) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred() != nullptr) return false;
  if (element == DZ_F64) {
    std::memcpy(&bits, &number, sizeof number);
  } else if (element == DZ_F32) {
    const auto single = static_cast<float>(number);
    std::memcpy(&bits, &single, sizeof single);
  } else {
    bits = context.api().half_from_double(number);
  }
  return true;
}

}  // namespace

bool Arguments::add_scalar(int32_t element, PyObject* value) {
  std::uint64_t bits = 0;
  const bool fits = element == DZ_BOOL  ? boolean_bits(value, bits)
                    : element <= DZ_U64 ? integer_bits(element, value, bits)
                                        : float_bits(context_, element, value, bits);
  if (!fits) return false;
  scalars_.push_back(bits);
  pointers_.push_back(&scalars_.back());
  return true;
}

bool Arguments::add_array(dz_leaf_type type, PyObject* value, Use use) {
  if (add_known_array(type, value, use)) return true;
  if (PyErr_Occurred() != nullptr) return false;
  HostBuffer buffer;
  if (buffer.try_open(type, value)) return add_buffer(std::move(buffer), value, use);
  // The package knows how to make something that fits, or says why it cannot.
  Ref other = converted(type, value);
  if (!other) return false;
  if (add_known_array(type, other.get(), use)) {
    kept_.push_back(std::move(other));
    return true;
  }
  if (PyErr_Occurred() != nullptr) return false;
  return buffer.open(type, other.get()) && add_buffer(std::move(buffer), other.get(), use);
}

Ref Arguments::converted(dz_leaf_type type, PyObject* value) {
  if (context_.hooks.convert == nullptr) {
    PyErr_Format(PyExc_TypeError, "a dense array of %s of rank %d is needed, not %R",
                 element_name(type.element), type.rank, value);
    return Ref();
  }
  return Ref(PyObject_CallFunction(context_.hooks.convert, "iiO", type.element, type.rank, value));
}

/// An array of this context, if it is one; otherwise false without an exception.
bool Arguments::add_known_array(dz_leaf_type type, PyObject* value, Use use) {
  if (PyObject_TypeCheck(value, types().array) == 0) return false;
  auto* array = reinterpret_cast<Array*>(value);
  if (array->context != &context_) return false;
  if (array->array == nullptr) {
    PyErr_SetString(PyExc_ValueError, "this array was consumed by an earlier call");
    return false;
  }
  if (array->array->element != type.element || array->array->rank != type.rank) return false;
  const auto is_this = [&](const void* other) { return other == array->array; };
  const bool again = std::any_of(pointers_.begin(), pointers_.end(), is_this);
  const bool taken = std::find(consumed_.begin(), consumed_.end(), array) != consumed_.end();
  if (taken || (again && use == Use::consume)) {
    PyErr_SetString(PyExc_ValueError, "an array that is consumed is given for two arguments");
    return false;
  }
  kept_.push_back(Ref::borrowed(value));
  if (use != Use::consume) {
    pointers_.push_back(array->array);
    return true;
  }
  const bool shared = array->exports > 0 || array->owner != nullptr;
  if (shared && context_.host_memory()) {
    // Python code looks at the memory: it is a copy that is overwritten.
    HostBuffer buffer;
    return buffer.open(type, value) && add_buffer(std::move(buffer), value, use);
  }
  consumed_.push_back(array);
  pointers_.push_back(array->array);
  return true;
}

bool Arguments::add_buffer(HostBuffer buffer, PyObject* value, Use use) {
  dz_array* array = nullptr;
  {
    const Calling calling(context_);
    const bool borrow = use != Use::consume && context_.host_memory();
    array = borrow ? buffer.wrap(context_) : buffer.copy(context_);
    if (array == nullptr) {
      raise_failure(context_, DZ_OUT_OF_MEMORY);
      return false;
    }
  }
  temporary_.push_back(array);
  pointers_.push_back(array);
  if (use == Use::keep) {
    Ref view(PyMemoryView_FromObject(value));
    if (!view) return false;
    kept_.push_back(std::move(view));
  }
  buffers_.push_back(std::move(buffer));
  return true;
}

bool Arguments::add_opaque(int32_t type, PyObject* value, Use use) {
  Ref other = Ref::borrowed(value);
  const auto fits = [&] {
    if (PyObject_TypeCheck(other.get(), types().opaque) == 0) return false;
    const auto* opaque = reinterpret_cast<Opaque*>(other.get());
    return opaque->context == &context_ && opaque->type == type;
  };
  if (!fits()) {
    if (context_.hooks.convert == nullptr) {
      PyErr_Format(PyExc_TypeError, "a value of type %s is needed", context_.type(type).name);
      return false;
    }
    other = Ref(PyObject_CallFunction(context_.hooks.convert, "iOO", type, Py_None, value));
    if (!other) return false;
  }
  if (!fits()) {
    PyErr_Format(PyExc_TypeError, "a value of type %s is needed", context_.type(type).name);
    return false;
  }
  auto* opaque = reinterpret_cast<Opaque*>(other.get());
  if (use == Use::consume) {
    // Others may have parts of it, so a copy is overwritten.
    const Calling calling(context_);
    dz_opaque* copy = copied(context_, opaque->opaque, type);
    if (copy == nullptr) return raise_failure(context_, DZ_OUT_OF_MEMORY) != nullptr;
    other = Ref(new_opaque_object(context_, copy, type, nullptr));
    if (!other) return false;
    opaque = reinterpret_cast<Opaque*>(other.get());
  }
  pointers_.push_back(opaque->opaque);
  kept_.push_back(std::move(other));
  return true;
}

void Arguments::consumed() {
  for (Array* array : consumed_) {
    free_array(context_, array->array);
    array->array = nullptr;
  }
}

PyObject* Arguments::owners() {
  if (kept_.empty()) return nullptr;
  PyObject* list = PyList_New(0);
  for (const Ref& each : kept_) {
    if (list != nullptr) PyList_Append(list, each.get());
  }
  return list;
}

}  // namespace dagaz::python
