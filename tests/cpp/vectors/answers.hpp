// The answers of the callbacks of a script.
#ifndef ANSWERS_HPP
#define ANSWERS_HPP

#include "script.hpp"

#include <wellhead.hpp>

// The exception of a failing callback.
inline const std::runtime_error FAILURE("the callback failed");

// A text in which `{v}` stands for the value of the variable v of `call`, if there is one.
std::string filled(const wellhead::Call &call, const json_t *value);
// Reports progress, a REPORT of the README.
void report(const wellhead::Call &call, const json_t *progress);
void add_item(wellhead::List &r, const json_t *item);

// Gives an ANSWER of the README, its texts filled with the variables of `call`, if there is one.
void answer(wellhead::Read &r, const wellhead::Call &call, const json_t *with);
// Answers with what a `finish` step says.
void answer(wellhead::Read &r, const json_t *with);
void answer(wellhead::List &r, const json_t *with);
void answer(wellhead::Complete &r, const json_t *with);
void answer(wellhead::Method &r, const json_t *with);
void answer(wellhead::Authorize &r, const json_t *with);
void answer(wellhead::Interest &r, const json_t *with);
void answer(wellhead::Verify &r, const json_t *with);

#endif
