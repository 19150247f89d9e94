/*
 * Standard output and standard error that wait for room even if their
 * descriptor is non-blocking. O_NONBLOCK belongs to all processes that share a
 * pipe or terminal, and any of them may set it at any time. stdio would take
 * EAGAIN for an error and drop the rest.
 */
#ifndef CLI_STREAMS_H
#define CLI_STREAMS_H

/* Replaces stdout and stderr. Call it before the first output. */
void streams_set_up(void);

#endif
