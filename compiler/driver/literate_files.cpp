#include "driver/literate_files.h"

#include <charconv>
#include <cstring>
#include <fstream>

#include "driver/literate_video.h"
#include "driver/process.h"
#include "half.h"
#include "support/md5.h"
#include "tools/literate/image.h"
#include "tools/literate/plot.h"
#include "tools/literate/sound.h"
#include "values.h"

namespace dagaz::driver {

namespace {

using script::Value;
using tools::literate::Curve;
using tools::literate::DirectiveKind;
using Kind = Value::Kind;
namespace lit = tools::literate;

constexpr double patience = 600;  // seconds for a program that draws or converts

double number_at(const data::Array& array, std::size_t index) {
  const auto width = static_cast<std::size_t>(runtime::element_info(array.element).bytes);
  const char* bytes = array.bytes.data() + index * width;
  if (array.element == DZ_F64) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  if (array.element == DZ_F32) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  }
  if (array.element == DZ_F16) {
    std::uint16_t half;
    std::memcpy(&half, bytes, sizeof half);
    return static_cast<double>(runtime::half_to_float(half));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, width);
  if (array.element >= DZ_U8) return static_cast<double>(bits);
  const auto unused = static_cast<int>(64 - 8 * width);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// The parts of a tuple of vectors of one length; empty for other values.
std::vector<const data::Array*> columns_of(const Value& value) {
  std::vector<const data::Array*> columns;
  if (!script::is_tuple(value)) return columns;
  for (const auto& field : value.fields) {
    const Value& column = field.second;
    const bool fits = column.kind == Kind::array && column.array.shape.size() == 1 &&
                      column.array.element != DZ_BOOL &&
                      (columns.empty() || columns[0]->shape == column.array.shape);
    if (!fits) return {};
    columns.push_back(&column.array);
  }
  return columns;
}

std::optional<Curve> curve_of(const std::string& name, const Value& value) {
  const auto columns = columns_of(value);
  if (columns.size() != 2) return std::nullopt;
  Curve curve{name, {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(columns[0]->shape[0]); ++i) {
    curve.xs.push_back(number_at(*columns[0], i));
    curve.ys.push_back(number_at(*columns[1], i));
  }
  return curve;
}

std::optional<std::vector<Curve>> curves_of(const Value& value) {
  if (auto single = curve_of("", value)) return std::vector<Curve>{std::move(*single)};
  if (value.kind != Kind::record || value.fields.empty()) return std::nullopt;
  std::vector<Curve> curves;
  for (const auto& [name, field] : value.fields) {
    auto curve = curve_of(name, field);
    if (!curve) return std::nullopt;
    curves.push_back(std::move(*curve));
  }
  return curves;
}

// `(500,300)`; nothing for other texts.
std::optional<std::pair<int, int>> parse_size(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '(' || c == ')'; });
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  int width = 0;
  int height = 0;
  std::from_chars(text.data(), text.data() + comma, width);
  std::from_chars(text.data() + comma + 1, text.data() + text.size(), height);
  constexpr int least = 100;
  constexpr int most = 10000;
  if (width < least || height < least || width > most || height > most) return std::nullopt;
  return std::pair(width, height);
}

// A line of text for each element of the columns.
std::string table_of(const std::vector<const data::Array*>& columns) {
  std::string out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(columns[0]->shape[0]); ++i) {
    for (const data::Array* column : columns) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g ", number_at(*column, i));
      out += text;
    }
    out += '\n';
  }
  return out;
}

bool write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  return static_cast<bool>(out.flush());
}

}  // namespace

bool run_tool(const std::vector<std::string>& command, const std::string& input,
              const std::string& purpose, std::string& output, std::string& problem) {
  ProcessResult result = run_process(command, input, patience);
  constexpr int not_found = 127;
  if (result.status == 0 && !result.timed_out) {
    output = std::move(result.output);
    return true;
  }
  problem = result.status == not_found
                ? purpose + " needs `" + command[0] + "`, which is not installed"
                : "`" + command[0] + "` failed:\n" + result.errors;
  while (problem.ends_with('\n')) problem.pop_back();
  return false;
}

std::string LiterateFiles::name_for(const Directive& directive, const std::string& ending) const {
  if (auto file = lit::parameter(directive, "file")) return *file;
  return md5(hash_ + lit::printed(directive, lit::Shown::all)) + "-" + ending;
}

LiterateFiles::Result LiterateFiles::write(const std::string& name, const std::string& bytes,
                                           std::string& problem) const {
  if (write_file(folder_ / name, bytes)) return LiterateFile{name, ""};
  problem = "cannot write `" + (folder_ / name).string() + "`";
  return std::nullopt;
}

LiterateFiles::Result LiterateFiles::make(const Directive& directive, const Value& value,
                                          std::string& problem) {
  switch (directive.kind) {
    case DirectiveKind::result: break;
    case DirectiveKind::image: return image(directive, value, problem);
    case DirectiveKind::plot: return plot(directive, value, problem);
    case DirectiveKind::gnuplot: return gnuplot(directive, value, problem);
    case DirectiveKind::video: return video(directive, value, problem);
    case DirectiveKind::audio: return audio(directive, value, problem);
  }
  return std::nullopt;
}

LiterateFiles::Result LiterateFiles::image(const Directive& directive, const Value& value,
                                           std::string& problem) {
  const auto picture = value.kind == Kind::array ? lit::image_of(value.array) : std::nullopt;
  const std::string png = picture ? lit::write_png(*picture) : "";
  if (png.empty()) {
    problem = "Cannot create image from value of type " + script::type_of(value);
    return std::nullopt;
  }
  return write(name_for(directive, "img.png"), png, problem);
}

LiterateFiles::Result LiterateFiles::plot(const Directive& directive, const Value& value,
                                          std::string& problem) {
  constexpr std::pair usual(640, 400);
  const auto written = lit::parameter(directive, "size");
  const auto size = written ? parse_size(*written) : std::optional(usual);
  if (!size) {
    problem = "`" + *written + "` is no size of a plot, such as (640,400)";
    return std::nullopt;
  }
  const auto curves = curves_of(value);
  if (!curves) {
    problem = "Cannot plot value of type " + script::type_of(value);
    return std::nullopt;
  }
  return write(name_for(directive, "plot.svg"),
               lit::plot_svg(*curves, size->first, size->second), problem);
}

LiterateFiles::Result LiterateFiles::gnuplot(const Directive& directive, const Value& value,
                                             std::string& problem) {
  const TemporaryFolder work;
  std::string script = "set terminal png enhanced\nset output '" + work.path() + "/plot.png'\n";
  for (const auto& [name, field] : value.fields) {
    const auto columns = columns_of(field);
    if (columns.empty() || script::is_tuple(value)) break;
    const std::string file = work.path() + "/" + name;
    write_file(file, table_of(columns));
    script += name + "='" + file + "'\n";
  }
  if (value.kind != Kind::record || value.fields.empty() || script::is_tuple(value)) {
    problem = "Cannot plot value of type " + script::type_of(value);
    return std::nullopt;
  }
  for (const auto& parameter : directive.parameters) script += parameter.second + "\n";
  std::string output;
  if (!run_tool({"gnuplot"}, script, "`:gnuplot`", output, problem)) return std::nullopt;
  std::ifstream in(work.path() + "/plot.png", std::ios::binary);
  const std::string png((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (png.empty()) {
    problem = "the script has drawn nothing";
    return std::nullopt;
  }
  return write(name_for(directive, "plot.png"), png, problem);
}

LiterateFiles::Result LiterateFiles::video(const Directive& directive, const Value& value,
                                           std::string& problem) {
  const std::string format = lit::parameter(directive, "format").value_or("webm");
  if (format != "webm" && format != "gif") {
    problem = "Unknown video format: " + format;
    return std::nullopt;
  }
  const std::string name = name_for(directive, "video." + format);
  const auto bytes = make_video(directive, value, machine_, format, problem);
  if (!bytes) return std::nullopt;
  auto file = write(name, *bytes, problem);
  for (const char* key : {"loop", "autoplay"}) {
    const auto wanted = lit::parameter(directive, key);
    if (!file || !wanted) continue;
    file->attributes += (file->attributes.empty() ? "" : " ") + std::string(key) + "=\"" + *wanted +
                        "\"";
  }
  return file;
}

LiterateFiles::Result LiterateFiles::audio(const Directive& directive, const Value& value,
                                           std::string& problem) {
  const std::string codec = lit::parameter(directive, "codec").value_or("wav");
  int frequency = 44100;
  if (const auto text = lit::parameter(directive, "sampling_frequency")) {
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), frequency);
    if (code != std::errc() || end != text->data() + text->size() || frequency <= 0) {
      problem = "`" + *text + "` is no frequency";
      return std::nullopt;
    }
  }
  auto sound = value.kind == Kind::array ? lit::write_wav(value.array, frequency) : std::nullopt;
  if (!sound) {
    problem = "Cannot create audio from value of type " + script::type_of(value);
    return std::nullopt;
  }
  if (codec != "wav") {
    std::string converted;
    const std::vector<std::string> command{"ffmpeg", "-v", "error", "-i",  "pipe:0",
                                           "-f",     codec, "pipe:1"};
    if (!run_tool(command, *sound, "the codec `" + codec + "`", converted, problem)) {
      return std::nullopt;
    }
    sound = std::move(converted);
  }
  return write(name_for(directive, "output." + codec), *sound, problem);
}

std::optional<Value> load_media(const script::Machine& machine, const std::string& builtin,
                                const std::vector<Value>& arguments, std::string& problem) {
  const bool is_image = builtin == "loadimg";
  if (!is_image && builtin != "loadaudio") return std::nullopt;
  if (arguments.size() != 1 || arguments[0].type != "[]u8") {
    std::string types;
    for (const Value& one : arguments) types += (types.empty() ? "" : ", ") + script::type_of(one);
    problem = "$" + builtin + " does not accept arguments of types: " + types;
    return std::nullopt;
  }
  const std::string name = arguments[0].array.bytes;
  auto bytes = machine.read(name);
  if (!bytes) {
    problem = "cannot read `" + name + "`";
    return std::nullopt;
  }
  const bool is_known = is_image ? bytes->starts_with("\x89PNG") : bytes->starts_with("RIFF");
  if (!is_known) {
    const std::vector<std::string> picture{"ffmpeg", "-v", "error", "-i", "pipe:0", "-f",
                                           "image2pipe", "-c:v", "png", "-frames:v", "1", "pipe:1"};
    const std::vector<std::string> sound{"ffmpeg", "-v", "error", "-i", "pipe:0", "-c:a",
                                         "pcm_f64le", "-f", "wav", "pipe:1"};
    std::string converted;
    if (!run_tool(is_image ? picture : sound, *bytes, "reading `" + name + "`", converted,
                  problem)) {
      return std::nullopt;
    }
    bytes = std::move(converted);
  }
  auto array = is_image ? lit::read_png(*bytes, problem) : lit::read_wav(*bytes, problem);
  if (!array) {
    problem = "`" + name + "`: " + problem;
    return std::nullopt;
  }
  return script::array_value(std::move(*array), false);
}

}  // namespace dagaz::driver
