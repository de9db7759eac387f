#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/http/routes.h"

namespace ridgerunner::service {

// Figures for Prometheus. Any thread may call any member.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  void answered(Call call, int status, double seconds);
  void committed(double seconds, std::size_t events);
  void connections(std::int64_t change);
  void streams(std::int64_t change);

  // Everything as Prometheus reads it, with the service's own figures; `service` may be null while it starts.
  std::string text(const Service* service);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace ridgerunner::service
