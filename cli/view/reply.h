/* What the server of `view` replies. */
#ifndef CLI_VIEW_REPLY_H
#define CLI_VIEW_REPLY_H

#include "server.h"
#include "view.h"

/* Answers a question, or gives a file of the page or of the selection. */
void view_reply(struct view *v, const struct request *rq, struct reply *ret);

/* How long that may take, as server_opts.limit: patterns that a person types
 * may take for ever, and a file of the selection reads the inputs again. */
uint64_t view_limit(const struct request *rq);

#endif
