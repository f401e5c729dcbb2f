// The RIFF format: chunks, of which `fmt ` says what the samples in `data` are.  Samples of all
// channels at one time stand side by side.
#include "tools/literate/sound.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "values.h"

namespace dagaz::tools::literate {

namespace {

constexpr int pcm = 1;         // integers
constexpr int ieee_float = 3;
constexpr int extensible = 0xfffe;  // the format stands further behind
constexpr std::size_t riff_header = 12;
constexpr std::size_t chunk_header = 8;

void append(std::string& out, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t number(std::string_view text, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[at + i]);
  }
  return value;
}

// The files have 8 bits without sign and more with one.
void append_sample(std::string& out, int32_t element, std::string_view sample) {
  const std::size_t at = out.size();
  out += sample;
  if (element == DZ_I8 || element == DZ_U16 || element == DZ_U32) {
    out[at + sample.size() - 1] = static_cast<char>(out[at + sample.size() - 1] ^ '\x80');
  }
}

struct Format {
  int kind = 0;
  std::size_t channels = 0;
  std::size_t bytes = 0;  // of a sample
};

double sample_at(const Format& format, std::string_view text, std::size_t at) {
  if (format.kind == ieee_float && format.bytes == 8) {
    double value;
    std::memcpy(&value, text.data() + at, sizeof value);
    return value;
  }
  if (format.kind == ieee_float) {
    float value;
    std::memcpy(&value, text.data() + at, sizeof value);
    return static_cast<double>(value);
  }
  const std::uint64_t bits = number(text, at, format.bytes);
  if (format.bytes == 1) return (static_cast<double>(bits) - 128) / 128;
  const auto unused = static_cast<int>(64 - 8 * format.bytes);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused)) / 0x1p63;
}

bool is_known(const Format& format) {
  const bool integers = format.kind == pcm && format.bytes >= 1 && format.bytes <= 4;
  const bool floats = format.kind == ieee_float && (format.bytes == 4 || format.bytes == 8);
  return format.channels > 0 && (integers || floats);
}

data::Array samples_of(const Format& format, std::string_view text) {
  const std::size_t times = text.size() / (format.channels * format.bytes);
  data::Array array{DZ_F64,
                    {static_cast<int64_t>(format.channels), static_cast<int64_t>(times)},
                    std::string(times * format.channels * sizeof(double), '\0')};
  for (std::size_t c = 0; c < format.channels; ++c) {
    for (std::size_t t = 0; t < times; ++t) {
      const double value = sample_at(format, text, (t * format.channels + c) * format.bytes);
      std::memcpy(&array.bytes[(c * times + t) * sizeof value], &value, sizeof value);
    }
  }
  return array;
}

}  // namespace

std::optional<std::string> write_wav(const data::Array& samples, int frequency) {
  const bool is_sound = samples.element != DZ_BOOL && samples.element != DZ_I64 &&
                        samples.element != DZ_U64 && samples.element != DZ_F16;
  if (!is_sound || samples.shape.empty() || samples.shape.size() > 2) return std::nullopt;
  const std::size_t channels =
      samples.shape.size() == 1 ? 1 : static_cast<std::size_t>(samples.shape[0]);
  const auto times = static_cast<std::size_t>(samples.shape.back());
  const auto bytes = static_cast<std::size_t>(runtime::element_info(samples.element).bytes);
  std::string out = "RIFF";
  append(out, 36 + samples.bytes.size(), 4);
  out += "WAVEfmt ";
  append(out, 16, 4);
  append(out, samples.element >= DZ_F16 ? ieee_float : pcm, 2);
  append(out, channels, 2);
  append(out, static_cast<std::uint64_t>(frequency), 4);
  append(out, static_cast<std::uint64_t>(frequency) * channels * bytes, 4);
  append(out, channels * bytes, 2);
  append(out, 8 * bytes, 2);
  out += "data";
  append(out, samples.bytes.size(), 4);
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      append_sample(out, samples.element,
                    std::string_view(samples.bytes).substr((c * times + t) * bytes, bytes));
    }
  }
  return out;
}

std::optional<data::Array> read_wav(std::string_view bytes, std::string& problem) {
  if (bytes.size() < riff_header || !bytes.starts_with("RIFF") || bytes.substr(8, 4) != "WAVE") {
    problem = "no WAV file";
    return std::nullopt;
  }
  Format format;
  bytes.remove_prefix(riff_header);
  while (bytes.size() >= chunk_header) {
    const std::string_view name = bytes.substr(0, 4);
    const std::size_t size =
        std::min<std::size_t>(number(bytes, 4, 4), bytes.size() - chunk_header);
    const std::string_view chunk = bytes.substr(chunk_header, size);
    if (name == "fmt " && size >= 16) {
      format = {static_cast<int>(number(chunk, 0, 2)), number(chunk, 2, 2),
                number(chunk, 14, 2) / 8};
      if (format.kind == extensible && size >= 26) {
        format.kind = static_cast<int>(number(chunk, 24, 2));
      }
    }
    if (name == "data" && is_known(format)) return samples_of(format, chunk);
    bytes.remove_prefix(std::min(chunk_header + size + size % 2, bytes.size()));
  }
  problem = "the WAV file has samples of an unknown kind, or none";
  return std::nullopt;
}

}  // namespace dagaz::tools::literate
