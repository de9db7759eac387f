#pragma once

#include <string>
#include <string_view>

namespace ridgerunner::service {

constexpr std::size_t kLongestId = 128;

// Why a text cannot be the id of a decision or an import ("must be ..."); "" if it can.
std::string event_id_fault(std::string_view id);

// The same for an id that a client gives to something new: it must not look like those the service makes.
std::string new_event_id_fault(std::string_view id);

}  // namespace ridgerunner::service
