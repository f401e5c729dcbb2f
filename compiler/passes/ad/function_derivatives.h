// The functions of a program, and those that differentiation adds: derivatives of functions that
// are called.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "passes/ad/environment.h"
#include "passes/passes.h"

namespace dagaz::passes::ad {

class Functions : public FunctionDerivatives {
 public:
  /// `differentiate` removes the derivatives from the body of a function.
  Functions(ir::Program& program, AdReport* report, std::function<void(ir::Body&)> differentiate)
      : program_(&program), report_(report), differentiate_(std::move(differentiate)) {}

  /// Makes all functions free of derivatives, and adds those that this needs to the program.
  void finish_all();

  const ir::Function& function(const std::string& name) override;
  std::string forward_version(const std::string& name, int directions) override;
  std::string reverse_version(const std::string& name) override;

 private:
  enum class State { untouched, running, finished };
  /// Gives the body of a derivative of the finished function `of`.
  using MakeBody = std::function<ir::Body(const ir::Function& of, ir::Function& derivative)>;

  void finish(const std::string& name);
  bool is_known(const std::string& name) const { return states_.count(name) != 0; }
  void add(ir::Function header, const std::string& of, MakeBody make);
  ir::Function forward_header(const ir::Function& original, int directions);
  ir::Function reverse_header(const ir::Function& original);
  ir::Body forward_body(ir::Function original, int directions, ir::Function& result);
  ir::Body reverse_body(const ir::Function& original, const ir::Function& result);
  ir::Body too_deep_body(const ir::Function& result);

  ir::Program* program_;
  AdReport* report_;
  std::function<void(ir::Body&)> differentiate_;
  std::deque<ir::Function> derived_;
  std::map<std::string, State> states_;
  std::map<std::string, int> orders_;  // of derived functions: how often they were differentiated
  // What is to be made of functions that are not finished.
  std::deque<std::function<void()>> pending_;
};

}  // namespace dagaz::passes::ad
