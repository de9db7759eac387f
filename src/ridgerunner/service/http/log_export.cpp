#include "ridgerunner/service/http/log_export.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "ridgerunner/service/http/answer.h"
#include "ridgerunner/service/log/event_json.h"
#include "ridgerunner/service/log/json_text.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kPiece = 64 << 10;

}  // namespace

// One place for a piece: the maker waits until it is free, the taker until it is filled.
struct LogExport::Handover {
  std::mutex mutex;
  std::condition_variable taken;
  std::optional<Piece> piece;
  Taker taker;
  bool cancelled = false;

  // False if nobody wants any more.
  bool give(Piece next) {
    Taker now;
    {
      std::unique_lock lock(mutex);
      taken.wait(lock, [&] { return cancelled || !piece; });
      if (cancelled) return false;
      if (!taker) {
        piece = std::move(next);
        return true;
      }
      now = std::exchange(taker, nullptr);
    }
    now(std::move(next));
    return true;
  }

  void take(Taker next) {
    Piece ready;
    {
      const std::lock_guard lock(mutex);
      if (!piece) {
        taker = std::move(next);
        return;
      }
      ready = std::move(*piece);
      piece.reset();
    }
    taken.notify_one();
    next(std::move(ready));
  }

  void cancel() {
    Taker waiting;
    {
      const std::lock_guard lock(mutex);
      cancelled = true;
      waiting = std::exchange(taker, nullptr);
    }
    taken.notify_one();
    if (waiting) waiting({"", true, "cancelled"});
  }

  void make(const Service& service, const std::string& name, std::uint64_t from) {
    std::string text;
    const auto sink = [&](std::span<const Event> events) {
      for (const Event& event : events) {
        append_event_line(text, event, name);
        if (text.size() < kPiece) continue;
        if (!give({std::exchange(text, {}), false, {}})) return false;
      }
      return true;
    };
    try {
      ExportEnd end;
      service.export_log(name, from, sink, end);
      text += end_line(end);
      give({std::move(text), true, {}});
    } catch (const std::exception& error) {
      text += R"({"type":"error","message":)";
      append_text(text, error.what());
      text += "}\n";
      give({std::move(text), true, error.what()});
    }
  }
};

LogExport::LogExport(const Service& service, std::string name, std::uint64_t from,
                     std::shared_ptr<const void> held)
    : handover_(std::make_shared<Handover>()) {
  auto work = [&service, name = std::move(name), from, held = std::move(held), handover = handover_] {
    handover->make(service, name, from);
  };
  try {
    std::thread(std::move(work)).detach();
  } catch (const std::system_error& error) {
    throw Refusal(Reason::too_many, fmt::format("no thread for the export: {}", error.code().message()));
  }
}

LogExport::~LogExport() {
  cancel();
}

void LogExport::cancel() {
  handover_->cancel();
}

void LogExport::take(Taker taker) {
  handover_->take(std::move(taker));
}

}  // namespace ridgerunner::service
