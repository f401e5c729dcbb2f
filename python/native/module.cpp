// The module: its classes and exceptions; opening libraries.
#include <dlfcn.h>

#include <string>

#include "native.h"

namespace dagaz::python {

ModuleTypes& types() {
  static ModuleTypes made = {};
  return made;
}

namespace {

struct ElementRow {
  const char* name;
  Py_ssize_t bytes;
  char format;
};
/// In the order of enum dz_element; formats are those of Python's module `struct`.
constexpr ElementRow elements[] = {{"bool", 1, '?'}, {"i8", 1, 'b'},  {"i16", 2, 'h'},
                                   {"i32", 4, 'i'},  {"i64", 8, 'l'}, {"u8", 1, 'B'},
                                   {"u16", 2, 'H'},  {"u32", 4, 'I'}, {"u64", 8, 'L'},
                                   {"f16", 2, 'e'},  {"f32", 4, 'f'}, {"f64", 8, 'd'}};

PyObject* text_or_none(const char* text) {
  if (text == nullptr) return Py_NewRef(Py_None);
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::string(text).size()), "replace");
}

/// A list of `count` items that `item` makes; null if one is.
template <typename Item>
PyObject* list_of(int32_t count, Item item) {
  Ref list(PyList_New(count));
  for (int32_t i = 0; list && i < count; ++i) {
    PyObject* made = item(i);
    if (made == nullptr) return nullptr;
    PyList_SetItem(list.get(), i, made);
  }
  return list.release();
}

// (name, kind, opaque kind, leaves, members, element type, rank)
PyObject* describe_type(const dz_type& type) {
  PyObject* leaves = list_of(type.leaf_count, [&](int32_t i) {
    return Py_BuildValue("(si)", element_name(type.leaves[i].element), type.leaves[i].rank);
  });
  PyObject* members = list_of(type.member_count, [&](int32_t i) {
    const dz_member& member = type.members[i];
    return Py_BuildValue("(NN)", text_or_none(member.name),
                         list_of(member.type_count, [&](int32_t k) {
                           return PyLong_FromLong(member.types[k]);
                         }));
  });
  return Py_BuildValue("(NiiNNii)", text_or_none(type.name), type.kind, type.opaque_kind, leaves,
                       members, type.element_type, type.rank);
}

PyObject* describe_parameters(const dz_parameter* parameters, int32_t count) {
  return list_of(count, [&](int32_t i) {
    return Py_BuildValue("(NiO)", text_or_none(parameters[i].name), parameters[i].type,
                         parameters[i].unique != 0 ? Py_True : Py_False);
  });
}

PyObject* library_types(PyObject* self, void*) {
  const dz_program& program = *reinterpret_cast<Library*>(self)->program;
  return list_of(program.type_count, [&](int32_t i) { return describe_type(program.types[i]); });
}

// (number, name, documentation, inputs, outputs)
PyObject* library_entries(PyObject* self, void*) {
  const dz_program& program = *reinterpret_cast<Library*>(self)->program;
  return list_of(program.entry_count, [&](int32_t i) {
    const dz_entry& entry = program.entries[i];
    return Py_BuildValue("(iNNNN)", i, text_or_none(entry.name), text_or_none(entry.documentation),
                         describe_parameters(entry.inputs, entry.input_count),
                         describe_parameters(entry.outputs, entry.output_count));
  });
}

PyObject* library_target(PyObject* self, void*) {
  switch (reinterpret_cast<Library*>(self)->program->target) {
    case DZ_TARGET_CUDA: return PyUnicode_FromString("cuda");
    case DZ_TARGET_SIM: return PyUnicode_FromString("sim");
    default: return PyUnicode_FromString("cpu");
  }
}

PyObject* library_tuning(PyObject* self, void*) {
  const dz_program& program = *reinterpret_cast<Library*>(self)->program;
  return list_of(program.tuning_count, [&](int32_t i) {
    return PyUnicode_FromString(program.tuning_params[i].name);
  });
}

PyObject* library_new(PyTypeObject* type, PyObject* args, PyObject*) {
  const char* path = nullptr;
  const char* prefix = nullptr;
  if (PyArg_ParseTuple(args, "ss", &path, &prefix) == 0) return nullptr;
  void* handle = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Py_END_ALLOW_THREADS;
  if (handle == nullptr) return PyErr_Format(PyExc_OSError, "%s", dlerror());
  using Interface = const dz_interface* (*)();
  const auto interface = reinterpret_cast<Interface>(dlsym(handle, "dagaz_interface"));
  const auto* program = static_cast<const dz_program*>(
      dlsym(handle, (std::string("dz_program_") + prefix).c_str()));
  if (interface == nullptr || program == nullptr) {
    return PyErr_Format(PyExc_OSError, "%s was not made by `dagaz build --emit=shared`", path);
  }
  const dz_interface* api = interface();
  if (api->version != DZ_INTERFACE_VERSION || api->abi_version != DZ_ABI_VERSION) {
    return PyErr_Format(PyExc_OSError, "%s was made by another version of Dagaz", path);
  }
  auto* self = reinterpret_cast<Library*>(PyType_GenericAlloc(type, 0));
  if (self == nullptr) return nullptr;
  self->api = api;
  self->program = program;
  self->set_communicator = reinterpret_cast<int (*)(dz_config*, const void*)>(
      dlsym(handle, (std::string(prefix) + "_context_config_set_communicator").c_str()));
  return reinterpret_cast<PyObject*>(self);
}

void library_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyGetSetDef library_members[] = {
    {"types", library_types, nullptr, "The types of the interface, as tuples.", nullptr},
    {"entries", library_entries, nullptr, "The entry points, as tuples.", nullptr},
    {"target", library_target, nullptr, "cpu, cuda or sim.", nullptr},
    {"tuning_parameters", library_tuning, nullptr, "Their names.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "dagaz._native",
                          "Libraries of compiled programs, without the conveniences of `dagaz`.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

bool add_exceptions(PyObject* module) {
  ModuleTypes& made = types();
  made.error = PyErr_NewExceptionWithDoc("dagaz.Error", "Anything that went wrong in Dagaz.",
                                         PyExc_RuntimeError, nullptr);
  if (made.error == nullptr) return false;
  made.program_error = PyErr_NewExceptionWithDoc(
      "dagaz.ProgramError",
      "The program stopped: an index out of bounds, a failed assertion, sizes that differ.  The "
      "message has the position in the source.",
      made.error, nullptr);
  Ref bases(PyTuple_Pack(2, made.error, PyExc_MemoryError));
  made.out_of_memory = PyErr_NewExceptionWithDoc(
      "dagaz.OutOfMemoryError", "The device has no room for the arrays.", bases.get(), nullptr);
  return made.program_error != nullptr && made.out_of_memory != nullptr &&
         PyModule_AddObjectRef(module, "Error", made.error) == 0 &&
         PyModule_AddObjectRef(module, "ProgramError", made.program_error) == 0 &&
         PyModule_AddObjectRef(module, "OutOfMemoryError", made.out_of_memory) == 0;
}

bool add_types(PyObject* module) {
  ModuleTypes& made = types();
  made.library = make_library_type();
  made.context = make_context_type();
  made.array = make_array_type();
  made.opaque = make_opaque_type();
  made.entry = make_entry_type();
  for (PyTypeObject* type : {made.library, made.context, made.array, made.opaque, made.entry}) {
    if (type == nullptr || PyModule_AddType(module, type) != 0) return false;
  }
  return true;
}

}  // namespace

const char* element_name(int32_t element) { return elements[element].name; }
Py_ssize_t element_bytes(int32_t element) { return elements[element].bytes; }
char element_format(int32_t element) { return elements[element].format; }

PyTypeObject* make_library_type() {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(library_new)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(library_dealloc)},
                                {Py_tp_getset, library_members},
                                {0, nullptr}};
  static PyType_Spec spec = {"dagaz._native.Library", sizeof(Library), 0, Py_TPFLAGS_DEFAULT,
                             slots};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace dagaz::python

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__native() {
  using namespace dagaz::python;
  Ref module(PyModule_Create(&definition));
  if (!module || !add_exceptions(module.get()) || !add_types(module.get())) return nullptr;
  return module.release();
}
