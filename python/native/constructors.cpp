// Values of records, sums and arrays of them, made of their parts.
#include <cstring>

#include "native.h"

namespace dagaz::python {

namespace {

Context& of(PyObject* self) { return *reinterpret_cast<Context*>(self); }

/// Whether `type` is of that kind; an exception if not.
bool check_type(const Context& context, int type, int32_t kind) {
  if (type >= 0 && type < context.program().type_count &&
      context.type(type).kind == DZ_OPAQUE_TYPE && context.type(type).opaque_kind == kind) {
    return true;
  }
  PyErr_SetString(PyExc_TypeError, "the program has no such type of this kind");
  return false;
}

bool check_count(PyObject* parts, Py_ssize_t wanted, const char* name) {
  if (PyTuple_Size(parts) == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s has %zd parts, but %zd are given", name, wanted,
               PyTuple_Size(parts));
  return false;
}

/// Calls `make(out)` and gives the value that it made; `arguments` are its parts.
template <typename Make>
PyObject* made_of(Context& context, int type, Arguments& arguments, const Make& make) {
  dz_opaque* out = nullptr;
  {
    const Calling calling(context);
    const int status = make(&out);
    if (status != DZ_OK) return raise_failure(context, status);
  }
  return new_opaque_object(context, out, type, arguments.owners());
}

// new_record(type, fields)
PyObject* new_record(PyObject* self, PyObject* args) {
  int type = 0;
  PyObject* fields = nullptr;
  if (PyArg_ParseTuple(args, "iO!", &type, &PyTuple_Type, &fields) == 0) return nullptr;
  Context& context = of(self);
  if (!check_type(context, type, DZ_RECORD)) return nullptr;
  const dz_type& record = context.type(type);
  if (!check_count(fields, record.member_count, record.name)) return nullptr;
  Arguments arguments(context, static_cast<std::size_t>(record.member_count));
  for (int32_t i = 0; i < record.member_count; ++i) {
    const int32_t field = record.members[i].types[0];
    if (!arguments.add(field, PyTuple_GetItem(fields, i), Use::keep)) return nullptr;
  }
  return made_of(context, type, arguments, [&](dz_opaque** out) {
    return context.api().new_record(context.context, type, out, arguments.pointers());
  });
}

// new_sum(type, variant, payload)
PyObject* new_sum(PyObject* self, PyObject* args) {
  int type = 0;
  int variant = 0;
  PyObject* payload = nullptr;
  if (PyArg_ParseTuple(args, "iiO!", &type, &variant, &PyTuple_Type, &payload) == 0) {
    return nullptr;
  }
  Context& context = of(self);
  if (!check_type(context, type, DZ_SUM)) return nullptr;
  if (variant < 0 || variant >= context.type(type).member_count) {
    return PyErr_Format(PyExc_IndexError, "the type has no constructor %d", variant);
  }
  const dz_member& member = context.type(type).members[variant];
  if (!check_count(payload, member.type_count, member.name)) return nullptr;
  Arguments arguments(context, static_cast<std::size_t>(member.type_count));
  for (int32_t i = 0; i < member.type_count; ++i) {
    if (!arguments.add(member.types[i], PyTuple_GetItem(payload, i), Use::keep)) return nullptr;
  }
  return made_of(context, type, arguments, [&](dz_opaque** out) {
    return context.api().new_sum(context.context, type, variant, out, arguments.pointers());
  });
}

// new_array(type, elements, shape): elements in row-major order
PyObject* new_array(PyObject* self, PyObject* args) {
  int type = 0;
  PyObject* elements = nullptr;
  PyObject* shape = nullptr;
  if (PyArg_ParseTuple(args, "iO!O!", &type, &PyTuple_Type, &elements, &PyTuple_Type, &shape) ==
      0) {
    return nullptr;
  }
  Context& context = of(self);
  if (!check_type(context, type, DZ_OPAQUE_ARRAY)) return nullptr;
  const dz_type& array = context.type(type);
  if (!check_count(shape, array.rank, array.name)) return nullptr;
  std::vector<int64_t> sizes;
  Py_ssize_t count = 1;
  for (int32_t i = 0; i < array.rank; ++i) {
    sizes.push_back(PyLong_AsLongLong(PyTuple_GetItem(shape, i)));
    count *= sizes.back();
  }
  if (PyErr_Occurred() != nullptr || !check_count(elements, count, array.name)) return nullptr;
  Arguments arguments(context, static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!arguments.add(array.element_type, PyTuple_GetItem(elements, i), Use::keep)) {
      return nullptr;
    }
  }
  return made_of(context, type, arguments, [&](dz_opaque** out) {
    std::vector<const dz_opaque*> handles;
    for (Py_ssize_t i = 0; i < count; ++i) {
      handles.push_back(static_cast<const dz_opaque*>(arguments.pointers()[i]));
    }
    return context.api().new_opaque_array(context.context, type, out, handles.data(),
                                          sizes.data());
  });
}

// zip(type, columns): an array of records, of one array for each field
PyObject* zip(PyObject* self, PyObject* args) {
  int type = 0;
  PyObject* columns = nullptr;
  if (PyArg_ParseTuple(args, "iO!", &type, &PyTuple_Type, &columns) == 0) return nullptr;
  Context& context = of(self);
  if (!check_type(context, type, DZ_OPAQUE_ARRAY)) return nullptr;
  const dz_type& array = context.type(type);
  if (!check_type(context, array.element_type, DZ_RECORD)) return nullptr;
  const dz_type& record = context.type(array.element_type);
  if (!check_count(columns, record.member_count, record.name)) return nullptr;
  Arguments arguments(context, static_cast<std::size_t>(record.member_count));
  for (int32_t i = 0; i < record.member_count; ++i) {
    const dz_type& field = context.type(record.members[i].types[0]);
    if (field.kind == DZ_OPAQUE_TYPE) {
      return PyErr_Format(PyExc_TypeError, "field %s holds no numbers", record.members[i].name);
    }
    const dz_leaf_type column = {field.leaves[0].element, array.rank + field.rank};
    if (!arguments.add_array(column, PyTuple_GetItem(columns, i), Use::keep)) return nullptr;
  }
  return made_of(context, type, arguments, [&](dz_opaque** out) {
    return context.api().zip(context.context, type, out, arguments.pointers());
  });
}

// restore(type, bytes)
PyObject* restore(PyObject* self, PyObject* args) {
  int type = 0;
  const char* bytes = nullptr;
  Py_ssize_t count = 0;
  if (PyArg_ParseTuple(args, "iy#", &type, &bytes, &count) == 0) return nullptr;
  Context& context = of(self);
  if (type < 0 || type >= context.program().type_count) {
    return PyErr_Format(PyExc_TypeError, "the program has no such type");
  }
  dz_opaque* opaque = nullptr;
  {
    const Calling calling(context);
    opaque = context.api().restore_opaque(context.context, type, bytes);
    if (opaque == nullptr) return raise_failure(context, DZ_ERROR);
  }
  return new_opaque_object(context, opaque, type, nullptr);
}

}  // namespace

PyMethodDef constructor_methods[] = {
    {"new_record", new_record, METH_VARARGS, "new_record(type, fields)"},
    {"new_sum", new_sum, METH_VARARGS, "new_sum(type, variant, payload)"},
    {"new_array", new_array, METH_VARARGS, "new_array(type, elements, shape)"},
    {"zip", zip, METH_VARARGS, "zip(type, columns)"},
    {"restore", restore, METH_VARARGS, "restore(type, bytes)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace dagaz::python
