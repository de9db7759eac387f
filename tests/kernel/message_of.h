#pragma once

#include <string>

namespace ridgerunner {

// The text of the Error that `action` throws.
template <class Error, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace ridgerunner
