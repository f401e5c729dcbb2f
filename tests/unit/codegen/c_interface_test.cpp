// The C interface: what the header declares, and that a C program can call all of it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/program_builder.h"

using namespace codegen_test;
using namespace dagaz::tree;
namespace ir = dagaz::ir;
namespace fs = std::filesystem;

namespace {

/// scale (p: {factor: f64, values: []f64}) : {0: f64, 1: []f64}: the factor, and the values
/// times the factor; with every kind of type in the interface.
dagaz::tree::Program scale() {
  ProgramBuilder b(Target::cpu);
  const NameId n = b.scalar("n");
  const NameId factor = b.scalar("factor", ScalarType::f64);
  const NameId values = b.block("values");
  const NameId result = b.block("result");
  Function function;
  function.name = "scale";
  function.parameters = {n, factor, values};
  b.emit(Allocate{result, b.op(ScalarOp::mul, ScalarType::i64, {n, number(8)})});
  const NameId i = b.scalar("i");
  b.emit(For{i, n, b.collect([&] {
               const NameId item = b.scalar("item", ScalarType::f64);
               b.emit(Load{item, values, i, ScalarType::f64, Space::global, false});
               const Operand scaled = b.op(ScalarOp::mul, ScalarType::f64, {item, factor});
               b.emit(Store{result, i, scaled, ScalarType::f64, Space::global});
             }),
             {}});
  function.body = std::move(b.code);
  function.results = {factor, result};
  Program& program = b.program;
  const ir::ExternalLeaf number_leaf{ir::ExternalElement::f64, 0};
  const ir::ExternalLeaf array_leaf{ir::ExternalElement::f64, 1};
  const ir::ExternalLeaf tag_leaf{ir::ExternalElement::i8, 0};
  using Kind = ir::ExternalKind;
  program.external_types = {
      {"f64", "f64", Kind::scalar, {number_leaf}, {}},
      {"[]f64", "f64_1d", Kind::array, {array_leaf}, {}, -1, 1},
      {"params", "params", Kind::record, {number_leaf, array_leaf},
       {{"factor", {0}, {}}, {"values", {1}, {}}}},
      {"shape", "shape", Kind::sum, {tag_leaf, number_leaf},
       {{"circle", {0}, {1}}, {"nothing", {}, {}}}},
      {"(f64, f64)", "tup2_f64_f64", Kind::record, {number_leaf, number_leaf},
       {{"0", {0}, {}}, {"1", {0}, {}}}},
      {"[](f64, f64)", "arr1d_tup2_f64_f64", Kind::opaque_array, {array_leaf, array_leaf},
       {{"0", {1}, {}}, {"1", {1}, {}}}, 4, 1}};
  program.functions.push_back(std::move(function));
  ir::EntryPoint entry;
  entry.name = "scale'";
  entry.documentation = "Scales values.\nThe second line */ of text.";
  entry.function = "scale";
  entry.size_parameters = 1;
  entry.inputs = {{"p", 2, false}};
  entry.outputs = {{"", 2, true}};
  program.entries.push_back(entry);
  const ir::Type real = ir::scalar_of(ScalarType::f64);
  const ir::Type reals = ir::array_of(ScalarType::f64, {Operand(n)});
  program.entry_inputs = {{real, reals}};
  program.entry_outputs = {{real, reals}};
  return program;
}

constexpr const char* caller = R"(#include "scale.h"
#include <stdlib.h>
#include <string.h>
#define CHECK(c) do { if (!(c)) { printf("%d: %s\n", __LINE__, #c); return 1; } } while (0)
int main(void) {
  struct scale_context_config *cfg = scale_context_config_new();
  scale_context_config_set_num_threads(cfg, 1);
  scale_context_config_set_default_tile_size(cfg, 16);
  struct scale_context *ctx = scale_context_new(cfg);
  CHECK(scale_context_get_error(ctx) == NULL);
  double data[3] = {1, 2, 3}, copy[3], factor;
  struct scale_f64_1d *xs = scale_new_f64_1d(ctx, data, 3), *ys;
  CHECK(scale_shape_f64_1d(ctx, xs)[0] == 3);
  struct scale_opaque_params *p, *q;
  CHECK(scale_new_opaque_params(ctx, &p, 2.5, xs) == 0);
  CHECK(scale_entry_scalezq(ctx, &q, p) == 0);
  CHECK(scale_context_sync(ctx) == SCALE_SUCCESS);
  CHECK(scale_project_opaque_params_factor(ctx, &factor, q) == 0 && factor == 2.5);
  CHECK(scale_project_opaque_params_values(ctx, &ys, q) == 0);
  CHECK(scale_values_f64_1d(ctx, ys, copy) == 0 && copy[2] == 7.5);
  CHECK(scale_index_f64_1d(ctx, &factor, ys, 1) == 0 && factor == 5.0);
  CHECK(scale_index_f64_1d(ctx, &factor, ys, 3) != 0);
  free(scale_context_get_error(ctx));
  struct scale_opaque_shape *circle, *nothing;
  CHECK(scale_new_opaque_shape_circle(ctx, &circle, 1.5) == 0);
  CHECK(scale_new_opaque_shape_nothing(ctx, &nothing) == 0);
  CHECK(scale_variant_opaque_shape(ctx, nothing) == 1);
  CHECK(scale_destruct_opaque_shape_circle(ctx, &factor, circle) == 0 && factor == 1.5);
  struct scale_opaque_arr1d_tup2_f64_f64 *pairs;
  struct scale_opaque_tup2_f64_f64 *pair;
  CHECK(scale_zip_opaque_arr1d_tup2_f64_f64(ctx, &pairs, xs, ys) == 0);
  CHECK(scale_index_opaque_arr1d_tup2_f64_f64(ctx, &pair, pairs, 2) == 0);
  CHECK(scale_project_opaque_tup2_f64_f64_1(ctx, &factor, pair) == 0 && factor == 7.5);
  void *bytes = NULL; size_t n;
  CHECK(scale_store_opaque_params(ctx, q, &bytes, &n) == 0);
  struct scale_opaque_params *again = scale_restore_opaque_params(ctx, bytes);
  CHECK(again != NULL);
  free(bytes);
  scale_free_opaque_params(ctx, p); scale_free_opaque_params(ctx, q);
  scale_free_opaque_params(ctx, again); scale_free_opaque_shape(ctx, circle);
  scale_free_opaque_shape(ctx, nothing); scale_free_opaque_tup2_f64_f64(ctx, pair);
  scale_free_opaque_arr1d_tup2_f64_f64(ctx, pairs);
  scale_free_f64_1d(ctx, xs); scale_free_f64_1d(ctx, ys);
  scale_context_free(ctx); scale_context_config_free(cfg);
  puts("fine");
  return 0;
}
)";

/// A folder that disappears with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() { REQUIRE(mkdtemp(name_) != nullptr); }
  ~TemporaryFolder() { fs::remove_all(name_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& file) const { return std::string(name_) + "/" + file; }

 private:
  char name_[32] = "/tmp/dagaz_c_XXXXXX";
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a C program calls the interface") {
  auto options = test_options();
  options.prefix = "scale";
  const auto artifacts = generate(scale(), options,
                                  dagaz::codegen::want_object | dagaz::codegen::want_header);
  const TemporaryFolder folder;
  std::ofstream(folder.path("scale.h")) << artifacts.header;
  std::ofstream(folder.path("scale.o"), std::ios::binary) << artifacts.objects.at(0);
  std::ofstream(folder.path("caller.c")) << caller;
  const std::string runtime =
      fs::canonical("/proc/self/exe").parent_path().string() + "/runtime/libdagaz_runtime.a";
  const std::string warnings = "-Wall -Wextra -Wpedantic -Werror ";
  const std::string compile = "cc -std=c99 " + warnings + folder.path("caller.c") + " " +
                              folder.path("scale.o") + " " + runtime +
                              " -lstdc++ -lm -ldl -lpthread -o " + folder.path("caller");
  REQUIRE(std::system(compile.c_str()) == 0);
  const std::string run = folder.path("caller") + " > " + folder.path("output");
  CHECK(std::system(run.c_str()) == 0);
  CHECK(text_of(folder.path("output")) == "fine\n");
  std::ofstream(folder.path("user.cpp")) << "#include \"scale.h\"\n";
  const std::string check = "c++ -fsyntax-only -std=c++17 " + warnings + folder.path("user.cpp");
  CHECK(std::system(check.c_str()) == 0);
}

TEST_CASE("the header and the manifest name the same functions") {
  auto options = test_options();
  options.prefix = "p";
  const auto artifacts = generate(scale(), options, dagaz::codegen::want_header);
  CHECK(artifacts.header.find("int p_entry_scalezq(struct p_context *ctx, struct p_opaque_params "
                              "**out, const struct p_opaque_params *p);") !=
        std::string::npos);
  CHECK(artifacts.header.find("/* Scales values.\n   The second line * / of text. */") !=
        std::string::npos);
  CHECK(artifacts.manifest.find("\"cfun\": \"p_entry_scalezq\"") != std::string::npos);
  CHECK(artifacts.manifest.find("\"zip\": \"p_zip_opaque_arr1d_tup2_f64_f64\"") !=
        std::string::npos);
}
