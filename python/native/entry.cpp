// Entry points: callable objects.
#include "native.h"

namespace dagaz::python {

namespace {

Entry& of(PyObject* self) { return *reinterpret_cast<Entry*>(self); }

const dz_entry& description(const Entry& self) {
  return self.context->program().entries[self.number];
}

// Entry(context, number, names)
int entry_init(PyObject* object, PyObject* args, PyObject*) {
  PyObject* context = nullptr;
  PyObject* names = nullptr;
  int number = 0;
  if (PyArg_ParseTuple(args, "O!iO!", types().context, &context, &number, &PyTuple_Type, &names) ==
      0) {
    return -1;
  }
  Entry& self = of(object);
  const dz_program& program = reinterpret_cast<Context*>(context)->program();
  if (self.context != nullptr || number < 0 || number >= program.entry_count ||
      PyTuple_Size(names) != program.entries[number].input_count) {
    PyErr_SetString(PyExc_ValueError, "the program has no such entry point");
    return -1;
  }
  self.context = reinterpret_cast<Context*>(Py_NewRef(context));
  self.number = number;
  self.names = Py_NewRef(names);
  return 0;
}

void entry_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_XDECREF(reinterpret_cast<PyObject*>(of(object).context));
  Py_XDECREF(of(object).names);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(object);
  Py_DECREF(type);
}

// ---------------------------------------------------------------- calling

/// The arguments in the order of the parameters; false with a TypeError.
bool bind(const Entry& self, PyObject* args, PyObject* keywords, std::vector<PyObject*>& out) {
  const dz_entry& entry = description(self);
  const Py_ssize_t given = PyTuple_Size(args);
  const Py_ssize_t named = keywords == nullptr ? 0 : PyDict_Size(keywords);
  if (given + named > entry.input_count) {
    PyErr_Format(PyExc_TypeError, "%s takes %d arguments, but %zd were given", entry.name,
                 entry.input_count, given + named);
    return false;
  }
  for (Py_ssize_t i = 0; i < given; ++i) out.push_back(PyTuple_GetItem(args, i));
  for (Py_ssize_t i = given; i < entry.input_count; ++i) {
    PyObject* name = PyTuple_GetItem(self.names, i);
    PyObject* value = named == 0 ? nullptr : PyDict_GetItemWithError(keywords, name);
    if (value == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s needs the argument %R", entry.name, name);
      return false;
    }
    out.push_back(value);
  }
  if (given + named != entry.input_count) {
    PyErr_Format(PyExc_TypeError, "%s has no such argument, or it is given twice: %R", entry.name,
                 keywords);
    return false;
  }
  return true;
}

/// Says in the exception which argument it is about.
void name_argument(const Entry& self, std::size_t number) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const Ref owned[] = {Ref(type), Ref(value), Ref(trace)};
  PyErr_Format(type, "argument %R of %s: %S",
               PyTuple_GetItem(self.names, static_cast<Py_ssize_t>(number)),
               description(self).name, value == nullptr ? Py_None : value);
}

PyObject* gather(Results& results, PyObject* owner) {
  if (results.size() == 1) return results.take(0, owner);
  Ref all(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (std::size_t i = 0; all && i < results.size(); ++i) {
    PyObject* one = results.take(i, owner);
    if (one == nullptr) return nullptr;
    PyTuple_SetItem(all.get(), static_cast<Py_ssize_t>(i), one);
  }
  return all.release();
}

PyObject* entry_call(PyObject* object, PyObject* args, PyObject* keywords) {
  Entry& self = of(object);
  Context& context = *self.context;
  const dz_entry& entry = description(self);
  std::vector<PyObject*> values;
  values.reserve(static_cast<std::size_t>(entry.input_count));
  if (!bind(self, args, keywords, values)) return nullptr;
  Arguments arguments(context, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const dz_parameter& parameter = entry.inputs[i];
    const Use use = parameter.unique != 0 ? Use::consume : Use::read;
    if (!arguments.add(parameter.type, values[i], use)) {
      name_argument(self, i);
      return nullptr;
    }
  }
  Results results(context, static_cast<std::size_t>(entry.output_count));
  for (int32_t i = 0; i < entry.output_count; ++i) results.add(entry.outputs[i].type);
  {
    const Calling calling(context);
    void* const* outs = results.pointers();
    int status = DZ_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = context.api().call_entry(context.context, self.number, outs, arguments.pointers());
    Py_END_ALLOW_THREADS;
    if (status != DZ_OK) return raise_failure(context, status);
    if (!results.settle()) return nullptr;
  }
  arguments.consumed();
  return gather(results, context.host_memory() ? nullptr : args);
}

PyObject* entry_context(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(of(self).context));
}

PyGetSetDef members[] = {{"context", entry_context, nullptr, "Where it runs.", nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject* make_entry_type() {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
                                {Py_tp_init, reinterpret_cast<void*>(entry_init)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(entry_dealloc)},
                                {Py_tp_call, reinterpret_cast<void*>(entry_call)},
                                {Py_tp_getset, members},
                                {0, nullptr}};
  static PyType_Spec spec = {"dagaz._native.Entry", sizeof(Entry), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace dagaz::python
