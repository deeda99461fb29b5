/* Messages of a script: how they are written, and how expected lines are compared. See the README, "Messages". */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "text.h"

/* Appends the line to send. 0: it holds a name that has matched nothing yet. `kept`: an object, what names matched. */
int message_sent(const json_t *message, const json_t *kept, text *line);
/* Returns whether a line is the expected message; keeps what a name matches for the first time. */
int message_matches(const json_t *expected, const char *line, json_t *kept);
/* As it stands in the script. */
text message_shown(const json_t *message);

#endif
