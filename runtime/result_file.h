// Results in a file, as they would be printed.
#pragma once

#include <string>
#include <vector>

#include "api_value.h"

struct dz_rank_messages;

namespace dagaz::runtime {

/// Each of several ranks writes its rows of arrays in a binary form; the first writes everything
/// else. All of them call it.  Returns what is wrong, or nothing.
std::string write_result_file(dz_context& context, const dz_rank_messages* ranks,
                              const std::vector<ApiValue>& values, ValueFormat format,
                              const std::string& path);

}  // namespace dagaz::runtime
