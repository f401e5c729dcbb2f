// The extension module under the package: libraries of compiled programs as Python objects.
//
// What is here is what must be fast or touches memory: opening a library, converting arguments and
// results, calling.  What values of records and sums look like in Python is the package's
// business; it installs hooks in a context (see Hooks).  Only the stable ABI of Python is used, so
// one build serves all versions from 3.11 on, and NumPy is known by its buffers alone.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <mutex>
#include <utility>
#include <vector>

#include "interface.h"

namespace dagaz::python {

/// An owned reference; may be null.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }

  static Ref borrowed(PyObject* object) { return Ref(Py_XNewRef(object)); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// A shared library of `dagaz build --emit=shared`; never closed, as its threads may live on.
struct Library {
  PyObject_HEAD
  const dz_interface* api;
  const dz_program* program;
  // Of what was built with --ranks; else null.
  int (*set_communicator)(dz_config*, const void*);
};

/// What the package adds to a context; each may be None.
struct Hooks {
  PyObject* array_type;     // subclass of Array: the type of arrays that calls return
  PyObject* opaque_type;    // subclass of Opaque
  PyObject* convert;        // (type number, value) → an Array, Opaque or buffer that fits exactly
  PyObject* wrap_array;     // Array → what a call returns
  PyObject* unwrap_opaque;  // (type number, Opaque) → what a call returns
};

/// What of a context several threads use.
struct ContextLock {
  std::mutex calls;    // held during a call and until its error text is read
  std::mutex pending;  // guards what follows
  std::vector<dz_array*> arrays;  // to be freed by whoever holds `calls` next
  std::vector<dz_opaque*> opaques;
};

struct Context {
  PyObject_HEAD
  Library* library;
  dz_config* config;
  dz_context* context;
  ContextLock* lock;
  Hooks hooks;

  const dz_interface& api() const { return *library->api; }
  const dz_program& program() const { return *library->program; }
  const dz_type& type(int32_t number) const { return library->program->types[number]; }
  bool host_memory() const { return library->program->target != DZ_TARGET_CUDA; }
};

struct Array {
  PyObject_HEAD
  Context* context;
  dz_array* array;     // null once a call has consumed it
  PyObject* owner;     // of the memory, if that is not the context
  Py_ssize_t exports;  // buffers that Python code holds
};

struct Opaque {
  PyObject_HEAD
  Context* context;
  dz_opaque* opaque;
  int32_t type;
  PyObject* owners;  // of memory that it borrows
};

struct Entry {
  PyObject_HEAD
  Context* context;
  int32_t number;
  PyObject* names;  // of the parameters: a tuple of strings
};

/// The classes and exceptions of the module, made once when it is imported.
struct ModuleTypes {
  PyTypeObject* library;
  PyTypeObject* context;
  PyTypeObject* array;
  PyTypeObject* opaque;
  PyTypeObject* entry;
  PyObject* error;
  PyObject* program_error;
  PyObject* out_of_memory;
};
ModuleTypes& types();

PyTypeObject* make_library_type();
PyTypeObject* make_context_type();
PyTypeObject* make_array_type();
PyTypeObject* make_opaque_type();
PyTypeObject* make_entry_type();

/// Calls of the library happen while one of these lives, so that the error text is that of the
/// call.  Waits without holding Python's lock, and frees what others could not.
class Calling {
 public:
  explicit Calling(Context& context);
  ~Calling();
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  Context& context_;
};

/// Sets the exception for a failed call; returns null.  Needs a Calling.
PyObject* raise_failure(Context& context, int status);
/// Frees a value, now or with the next call.
void free_array(Context& context, dz_array* array);
void free_opaque(Context& context, dz_opaque* opaque);

/// The same value in memory of its own; null on failure.  Needs a Calling.
dz_opaque* copied(Context& context, const dz_opaque* opaque, int32_t type);

/// "f64", and bytes, of an enum dz_element; the letter of its buffer format.
const char* element_name(int32_t element);
Py_ssize_t element_bytes(int32_t element);
char element_format(int32_t element);
Py_ssize_t element_count(const dz_array& array);

/// Python objects that own a handle from now on, also if they fail and return null.
PyObject* new_array_object(Context& context, dz_array* array, PyObject* owner);
PyObject* new_opaque_object(Context& context, dz_opaque* opaque, int32_t type, PyObject* owners);

/// A dense array in host memory that Python code lends.
class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&&) = delete;
  ~HostBuffer();

  /// False, without an exception, if the value has no buffer of exactly this type.
  bool try_open(dz_leaf_type type, PyObject* value);
  /// False, with an exception.
  bool open(dz_leaf_type type, PyObject* value);
  /// An array of the context that holds the elements, or is the memory itself.  Need a Calling.
  dz_array* copy(Context& context) const;
  /// An array of so many rows, of which these are this process's.
  dz_array* copy_part(Context& context, int64_t rows) const;
  dz_array* wrap(Context& context) const;
  Py_ssize_t rows() const { return view_.shape[0]; }

 private:
  Py_buffer view_ = {};
  dz_leaf_type type_ = {};
};

/// How the callee uses an argument.
enum class Use {
  read,     // during the call
  consume,  // and may overwrite it
  keep      // beyond the call
};

/// C values made of Python values for one call, in its order.
class Arguments {
 public:
  Arguments(Context& context, std::size_t count);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// False, with a Python exception, if the value is not of the type.
  bool add(int32_t type, PyObject* value, Use use);
  bool add_array(dz_leaf_type type, PyObject* value, Use use);
  const void* const* pointers() const { return pointers_.data(); }
  /// Marks arrays that were given to be overwritten.
  void consumed();
  /// Who owns the memory of what was kept: a list, or null.
  PyObject* owners();

 private:
  bool add_scalar(int32_t element, PyObject* value);
  bool add_known_array(dz_leaf_type type, PyObject* value, Use use);
  bool add_buffer(HostBuffer buffer, PyObject* value, Use use);
  bool add_opaque(int32_t type, PyObject* value, Use use);
  Ref converted(dz_leaf_type type, PyObject* value);

  Context& context_;
  std::vector<std::uint64_t> scalars_;
  std::vector<const void*> pointers_;
  std::vector<HostBuffer> buffers_;
  std::vector<dz_array*> temporary_;
  std::vector<Array*> consumed_;
  std::vector<Ref> kept_;
};

/// The results of one call: where they go, then as Python values.
class Results {
 public:
  Results(Context& context, std::size_t count);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  void add(int32_t type);
  void add_array() { kinds_.push_back(-1); }
  void* const* pointers();
  /// Makes results independent of the caller's memory: values that share it are copied.  Needs a
  /// Calling; after a successful call.
  bool settle();
  /// Result `i` as a Python value; null with an exception.
  PyObject* take(std::size_t i, PyObject* owner);
  std::size_t size() const { return kinds_.size(); }

 private:
  bool is_array(std::size_t i) const;

  Context& context_;
  std::vector<int32_t> kinds_;  // the type, or -1 for an array of scalars of any type
  std::vector<std::uint64_t> values_;
  std::vector<void*> pointers_;
  bool called_ = false;
};

/// The methods of a context that make values of parts, with an empty row at the end.
extern PyMethodDef constructor_methods[];

/// A C scalar as a Python value.
PyObject* scalar_object(const Context& context, int32_t element, const void* value);

}  // namespace dagaz::python
