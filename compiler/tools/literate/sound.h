// Sound as WAV files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/arrays.h"

namespace dagaz::tools::literate {

/// A vector of samples, or a matrix with a row for each channel; integers use their whole range,
/// floats go from -1 to 1.  Nothing for others.
std::optional<std::string> write_wav(const data::Array& samples, int frequency);
/// A matrix of f64 with a row for each channel; nothing, with `problem` set, if the bytes are no
/// WAV file.
std::optional<data::Array> read_wav(std::string_view bytes, std::string& problem);

}  // namespace dagaz::tools::literate
