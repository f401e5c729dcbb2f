// Contexts: one device with its memory, and what can be done with values besides calls.
#include <cstdlib>
#include <string>
#include <string_view>

#include "native.h"

namespace dagaz::python {

Calling::Calling(Context& context) : context_(context) {
  if (context.lock->calls.try_lock()) return;
  Py_BEGIN_ALLOW_THREADS;
  context.lock->calls.lock();
  Py_END_ALLOW_THREADS;
}

Calling::~Calling() {
  ContextLock& lock = *context_.lock;
  {
    const std::lock_guard pending(lock.pending);
    for (dz_array* array : lock.arrays) context_.api().free_array(context_.context, array);
    for (dz_opaque* opaque : lock.opaques) context_.api().free_opaque(context_.context, opaque);
    lock.arrays.clear();
    lock.opaques.clear();
  }
  lock.calls.unlock();
}

void free_array(Context& context, dz_array* array) {
  if (context.lock->calls.try_lock()) {
    context.api().free_array(context.context, array);
    context.lock->calls.unlock();
    return;
  }
  const std::lock_guard pending(context.lock->pending);
  context.lock->arrays.push_back(array);
}

void free_opaque(Context& context, dz_opaque* opaque) {
  if (context.lock->calls.try_lock()) {
    context.api().free_opaque(context.context, opaque);
    context.lock->calls.unlock();
    return;
  }
  const std::lock_guard pending(context.lock->pending);
  context.lock->opaques.push_back(opaque);
}

PyObject* raise_failure(Context& context, int status) {
  char* text = context.api().context_get_error(context.context);
  std::string message = text == nullptr ? "the call failed" : text;
  std::free(text);
  // The kind of the exception says that it is an error.
  constexpr std::string_view begin = "Error: ";
  if (message.starts_with(begin)) message.erase(0, begin.size());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  PyObject* kind = status == DZ_PROGRAM_ERROR   ? types().program_error
                   : status == DZ_OUT_OF_MEMORY ? types().out_of_memory
                                                : types().error;
  PyErr_SetString(kind, message.c_str());
  return nullptr;
}

namespace {

Context& of(PyObject* self) { return *reinterpret_cast<Context*>(self); }

// ---------------------------------------------------------------- making and freeing

bool set_integer(const char* name, PyObject* value, long& out) {
  out = PyLong_AsLong(value);
  if (out != -1 || PyErr_Occurred() == nullptr) return true;
  PyErr_Format(PyExc_TypeError, "option %s needs an integer", name);
  return false;
}

bool set_text(const char* name, PyObject* value, std::string& out) {
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, nullptr) : nullptr;
  if (text == nullptr) {
    PyErr_Format(PyExc_TypeError, "option %s needs a string", name);
    return false;
  }
  out = text;
  return true;
}

bool set_tuning(Context& context, PyObject* values) {
  Ref items(PyMapping_Items(values));
  const Py_ssize_t count = items ? PyList_Size(items.get()) : -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyList_GetItem(items.get(), i);
    const char* name = nullptr;
    long value = 0;
    if (PyArg_ParseTuple(item, "sl", &name, &value) == 0) return false;
    if (context.api().config_set_tuning_param(context.config, name,
                                              static_cast<size_t>(value)) != 0) {
      PyErr_Format(PyExc_ValueError, "the program has no tuning parameter %s", name);
      return false;
    }
  }
  return count >= 0;
}

// `value` is the address of an MPI_Comm.
bool set_communicator(Context& context, PyObject* value) {
  void* const communicator = PyLong_AsVoidPtr(value);
  if (PyErr_Occurred() != nullptr) return false;
  const auto set = context.library->set_communicator;
  if (set == nullptr) {
    PyErr_SetString(PyExc_ValueError, "the program was not built for several processes");
    return false;
  }
  if (set(context.config, communicator) == 0) return true;
  PyErr_SetString(types().error, "MPI does not run, or is not the one that the program was built "
                                 "with");
  return false;
}

bool set_option(Context& context, const std::string& name, PyObject* value) {
  const dz_interface& api = context.api();
  long number = 0;
  std::string text;
  if (name == "params") return set_tuning(context, value);
  if (name == "stream") {
    void* const stream = PyLong_AsVoidPtr(value);
    if (PyErr_Occurred() != nullptr) return false;
    api.config_set_stream(context.config, stream);
    return true;
  }
  if (name == "communicator") return set_communicator(context, value);
  if (name == "device" || name == "cache_file") {
    if (!set_text(name.c_str(), value, text)) return false;
    (name == "device" ? api.config_set_device : api.config_set_cache_file)(context.config,
                                                                           text.c_str());
    return true;
  }
  void (*const set_flag)(dz_config*, int) = name == "num_threads" ? api.config_set_num_threads
                                            : name == "profiling" ? api.config_set_profiling
                                            : name == "logging"   ? api.config_set_logging
                                            : name == "debugging" ? api.config_set_debugging
                                            : name == "check_ranks" ? api.config_set_check_ranks
                                            : name == "unified_memory"
                                                ? api.config_set_unified_memory
                                                : nullptr;
  if (set_flag == nullptr && name != "memory_cap") {
    PyErr_Format(PyExc_TypeError, "a context has no option %s", name.c_str());
    return false;
  }
  if (!set_integer(name.c_str(), value, number)) return false;
  if (set_flag == nullptr) {
    api.config_set_memory_cap(context.config, number);
  } else {
    set_flag(context.config, static_cast<int>(number));
  }
  return true;
}

bool set_options(Context& context, PyObject* options) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (options != nullptr && PyDict_Next(options, &position, &key, &value) != 0) {
    const char* name = PyUnicode_AsUTF8AndSize(key, nullptr);
    if (name == nullptr || !set_option(context, name, value)) return false;
  }
  return true;
}

PyObject* context_new(PyTypeObject* type, PyObject* args, PyObject* options) {
  PyObject* library = nullptr;
  if (PyArg_ParseTuple(args, "O!", types().library, &library) == 0) return nullptr;
  Ref made(PyType_GenericAlloc(type, 0));
  if (!made) return nullptr;
  Context& self = of(made.get());
  self.library = reinterpret_cast<Library*>(Py_NewRef(library));
  self.lock = new ContextLock;
  self.config = self.api().config_new(self.library->program);
  if (self.config == nullptr) return PyErr_NoMemory();
  if (!set_options(self, options)) return nullptr;
  Py_BEGIN_ALLOW_THREADS;
  self.context = self.api().context_new(self.config);
  Py_END_ALLOW_THREADS;
  if (self.context == nullptr) return PyErr_NoMemory();
  char* problem = self.api().context_get_error(self.context);
  if (problem != nullptr) {
    PyErr_SetString(types().error, problem);
    std::free(problem);
    return nullptr;
  }
  return made.release();
}

constexpr PyObject* Hooks::*hooks[] = {&Hooks::array_type, &Hooks::opaque_type, &Hooks::convert,
                                       &Hooks::wrap_array, &Hooks::unwrap_opaque};

int context_traverse(PyObject* self, visitproc visit, void* arg) {
  for (const auto hook : hooks) Py_VISIT(of(self).hooks.*hook);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int context_clear(PyObject* self) {
  for (const auto hook : hooks) Py_CLEAR(of(self).hooks.*hook);
  return 0;
}

void context_dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  PyTypeObject* type = Py_TYPE(object);
  Context& self = of(object);
  context_clear(object);
  if (self.library != nullptr) {
    Py_BEGIN_ALLOW_THREADS;
    self.api().context_free(self.context);
    if (self.config != nullptr) self.api().config_free(self.config);
    Py_END_ALLOW_THREADS;
    delete self.lock;
    Py_DECREF(reinterpret_cast<PyObject*>(self.library));
  }
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

PyObject* context_set_hooks(PyObject* self, PyObject* args) {
  PyObject* given[5];
  if (PyArg_ParseTuple(args, "OOOOO", &given[0], &given[1], &given[2], &given[3], &given[4]) ==
      0) {
    return nullptr;
  }
  for (int i = 0; i < 5; ++i) {
    PyObject* old = of(self).hooks.*hooks[i];
    of(self).hooks.*hooks[i] = given[i] == Py_None ? nullptr : Py_NewRef(given[i]);
    Py_XDECREF(old);
  }
  Py_RETURN_NONE;
}

// ---------------------------------------------------------------- the context itself

PyObject* context_sync(PyObject* object, PyObject*) {
  Context& self = of(object);
  const Calling calling(self);
  int status = DZ_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = self.api().context_sync(self.context);
  Py_END_ALLOW_THREADS;
  if (status != DZ_OK) return raise_failure(self, status);
  Py_RETURN_NONE;
}

PyObject* context_report(PyObject* object, PyObject*) {
  Context& self = of(object);
  const Calling calling(self);
  char* text = self.api().context_report(self.context);
  if (text == nullptr) return raise_failure(self, DZ_ERROR);
  PyObject* made = PyUnicode_FromString(text);
  std::free(text);
  return made;
}

PyObject* context_clear_caches(PyObject* object, PyObject*) {
  Context& self = of(object);
  const Calling calling(self);
  const int status = self.api().context_clear_caches(self.context);
  if (status != DZ_OK) return raise_failure(self, status);
  Py_RETURN_NONE;
}

// ---------------------------------------------------------------- arrays

// array(element, rank, buffer): a copy on the device of a buffer that fits exactly.
PyObject* context_array(PyObject* object, PyObject* args) {
  dz_leaf_type leaf = {};
  PyObject* value = nullptr;
  if (PyArg_ParseTuple(args, "iiO", &leaf.element, &leaf.rank, &value) == 0) return nullptr;
  Context& self = of(object);
  HostBuffer buffer;
  if (!buffer.open(leaf, value)) return nullptr;
  dz_array* array = nullptr;
  {
    const Calling calling(self);
    array = buffer.copy(self);
    if (array == nullptr) return raise_failure(self, DZ_ERROR);
  }
  return new_array_object(self, array, nullptr);
}

// part(element, rank, buffer, rows): an array of `rows` rows, of which the buffer has those of this
// process.
PyObject* context_part(PyObject* object, PyObject* args) {
  dz_leaf_type leaf = {};
  PyObject* value = nullptr;
  long long rows = 0;
  if (PyArg_ParseTuple(args, "iiOL", &leaf.element, &leaf.rank, &value, &rows) == 0) {
    return nullptr;
  }
  Context& self = of(object);
  HostBuffer buffer;
  if (!buffer.open(leaf, value)) return nullptr;
  dz_array* array = nullptr;
  {
    const Calling calling(self);
    int64_t first = 0;
    int64_t count = 0;
    self.api().context_rows(self.context, rows, &first, &count);
    if (buffer.rows() != count) {
      return PyErr_Format(PyExc_ValueError, "of %lld rows %lld are this process's, not %zd", rows,
                          static_cast<long long>(count), buffer.rows());
    }
    array = buffer.copy_part(self, rows);
    if (array == nullptr) return raise_failure(self, DZ_ERROR);
  }
  return new_array_object(self, array, nullptr);
}

// rows(n): the first of n rows that are this process's, and how many there are.
PyObject* context_rows(PyObject* object, PyObject* args) {
  long long rows = 0;
  if (PyArg_ParseTuple(args, "L", &rows) == 0) return nullptr;
  if (rows < 0) {
    PyErr_SetString(PyExc_ValueError, "a number of rows is not negative");
    return nullptr;
  }
  Context& self = of(object);
  int64_t first = 0;
  int64_t count = 0;
  self.api().context_rows(self.context, rows, &first, &count);
  return Py_BuildValue("(LL)", static_cast<long long>(first), static_cast<long long>(count));
}

// adopt(element, address, shape, owner): an array in memory that belongs to `owner`.
PyObject* context_adopt(PyObject* object, PyObject* args) {
  int element = 0;
  unsigned long long address = 0;
  PyObject* shape = nullptr;
  PyObject* owner = nullptr;
  if (PyArg_ParseTuple(args, "iKO!O", &element, &address, &PyTuple_Type, &shape, &owner) == 0) {
    return nullptr;
  }
  std::vector<int64_t> sizes;
  for (Py_ssize_t i = 0; i < PyTuple_Size(shape); ++i) {
    sizes.push_back(PyLong_AsLongLong(PyTuple_GetItem(shape, i)));
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  Context& self = of(object);
  dz_array* array = nullptr;
  {
    const Calling calling(self);
    array = self.api().new_raw_array(self.context, element, static_cast<int>(sizes.size()),
                                     reinterpret_cast<void*>(address), sizes.data());
    if (array == nullptr) return raise_failure(self, DZ_ERROR);
  }
  return new_array_object(self, array, Py_NewRef(owner));
}

PyMethodDef methods[] = {
    {"set_hooks", context_set_hooks, METH_VARARGS, "See Hooks in native.h."},
    {"sync", context_sync, METH_NOARGS, "Waits until the device has done all that was asked."},
    {"report", context_report, METH_NOARGS, "What profiling has counted: JSON."},
    {"clear_caches", context_clear_caches, METH_NOARGS, "Gives cached memory back."},
    {"array", context_array, METH_VARARGS, "array(element, rank, buffer): a copy"},
    {"part", context_part, METH_VARARGS, "part(element, rank, buffer, rows): an array by parts"},
    {"rows", context_rows, METH_VARARGS, "rows(n): (first, count) of this process"},
    {"adopt", context_adopt, METH_VARARGS, "adopt(element, address, shape, owner)"},
    {nullptr, nullptr, 0, nullptr}};

PyObject* context_library(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(of(self).library));
}

PyGetSetDef members[] = {{"library", context_library, nullptr, "Its program.", nullptr},
                         {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject* make_context_type() {
  static std::vector<PyMethodDef> all;
  if (all.empty()) {
    for (const PyMethodDef* row = methods; row->ml_name != nullptr; ++row) all.push_back(*row);
    for (const PyMethodDef* row = constructor_methods; row->ml_name != nullptr; ++row) {
      all.push_back(*row);
    }
    all.push_back({nullptr, nullptr, 0, nullptr});
  }
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(context_new)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(context_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(context_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(context_clear)},
                                {Py_tp_methods, all.data()},
                                {Py_tp_getset, members},
                                {0, nullptr}};
  static PyType_Spec spec = {"dagaz._native.Context", sizeof(Context), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace dagaz::python
