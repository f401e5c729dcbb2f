// Arrays of scalars that a context holds: buffers for the host, DLPack for everybody.
#include "dlpack.h"
#include "native.h"

namespace dagaz::python {

Py_ssize_t element_count(const dz_array& array) {
  int64_t count = 1;
  for (int32_t i = 0; i < array.rank; ++i) count *= array.shape[i];
  return count;
}

PyObject* new_array_object(Context& context, dz_array* array, PyObject* owner) {
  auto* type = context.hooks.array_type == nullptr
                   ? types().array
                   : reinterpret_cast<PyTypeObject*>(context.hooks.array_type);
  PyObject* made = PyType_GenericAlloc(type, 0);
  if (made == nullptr) {
    free_array(context, array);
    Py_XDECREF(owner);
    return nullptr;
  }
  auto* self = reinterpret_cast<Array*>(made);
  self->context = &context;
  Py_INCREF(reinterpret_cast<PyObject*>(&context));
  self->array = array;
  self->owner = owner;
  return made;
}

namespace {

Array& of(PyObject* self) { return *reinterpret_cast<Array*>(self); }

/// The array, or null with an exception.
const dz_array* alive(PyObject* self) {
  if (of(self).array == nullptr) {
    PyErr_SetString(PyExc_ValueError, "this array was consumed by an earlier call");
  }
  return of(self).array;
}

void array_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Array& self = of(object);
  if (self.context != nullptr) {
    if (self.array != nullptr) free_array(*self.context, self.array);
    Py_DECREF(reinterpret_cast<PyObject*>(self.context));
  }
  Py_XDECREF(self.owner);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(object);
  Py_DECREF(type);
}

void* address(PyObject* self) {
  Context& context = *of(self).context;
  return context.api().array_values_raw(context.context, of(self).array);
}

// ---------------------------------------------------------------- attributes

PyObject* array_shape(PyObject* self, void*) {
  const dz_array* array = alive(self);
  if (array == nullptr) return nullptr;
  Ref shape(PyTuple_New(array->rank));
  for (int32_t i = 0; shape && i < array->rank; ++i) {
    PyTuple_SetItem(shape.get(), i, PyLong_FromLongLong(array->shape[i]));
  }
  return shape.release();
}

PyObject* array_element(PyObject* self, void*) {
  const dz_array* array = alive(self);
  return array == nullptr ? nullptr : PyUnicode_FromString(element_name(array->element));
}

PyObject* array_format(PyObject* self, void*) {
  const dz_array* array = alive(self);
  if (array == nullptr) return nullptr;
  const char format[] = {element_format(array->element), '\0'};
  return PyUnicode_FromString(format);
}

PyObject* array_ndim(PyObject* self, void*) {
  const dz_array* array = alive(self);
  return array == nullptr ? nullptr : PyLong_FromLong(array->rank);
}

PyObject* array_nbytes(PyObject* self, void*) {
  const dz_array* array = alive(self);
  if (array == nullptr) return nullptr;
  return PyLong_FromSsize_t(element_count(*array) * element_bytes(array->element));
}

PyObject* array_pointer(PyObject* self, void*) {
  if (alive(self) == nullptr) return nullptr;
  return PyLong_FromVoidPtr(address(self));
}

PyObject* array_context(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(of(self).context));
}

PyObject* array_consumed(PyObject* self, void*) {
  return PyBool_FromLong(of(self).array == nullptr);
}

PyGetSetDef members[] = {
    {"shape", array_shape, nullptr, "The sizes.", nullptr},
    {"element", array_element, nullptr, "The element type: \"f64\", …", nullptr},
    {"format", array_format, nullptr, "The same as `struct` spells it.", nullptr},
    {"ndim", array_ndim, nullptr, "The rank.", nullptr},
    {"nbytes", array_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"pointer", array_pointer, nullptr, "The address of the first element, on its device.",
     nullptr},
    {"context", array_context, nullptr, "Where it lives.", nullptr},
    {"consumed", array_consumed, nullptr, "Whether a call has consumed it.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// ---------------------------------------------------------------- buffers

/// Sizes and strides of one buffer, after one another.
int array_get_buffer(PyObject* object, Py_buffer* view, int flags) {
  view->obj = nullptr;
  const dz_array* array = alive(object);
  if (array == nullptr) return -1;
  Array& self = of(object);
  if (!self.context->host_memory()) {
    PyErr_SetString(PyExc_BufferError, "the array is on the device; copy it with .to_host()");
    return -1;
  }
  // What other arrays share, or another owner may not expect to change, is not for writing.
  const bool writable = array->block->references == 1 && self.owner == nullptr;
  if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && !writable) {
    PyErr_SetString(PyExc_BufferError, "the memory is shared: copy the array to write to it");
    return -1;
  }
  const auto rank = static_cast<std::size_t>(array->rank);
  auto* sizes = new Py_ssize_t[2 * rank];
  Py_ssize_t stride = element_bytes(array->element);
  for (std::size_t i = rank; i-- > 0;) {
    sizes[i] = array->shape[i];
    sizes[rank + i] = stride;
    stride *= array->shape[i];
  }
  // In the order of enum dz_element.
  static char formats[][2] = {"?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d"};
  view->buf = address(object);
  view->len = element_count(*array) * element_bytes(array->element);
  view->readonly = writable ? 0 : 1;
  view->itemsize = element_bytes(array->element);
  view->format = (flags & PyBUF_FORMAT) != 0 ? formats[array->element] : nullptr;
  view->ndim = array->rank;
  view->shape = (flags & PyBUF_ND) != 0 ? sizes : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? sizes + rank : nullptr;
  view->suboffsets = nullptr;
  view->internal = sizes;
  view->obj = Py_NewRef(object);
  ++self.exports;
  return 0;
}

void array_release_buffer(PyObject* object, Py_buffer* view) {
  delete[] static_cast<Py_ssize_t*>(view->internal);
  --of(object).exports;
}

/// Lets `copy` write `bytes` bytes of the array into a buffer of as many; it gives a status.
template <typename Copy>
PyObject* copy_to_host(Context& context, PyObject* target, Py_ssize_t bytes, const Copy& copy) {
  Py_buffer view = {};
  if (PyObject_GetBuffer(target, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) return nullptr;
  int status = DZ_OK;
  const bool fits = view.len == bytes;
  if (fits) {
    const Calling calling(context);
    Py_BEGIN_ALLOW_THREADS;
    status = copy(view.buf);
    Py_END_ALLOW_THREADS;
    if (status != DZ_OK) raise_failure(context, status);
  } else {
    PyErr_SetString(PyExc_ValueError, "the buffer has another size");
  }
  PyBuffer_Release(&view);
  if (!fits || status != DZ_OK) return nullptr;
  Py_RETURN_NONE;
}

// to_host(buffer): the elements, copied into a writable buffer of as many bytes.
PyObject* array_to_host(PyObject* object, PyObject* target) {
  const dz_array* array = alive(object);
  if (array == nullptr) return nullptr;
  Context& context = *of(object).context;
  const Py_ssize_t bytes = element_count(*array) * element_bytes(array->element);
  return copy_to_host(context, target, bytes, [&](void* to) {
    return context.api().array_values(context.context, array, to);
  });
}

// part_to_host(buffer): the rows of this process, copied into a writable buffer of as many bytes.
PyObject* array_part_to_host(PyObject* object, PyObject* target) {
  const dz_array* array = alive(object);
  if (array == nullptr) return nullptr;
  Context& context = *of(object).context;
  const int64_t rows = array->shape[0];
  int64_t first = 0;
  int64_t count = 0;
  context.api().context_rows(context.context, rows, &first, &count);
  const Py_ssize_t bytes = element_count(*array) * element_bytes(array->element);
  return copy_to_host(context, target, rows == 0 ? 0 : bytes / rows * count, [&](void* to) {
    return context.api().array_values_part(context.context, array, to);
  });
}

// ---------------------------------------------------------------- DLPack

/// A tensor on its way to another library, and the array that it keeps alive.
struct Exported {
  DLManagedTensor tensor;
  PyObject* array;
};

void delete_exported(DLManagedTensor* tensor) {
  // Other libraries call this from threads that may not hold Python's lock.
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* exported = static_cast<Exported*>(tensor->manager_ctx);
  --of(exported->array).exports;
  Py_DECREF(exported->array);
  delete exported;
  PyGILState_Release(state);
}

void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // somebody took the tensor
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  tensor->deleter(tensor);
}

DLDataType data_type(int32_t element) {
  const auto bits = static_cast<uint8_t>(8 * element_bytes(element));
  const uint8_t code = element == DZ_BOOL ? dl_bool
                       : element < DZ_U8  ? dl_int
                       : element < DZ_F16 ? dl_uint
                                          : dl_float;
  return {code, bits, 1};
}

DLDevice device(const Context& context) { return {context.host_memory() ? dl_cpu : dl_cuda, 0}; }

// The arguments of newer versions of the protocol (stream, max_version, …) are hints; all work of
// the context is waited for.
PyObject* array_dlpack(PyObject* self, PyObject*, PyObject*) {
  const dz_array* array = alive(self);
  if (array == nullptr) return nullptr;
  Context& context = *of(self).context;
  {
    const Calling calling(context);
    const int status = context.api().context_sync(context.context);
    if (status != DZ_OK) return raise_failure(context, status);
  }
  auto* exported = new Exported{{}, Py_NewRef(self)};
  ++of(self).exports;
  DLTensor& tensor = exported->tensor.dl_tensor;
  tensor.data = address(self);
  tensor.device = device(context);
  tensor.ndim = array->rank;
  tensor.dtype = data_type(array->element);
  tensor.shape = of(self).array->shape;
  exported->tensor.manager_ctx = exported;
  exported->tensor.deleter = delete_exported;
  PyObject* capsule = PyCapsule_New(&exported->tensor, "dltensor", delete_capsule);
  if (capsule == nullptr) delete_exported(&exported->tensor);
  return capsule;
}

PyObject* array_dlpack_device(PyObject* self, PyObject*) {
  const DLDevice where = device(*of(self).context);
  return Py_BuildValue("(ii)", where.device_type, where.device_id);
}

PyMethodDef methods[] = {
    {"_to_host", array_to_host, METH_O, "Copies the elements into a buffer."},
    {"_part_to_host", array_part_to_host, METH_O, "Copies the rows of this process into a buffer."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_dlpack)),
     METH_VARARGS | METH_KEYWORDS, "A DLPack capsule of the same memory."},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS, "(device type, device number)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject* make_array_type() {
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(array_dealloc)},
      {Py_tp_getset, members},
      {Py_tp_methods, methods},
      {Py_bf_getbuffer, reinterpret_cast<void*>(array_get_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(array_release_buffer)},
      {0, nullptr}};
  static PyType_Spec spec = {
      "dagaz._native.Array", sizeof(Array), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace dagaz::python
