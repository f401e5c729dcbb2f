// The places of everything follow from the sizes of the results alone, so every rank knows where
// its rows go.
#include "result_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "handles.h"
#include "ranks/messages.h"

namespace dagaz::runtime {

namespace {

/// What one rank writes of a file, in the order of the file.
class FileParts {
 public:
  FileParts(dz_context& context, ValueFormat format) : context_(context), format_(format) {}

  bool add(const ApiValue& value);
  std::string write(const dz_rank_messages* ranks, const std::string& path);

 private:
  bool is_first() const { return context_.ranks.index() == 0; }
  void add_text(std::string text);
  bool add_array(const dz_array& array);

  dz_context& context_;
  ValueFormat format_;
  int64_t total_ = 0;
  std::vector<std::unique_ptr<std::string>> kept_;
  std::vector<dz_file_piece> pieces_;
};

/// The first rank's.
void FileParts::add_text(std::string text) {
  const auto bytes = static_cast<int64_t>(text.size());
  if (is_first() && bytes > 0) {
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    pieces_.push_back({total_, bytes, kept_.back()->data()});
  }
  total_ += bytes;
}

bool FileParts::add_array(const dz_array& array) {
  std::string header;
  write_header(header, format_, array.element, shape_of(array));
  add_text(std::move(header));
  const int64_t all = element_total(array) * element_bytes(array);
  const int64_t rows = array.shape[0];
  const int64_t row_bytes = rows == 0 ? 0 : all / rows;
  const Ranks& ranks = context_.ranks;
  std::string own(static_cast<size_t>(ranks.count(rows) * row_bytes), '\0');
  if (dzr_array_values_part(&context_, &array, own.data()) != DZ_OK) {
    return false;
  }
  if (!own.empty()) {
    kept_.push_back(std::make_unique<std::string>(std::move(own)));
    pieces_.push_back({total_ + ranks.first(rows) * row_bytes,
                       static_cast<int64_t>(kept_.back()->size()), kept_.back()->data()});
  }
  total_ += all;
  return true;
}

bool FileParts::add(const ApiValue& value) {
  if (format_ == ValueFormat::text || format_ == ValueFormat::csv) {
    std::string text;
    const bool written = write_leaves(context_, value, format_, text) == DZ_OK;
    add_text(std::move(text));
    return written;
  }
  const dz_type& type = value.description();
  std::vector<dz_leaf> leaves;
  append_leaves(context_, value.type(), value.argument(), leaves);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (type.leaves[i].rank == 0) {
      std::string text;
      write_value(text, format_, type.leaves[i].element, {}, &leaves[i].bits);
      add_text(std::move(text));
    } else if (!add_array(*leaves[i].array)) {
      return false;
    }
    if (format_ == ValueFormat::binary) {
      add_text("\n");
    }
  }
  return true;
}

std::string FileParts::write(const dz_rank_messages* ranks, const std::string& path) {
  const std::string failed = "cannot write " + path + ": ";
  if (ranks != nullptr) {
    std::string why(512, '\0');
    const int status =
        ranks->write_file(ranks->communicator, path.c_str(), total_, pieces_.data(),
                          static_cast<int32_t>(pieces_.size()), why.data());
    return status == 0 ? "" : failed + why.c_str();
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             std::fclose);
  bool written = file != nullptr;
  for (size_t i = 0; i < pieces_.size() && written; ++i) {
    const auto bytes = static_cast<size_t>(pieces_[i].bytes);
    written = std::fwrite(pieces_[i].data, 1, bytes, file.get()) == bytes;
  }
  written = written && std::fflush(file.get()) == 0;
  return written ? "" : failed + std::strerror(errno);
}

}  // namespace

std::string write_result_file(dz_context& context, const dz_rank_messages* ranks,
                              const std::vector<ApiValue>& values, ValueFormat format,
                              const std::string& path) {
  FileParts parts(context, format);
  for (const ApiValue& value : values) {
    if (!parts.add(value)) {
      std::unique_ptr<char, void (*)(void*)> error(dzr_context_get_error(&context), std::free);
      return error == nullptr ? "cannot read the results" : error.get();
    }
  }
  return parts.write(ranks, path);
}

}  // namespace dagaz::runtime
