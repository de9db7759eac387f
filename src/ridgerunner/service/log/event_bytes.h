#pragma once

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// Parts of events as bytes. Each get_ reads what its put() wrote and throws InvalidArgument for
// what it would not have written: one value, one encoding.

void put(ByteWriter& out, bool flag);
void put(ByteWriter& out, const std::optional<double>& value);
void put(ByteWriter& out, const Settings& settings);
void put(ByteWriter& out, const Offered& offered);
void put(ByteWriter& out, const Decision& decision);
void put(ByteWriter& out, const Subject& subject);

bool get_flag(ByteReader& in);
double get_finite(ByteReader& in);
std::optional<double> get_optional(ByteReader& in);
Vector get_vector(ByteReader& in);
Matrix get_matrix(ByteReader& in);
Settings get_settings(ByteReader& in);
Offered get_offered(ByteReader& in);
Decision get_decision(ByteReader& in);
Subject get_subject(ByteReader& in);

}  // namespace ridgerunner::service
