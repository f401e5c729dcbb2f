// A server: named values, and commands that make, inspect and pass them to entry points.  It
// speaks the peer's protocol byte for byte, so that the peer's own clients and test drivers work
// with programs of ours.  Every command answers with lines that end in "%%% OK"; a failed one
// says "%%% FAILURE" and why first.  Commands that make no sense at all end the server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api_value.h"
#include "command_line.h"
#include "handles.h"
#include "program_main.h"

namespace dagaz::runtime {

class Server {
 public:
  Server(const Options& options, dz_context& context, dz_streams streams);

  /// Obeys commands until the input ends; the exit status.
  int run();

 private:
  using Words = std::vector<std::string>;
  struct Command {
    const char* name;
    void (Server::*act)(const Words& words);
  };
  /// No type of that name.
  static constexpr int32_t unknown_type = INT32_MIN;
  /// Ends the server.
  struct Fatal {
    std::string message;
  };
  /// Ends a command; the message may be empty.
  struct Failure {
    std::string message;
  };

  void obey(const std::string& line);

  // Commands, in the order of the protocol's description.  In server.cpp:
  void types(const Words& words);
  void entry_points(const Words& words);
  void call(const Words& words);
  void restore(const Words& words);
  void store(const Words& words);
  void free(const Words& words);
  void rename(const Words& words);
  void inputs(const Words& words);
  void output(const Words& words);
  void outputs(const Words& words);  // from older peers: the components of a tuple, a line each
  void clear(const Words& words);
  void pause_profiling(const Words& words);
  void unpause_profiling(const Words& words);
  void report(const Words& words);
  void set_tuning_param(const Words& words);
  void tuning_params(const Words& words);
  void tuning_param_class(const Words& words);
  void attributes(const Words& words);
  // In server_values.cpp:
  void kind(const Words& words);
  void type(const Words& words);
  void rank(const Words& words);
  void elemtype(const Words& words);
  void new_array(const Words& words);
  void set(const Words& words);
  void shape(const Words& words);
  void index(const Words& words);
  void zip(const Words& words);
  void unzip(const Words& words);
  void fields(const Words& words);
  void new_record(const Words& words);
  void project(const Words& words);
  void variants(const Words& words);
  void construct(const Words& words);
  void destruct(const Words& words);
  void variant(const Words& words);

  // Looking things up.
  static const std::string& word(const Words& words, size_t i);
  int32_t type_named(const std::string& name) const;
  int32_t find_type(std::string_view name) const;
  const dz_type* returned_tuple(const dz_entry& entry) const;
  int entry_named(const std::string& name) const;
  ApiValue& variable(const std::string& name);
  void check_new(const std::string& name) const;
  void define(const std::string& name, ApiValue value);
  const dz_type& describe(int32_t type) const { return type_at(context_, type); }

  // Arrays of either kind.
  const dz_type& array_type(const ApiValue& value) const;
  int32_t element_type(const dz_type& array) const;
  const int64_t* sizes(const ApiValue& array) const;
  static std::vector<int64_t> read_indices(const Words& words, size_t first, int32_t rank,
                                           const int64_t* sizes);
  std::vector<int64_t> read_sizes(const Words& words, int32_t rank) const;
  void fill_array(ApiValue& array, const std::vector<const ApiValue*>& values,
                  const std::vector<int64_t>& sizes);
  const dz_type& zipped_array(const ApiValue& value, const char* verb) const;

  ApiValue restore_value(ValueReader& reader, int32_t type);
  std::string store_value(const ApiValue& value);
  /// Fails the command with the context's error when `status` is not DZ_OK.
  void check(int status);
  void say(const std::string& line) { std::fprintf(streams_.out, "%s\n", line.c_str()); }

  const Options& options_;
  dz_context& context_;
  const dz_program& program_;
  dz_streams streams_;
  std::map<std::string, ApiValue> variables_;
};

}  // namespace dagaz::runtime
