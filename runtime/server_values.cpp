// The server's commands about the parts of values: arrays, records, sums.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "server.h"

namespace dagaz::runtime {

namespace {

bool is_array(const dz_type& type) {
  return type.kind == DZ_ARRAY_TYPE ||
         (type.kind == DZ_OPAQUE_TYPE && type.opaque_kind == DZ_OPAQUE_ARRAY);
}
bool is_record(const dz_type& type) {
  return type.kind == DZ_OPAQUE_TYPE && type.opaque_kind == DZ_RECORD;
}
bool is_sum(const dz_type& type) {
  return type.kind == DZ_OPAQUE_TYPE && type.opaque_kind == DZ_SUM;
}

bool same_type(const dz_type& a, const dz_type& b) {
  return std::strcmp(a.name, b.name) == 0;
}

/// A decimal number in [0, limit); nothing otherwise.
std::optional<int64_t> number_below(const std::string& text, int64_t limit) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (errno == ERANGE || *end != '\0' || value < 0 || value >= limit) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

void Server::kind(const Words& words) {
  const dz_type& type = describe(type_named(word(words, 0)));
  if (type.kind == DZ_SCALAR_TYPE) {
    say("primitive");
  } else if (is_array(type)) {
    say("array");
  } else if (is_record(type)) {
    say("record");
  } else {
    say(is_sum(type) ? "sum" : "opaque");
  }
}

void Server::type(const Words& words) {
  say(variable(word(words, 0)).description().name);
}

const dz_type& Server::array_type(const ApiValue& value) const {
  if (!is_array(value.description())) {
    throw Failure{"Not an array type"};
  }
  return value.description();
}

int32_t Server::element_type(const dz_type& array) const {
  if (array.kind == DZ_OPAQUE_TYPE) {
    return array.element_type;
  }
  return find_type(element_info(array.leaves[0].element).name);
}

const int64_t* Server::sizes(const ApiValue& array) const {
  return array.description().kind == DZ_ARRAY_TYPE
             ? dzr_array_shape(&context_, array.array())
             : dzr_opaque_array_shape(&context_, array.object());
}

void Server::rank(const Words& words) {
  const dz_type& type = describe(type_named(word(words, 0)));
  if (!is_array(type)) {
    throw Failure{"Not an array type"};
  }
  say(std::to_string(type.rank));
}

void Server::elemtype(const Words& words) {
  const dz_type& type = describe(type_named(word(words, 0)));
  if (!is_array(type)) {
    throw Failure{"Not an array type"};
  }
  say(describe(element_type(type)).name);
}

std::vector<int64_t> Server::read_sizes(const Words& words, int32_t rank) const {
  const auto given = static_cast<int32_t>(words.size()) - 2;
  if (given < rank) {
    throw Failure{"Expected " + std::to_string(rank) + " dimensions, but got " +
                  std::to_string(given) + "."};
  }
  std::vector<int64_t> result;
  for (int32_t i = 0; i < rank; ++i) {
    const std::string& text = words[2 + static_cast<size_t>(i)];
    const std::optional<int64_t> size = number_below(text, LLONG_MAX);
    if (!size) {
      throw Failure{"Invalid size `" + text + "` of dimension " + std::to_string(i + 1) + "."};
    }
    result.push_back(*size);
  }
  return result;
}

/// new_array VARIABLE TYPE SIZE… ELEMENT…
void Server::new_array(const Words& words) {
  const std::string& name = word(words, 0);
  const int32_t type = type_named(word(words, 1));
  check_new(name);
  ApiValue array(context_, type);
  const dz_type& description = array_type(array);
  const std::vector<int64_t> dimensions = read_sizes(words, description.rank);
  const size_t first = 2 + dimensions.size();
  const size_t given = words.size() - first;
  const std::optional<int64_t> count = checked_count(dimensions, sizeof(void*));
  if (!count) {
    throw Failure{"Invalid array size."};
  }
  if (static_cast<size_t>(*count) != given) {
    throw Failure{"Expected " + std::to_string(*count) + " values, but got " +
                  std::to_string(given) + "."};
  }
  const dz_type& element = describe(element_type(description));
  std::vector<const ApiValue*> values;
  for (size_t i = 0; i < given; ++i) {
    const ApiValue& value = variable(words[first + i]);
    if (!same_type(value.description(), element)) {
      throw Failure{"Value " + std::to_string(i) + " mismatch: expected type " + element.name +
                    ", got " + value.description().name};
    }
    values.push_back(&value);
  }
  fill_array(array, values, dimensions);
  define(name, std::move(array));
}

void Server::fill_array(ApiValue& array, const std::vector<const ApiValue*>& values,
                        const std::vector<int64_t>& dimensions) {
  void* const out = array.destination();
  const dz_type& type = array.description();
  if (type.kind == DZ_OPAQUE_TYPE) {
    std::vector<const dz_opaque*> elements;
    for (const ApiValue* value : values) {
      elements.push_back(value->object());
    }
    check(dzr_new_opaque_array(&context_, array.type(), static_cast<dz_opaque**>(out),
                               elements.data(), dimensions.data()));
    return;
  }
  std::string bytes;
  for (const ApiValue* value : values) {
    bytes.append(static_cast<const char*>(value->argument()),
                 static_cast<size_t>(element_info(type.leaves[0].element).bytes));
  }
  dz_array* made = dzr_new_array(&context_, type.leaves[0].element, type.rank, bytes.data(),
                                 dimensions.data());
  check(made == nullptr ? DZ_OUT_OF_MEMORY : DZ_OK);
  *static_cast<dz_array**>(out) = made;
}

std::vector<int64_t> Server::read_indices(const Words& words, size_t first, int32_t rank,
                                          const int64_t* sizes) {
  const size_t given = words.size() - first;
  if (given != static_cast<size_t>(rank)) {
    throw Failure{std::to_string(rank) + " indices expected but " + std::to_string(given) +
                  " values provided."};
  }
  std::vector<int64_t> indices;
  for (size_t i = 0; i < given; ++i) {
    const std::string& text = words[first + i];
    const std::optional<int64_t> index = number_below(text, sizes[i]);
    if (!index) {
      throw Failure{"Invalid index `" + text + "` on dimension " + std::to_string(i + 1) + "."};
    }
    indices.push_back(*index);
  }
  return indices;
}

/// set ARRAY VALUE INDEX…
void Server::set(const Words& words) {
  const std::string& array_name = word(words, 0);
  const std::string& value_name = word(words, 1);
  const ApiValue& array = variable(array_name);
  const ApiValue& value = variable(value_name);
  const dz_type& type = array_type(array);
  const dz_type& element = describe(element_type(type));
  if (!same_type(value.description(), element)) {
    throw Failure{std::string("Type mismatch: expected element of type ") + element.name +
                  ", got " + value.description().name};
  }
  const std::vector<int64_t> indices = read_indices(words, 2, type.rank, sizes(array));
  check(type.kind == DZ_ARRAY_TYPE
            ? dzr_array_set(&context_, array.array(), value.argument(), indices.data())
            : dzr_opaque_array_set(&context_, array.type(), array.object(), value.object(),
                                   indices.data()));
}

void Server::shape(const Words& words) {
  const ApiValue& array = variable(word(words, 0));
  const dz_type& type = array_type(array);
  for (int32_t i = 0; i < type.rank; ++i) {
    say(std::to_string(sizes(array)[i]));
  }
}

/// index RESULT ARRAY INDEX…
void Server::index(const Words& words) {
  const std::string& name = word(words, 0);
  const ApiValue& array = variable(word(words, 1));
  const dz_type& type = array_type(array);
  const std::vector<int64_t> indices = read_indices(words, 2, type.rank, sizes(array));
  check_new(name);
  ApiValue element(context_, element_type(type));
  if (type.kind == DZ_ARRAY_TYPE) {
    check(dzr_array_index(&context_, element.destination(), array.array(), indices.data()));
  } else {
    check(dzr_opaque_array_index(&context_, array.type(),
                                 static_cast<dz_opaque**>(element.destination()), array.object(),
                                 indices.data()));
  }
  define(name, std::move(element));
}

/// The array with its fields as members.
const dz_type& Server::zipped_array(const ApiValue& value, const char* verb) const {
  const dz_type& array = array_type(value);
  if (array.kind != DZ_OPAQUE_TYPE || array.member_count == 0) {
    throw Failure{std::string("Cannot ") + verb + " this array type"};
  }
  return array;
}

/// zip RESULT TYPE ARRAY…
void Server::zip(const Words& words) {
  const std::string& name = word(words, 0);
  const int32_t type = type_named(word(words, 1));
  ApiValue result(context_, type);
  const dz_type& array = zipped_array(result, "zip");
  const size_t given = words.size() - 2;
  if (given != static_cast<size_t>(array.member_count)) {
    throw Failure{std::to_string(array.member_count) + " arrays expected but " +
                  std::to_string(given) + " values provided."};
  }
  std::vector<const void*> arrays;
  for (size_t i = 0; i < given; ++i) {
    const ApiValue& value = variable(words[2 + i]);
    const dz_type& wanted = describe(array.members[i].types[0]);
    if (!same_type(value.description(), wanted)) {
      throw Failure{std::string("Field ") + array.members[i].name + " mismatch: expected type " +
                    wanted.name + ", got " + value.description().name};
    }
    arrays.push_back(value.argument());
  }
  check_new(name);
  check(dzr_zip(&context_, type, static_cast<dz_opaque**>(result.destination()), arrays.data()));
  define(name, std::move(result));
}

/// unzip ARRAY RESULT…
void Server::unzip(const Words& words) {
  const ApiValue& array = variable(word(words, 0));
  const dz_type& type = zipped_array(array, "unzip");
  const size_t given = words.size() - 1;
  if (given != static_cast<size_t>(type.member_count)) {
    throw Failure{std::to_string(type.member_count) + " arrays expected but " +
                  std::to_string(given) + " values provided."};
  }
  std::vector<ApiValue> results;
  for (size_t i = 0; i < given; ++i) {
    check_new(words[1 + i]);
    ApiValue& result = results.emplace_back(context_, type.members[i].types[0]);
    check(dzr_opaque_array_project(&context_, array.type(), static_cast<int>(i),
                                   result.destination(), array.object()));
  }
  for (size_t i = 0; i < given; ++i) {
    define(words[1 + i], std::move(results[i]));
  }
}

void Server::fields(const Words& words) {
  const dz_type& type = describe(type_named(word(words, 0)));
  if (!is_record(type)) {
    throw Failure{"Not a record type"};
  }
  for (int32_t i = 0; i < type.member_count; ++i) {
    say(std::string(type.members[i].name) + " " + describe(type.members[i].types[0]).name);
  }
}

/// new RESULT TYPE FIELD…
void Server::new_record(const Words& words) {
  const std::string& name = word(words, 0);
  const int32_t type = type_named(word(words, 1));
  check_new(name);
  const dz_type& record = describe(type);
  if (!is_record(record)) {
    throw Failure{"Not a record type"};
  }
  const size_t given = words.size() - 2;
  if (given != static_cast<size_t>(record.member_count)) {
    throw Failure{std::to_string(given) + " fields expected but " +
                  std::to_string(record.member_count) + " values provided."};
  }
  std::vector<const void*> values;
  for (size_t i = 0; i < given; ++i) {
    const ApiValue& value = variable(words[2 + i]);
    const dz_type& wanted = describe(record.members[i].types[0]);
    if (!same_type(value.description(), wanted)) {
      throw Failure{std::string("Field ") + record.members[i].name +
                    " mismatch: expected type " + wanted.name + ", got " +
                    value.description().name};
    }
    values.push_back(value.argument());
  }
  ApiValue result(context_, type);
  check(dzr_new_record(&context_, type, static_cast<dz_opaque**>(result.destination()),
                       values.data()));
  define(name, std::move(result));
}

/// project RESULT RECORD FIELD
void Server::project(const Words& words) {
  const std::string& name = word(words, 0);
  const ApiValue& from = variable(word(words, 1));
  const std::string& field = word(words, 2);
  const dz_type& record = from.description();
  if (!is_record(record)) {
    throw Failure{"Not a record type"};
  }
  for (int32_t i = 0; i < record.member_count; ++i) {
    if (field == record.members[i].name) {
      check_new(name);
      ApiValue result(context_, record.members[i].types[0]);
      check(dzr_project(&context_, from.type(), i, result.destination(), from.object()));
      define(name, std::move(result));
      return;
    }
  }
  throw Failure{"No such field"};
}

void Server::variants(const Words& words) {
  const dz_type& type = describe(type_named(word(words, 0)));
  if (!is_sum(type)) {
    throw Failure{"Not a sum type"};
  }
  for (int32_t i = 0; i < type.member_count; ++i) {
    say(type.members[i].name);
    for (int32_t j = 0; j < type.members[i].type_count; ++j) {
      say(std::string("- ") + describe(type.members[i].types[j]).name);
    }
  }
}

/// construct RESULT TYPE VARIANT PAYLOAD…
void Server::construct(const Words& words) {
  const std::string& name = word(words, 0);
  const int32_t type = type_named(word(words, 1));
  const std::string& variant_name = word(words, 2);
  check_new(name);
  const dz_type& sum = describe(type);
  if (!is_sum(sum)) {
    throw Failure{"Not a sum type"};
  }
  int32_t chosen = 0;
  while (chosen < sum.member_count && variant_name != sum.members[chosen].name) {
    ++chosen;
  }
  if (chosen == sum.member_count) {
    throw Failure{"No such variant"};
  }
  const dz_member& member = sum.members[chosen];
  const size_t given = words.size() - 3;
  if (given != static_cast<size_t>(member.type_count)) {
    throw Failure{std::to_string(member.type_count) + " values expected but " +
                  std::to_string(given) + " values provided."};
  }
  std::vector<const void*> values;
  for (size_t i = 0; i < given; ++i) {
    const ApiValue& value = variable(words[3 + i]);
    const dz_type& wanted = describe(member.types[i]);
    if (!same_type(value.description(), wanted)) {
      throw Failure{"Value " + std::to_string(i) + " mismatch: expected type " + wanted.name +
                    ", got " + value.description().name};
    }
    values.push_back(value.argument());
  }
  ApiValue result(context_, type);
  check(dzr_new_sum(&context_, type, chosen, static_cast<dz_opaque**>(result.destination()),
                    values.data()));
  define(name, std::move(result));
}

/// destruct SUM RESULT…
void Server::destruct(const Words& words) {
  const ApiValue& from = variable(word(words, 0));
  if (!is_sum(from.description())) {
    throw Failure{"Not a sum type"};
  }
  const int number = dzr_variant(&context_, from.object());
  const dz_member& member = from.description().members[number];
  const size_t given = words.size() - 1;
  if (given != static_cast<size_t>(member.type_count)) {
    throw Failure{std::to_string(member.type_count) + " variables expected but " +
                  std::to_string(given) + " variables provided.  " + member.name};
  }
  std::vector<ApiValue> results;
  std::vector<void*> outs;
  results.reserve(given);
  for (size_t i = 0; i < given; ++i) {
    check_new(words[1 + i]);
    outs.push_back(results.emplace_back(context_, member.types[i]).destination());
  }
  check(dzr_destruct(&context_, from.type(), number, outs.data(), from.object()));
  for (size_t i = 0; i < given; ++i) {
    define(words[1 + i], std::move(results[i]));
  }
}

void Server::variant(const Words& words) {
  const ApiValue& value = variable(word(words, 0));
  if (!is_sum(value.description())) {
    throw Failure{"Not a sum type"};
  }
  say(value.description().members[dzr_variant(&context_, value.object())].name);
}

}  // namespace dagaz::runtime
