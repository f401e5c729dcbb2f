// Values of records, sums and arrays of them: handles, their parts, and making them of parts.
#include <cstdlib>

#include "native.h"

namespace dagaz::python {

PyObject* new_opaque_object(Context& context, dz_opaque* opaque, int32_t type, PyObject* owners) {
  auto* python_type = context.hooks.opaque_type == nullptr
                          ? types().opaque
                          : reinterpret_cast<PyTypeObject*>(context.hooks.opaque_type);
  PyObject* made = PyType_GenericAlloc(python_type, 0);
  if (made == nullptr) {
    free_opaque(context, opaque);
    Py_XDECREF(owners);
    return nullptr;
  }
  auto* self = reinterpret_cast<Opaque*>(made);
  self->context = &context;
  Py_INCREF(reinterpret_cast<PyObject*>(&context));
  self->opaque = opaque;
  self->type = type;
  self->owners = owners;
  return made;
}

namespace {

Opaque& of(PyObject* self) { return *reinterpret_cast<Opaque*>(self); }
const dz_type& type_of(const Opaque& self) { return self.context->type(self.type); }

void opaque_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Opaque& self = of(object);
  if (self.context != nullptr) {
    free_opaque(*self.context, self.opaque);
    Py_DECREF(reinterpret_cast<PyObject*>(self.context));
  }
  Py_XDECREF(self.owners);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(object);
  Py_DECREF(type);
}

bool is_kind(const dz_type& type, int32_t kind) {
  if (type.kind == DZ_OPAQUE_TYPE && type.opaque_kind == kind) return true;
  PyErr_Format(PyExc_TypeError, "%s is no type of this kind", type.name);
  return false;
}

const dz_member* member_at(const dz_type& type, int number) {
  if (number >= 0 && number < type.member_count) return &type.members[number];
  PyErr_Format(PyExc_IndexError, "%s has no part %d", type.name, number);
  return nullptr;
}

// ---------------------------------------------------------------- parts

PyObject* opaque_project(PyObject* object, PyObject* argument) {
  Opaque& self = of(object);
  Context& context = *self.context;
  const dz_type& type = type_of(self);
  const int number = static_cast<int>(PyLong_AsLong(argument));
  if (PyErr_Occurred() != nullptr || !is_kind(type, DZ_RECORD)) return nullptr;
  const dz_member* member = member_at(type, number);
  if (member == nullptr) return nullptr;
  Results results(context, 1);
  results.add(member->types[0]);
  int status = DZ_OK;
  {
    const Calling calling(context);
    status = context.api().project(context.context, self.type, number, results.pointers()[0],
                                   self.opaque);
    if (status != DZ_OK) return raise_failure(context, status);
    if (!results.settle()) return nullptr;
  }
  return results.take(0, object);
}

PyObject* opaque_variant(PyObject* object, PyObject*) {
  Opaque& self = of(object);
  if (!is_kind(type_of(self), DZ_SUM)) return nullptr;
  const Calling calling(*self.context);
  const int variant = self.context->api().variant(self.context->context, self.opaque);
  if (variant < 0) return raise_failure(*self.context, DZ_ERROR);
  return PyLong_FromLong(variant);
}

PyObject* opaque_destruct(PyObject* object, PyObject* argument) {
  Opaque& self = of(object);
  Context& context = *self.context;
  const dz_type& type = type_of(self);
  const int number = static_cast<int>(PyLong_AsLong(argument));
  if (PyErr_Occurred() != nullptr || !is_kind(type, DZ_SUM)) return nullptr;
  const dz_member* member = member_at(type, number);
  if (member == nullptr) return nullptr;
  Results results(context, static_cast<std::size_t>(member->type_count));
  for (int32_t i = 0; i < member->type_count; ++i) results.add(member->types[i]);
  {
    const Calling calling(context);
    const int status = context.api().destruct(context.context, self.type, number,
                                              results.pointers(), self.opaque);
    if (status != DZ_OK) return raise_failure(context, status);
    if (!results.settle()) return nullptr;
  }
  Ref all(PyTuple_New(member->type_count));
  for (std::size_t i = 0; all && i < results.size(); ++i) {
    PyObject* one = results.take(i, object);
    if (one == nullptr) return nullptr;
    PyTuple_SetItem(all.get(), static_cast<Py_ssize_t>(i), one);
  }
  return all.release();
}

PyObject* opaque_shape(PyObject* object, void*) {
  Opaque& self = of(object);
  const dz_type& type = type_of(self);
  if (!is_kind(type, DZ_OPAQUE_ARRAY)) return nullptr;
  const int64_t* sizes = self.context->api().opaque_array_shape(self.context->context, self.opaque);
  Ref shape(PyTuple_New(type.rank));
  for (int32_t i = 0; shape && i < type.rank; ++i) {
    PyTuple_SetItem(shape.get(), i, PyLong_FromLongLong(sizes[i]));
  }
  return shape.release();
}

PyObject* opaque_index(PyObject* object, PyObject* indices) {
  Opaque& self = of(object);
  Context& context = *self.context;
  const dz_type& type = type_of(self);
  if (!is_kind(type, DZ_OPAQUE_ARRAY)) return nullptr;
  std::vector<int64_t> places;
  const Py_ssize_t count = PyTuple_Check(indices) ? PyTuple_Size(indices) : -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    places.push_back(PyLong_AsLongLong(PyTuple_GetItem(indices, i)));
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  if (count != type.rank) {
    return PyErr_Format(PyExc_IndexError, "%s needs %d indices", type.name, type.rank);
  }
  Results results(context, 1);
  results.add(type.element_type);
  {
    const Calling calling(context);
    auto* out = static_cast<dz_opaque**>(results.pointers()[0]);
    const int status = context.api().opaque_array_index(context.context, self.type, out,
                                                        self.opaque, places.data());
    if (status != DZ_OK) return raise_failure(context, status);
    if (!results.settle()) return nullptr;
  }
  return results.take(0, object);
}

// columns(number): the field of all elements of an array of records.
PyObject* opaque_column(PyObject* object, PyObject* argument) {
  Opaque& self = of(object);
  Context& context = *self.context;
  const dz_type& type = type_of(self);
  const int number = static_cast<int>(PyLong_AsLong(argument));
  if (PyErr_Occurred() != nullptr || !is_kind(type, DZ_OPAQUE_ARRAY)) return nullptr;
  const dz_type& record = context.type(type.element_type);
  if (!is_kind(record, DZ_RECORD)) return nullptr;
  const dz_member* member = member_at(record, number);
  if (member == nullptr) return nullptr;
  if (context.type(member->types[0]).kind == DZ_OPAQUE_TYPE) {
    return PyErr_Format(PyExc_TypeError, "field %s holds no numbers", member->name);
  }
  Results results(context, 1);
  results.add_array();
  {
    const Calling calling(context);
    const int status = context.api().opaque_array_project(
        context.context, self.type, number, results.pointers()[0], self.opaque);
    if (status != DZ_OK) return raise_failure(context, status);
    if (!results.settle()) return nullptr;
  }
  return results.take(0, object);
}

PyObject* opaque_store(PyObject* object, PyObject*) {
  Opaque& self = of(object);
  void* bytes = nullptr;
  std::size_t count = 0;
  {
    const Calling calling(*self.context);
    const int status =
        self.context->api().store_opaque(self.context->context, self.opaque, &bytes, &count);
    if (status != DZ_OK) return raise_failure(*self.context, status);
  }
  PyObject* made =
      PyBytes_FromStringAndSize(static_cast<const char*>(bytes), static_cast<Py_ssize_t>(count));
  std::free(bytes);
  return made;
}

PyObject* opaque_type_number(PyObject* self, void*) { return PyLong_FromLong(of(self).type); }

PyObject* opaque_context(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(of(self).context));
}

PyMethodDef methods[] = {
    {"_project", opaque_project, METH_O, "Field of that number of a record."},
    {"_variant", opaque_variant, METH_NOARGS, "The number of the constructor of a sum."},
    {"_destruct", opaque_destruct, METH_O, "The payload of that constructor, which it has."},
    {"_index", opaque_index, METH_O, "An element of an array."},
    {"_column", opaque_column, METH_O, "Field of that number of all elements of an array."},
    {"_store", opaque_store, METH_NOARGS, "The value as bytes."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef members[] = {
    {"_type", opaque_type_number, nullptr, "The number of its type.", nullptr},
    {"_shape", opaque_shape, nullptr, "The sizes of an array.", nullptr},
    {"context", opaque_context, nullptr, "Where it lives.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject* make_opaque_type() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(opaque_dealloc)},
                                {Py_tp_getset, members},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "dagaz._native.Opaque", sizeof(Opaque), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace dagaz::python
