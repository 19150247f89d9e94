/*
 * Exit codes, messages on standard error, colours and the progress line.
 * Standard output is for data only.
 *
 * All messages are made harmless for terminals (plain.h): they may contain
 * names from files and processes.
 */
#ifndef CLI_MSG_H
#define CLI_MSG_H

#include <stdint.h>
#include <stdio.h>

#include <bobbin/status.h>

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_GATE = 3,   /* a check that was asked for did not hold */
	EXIT_PARTIAL = 4 /* something could not be read and was skipped */
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Call it before the first message. */
void msg_setup(enum color_when color, int quiet);

int msg_is_quiet(void);

/* `bobbin: …`, then a new line. Notes and warnings are dropped when quiet. */
void msg_error(const char *fmt, ...) BOB_PRINTF(1, 2);
void msg_warn(const char *fmt, ...) BOB_PRINTF(1, 2);
void msg_note(const char *fmt, ...) BOB_PRINTF(1, 2);

/* The same as a note, without the word: what goes on, step by step. */
void msg_step(const char *fmt, ...) BOB_PRINTF(1, 2);

/* `hint: …`: what the user can do. */
void msg_hint(const char *fmt, ...) BOB_PRINTF(1, 2);

/* A line of a report on standard error, without prefix; dropped when quiet. */
void msg_report(const char *fmt, ...) BOB_PRINTF(1, 2);

/* msg_error for lack of memory; returns EXIT_FAILED. */
int msg_no_memory(void);

/* msg_error for a mistake on the command line; returns EXIT_USAGE. */
int msg_usage(const char *fmt, ...) BOB_PRINTF(1, 2);

/* The same for the value of an option: "--top 'x' is not a number", and a
 * hint. */
int msg_value(const char *option, const char *value, const char *what,
    const char *hint);

/* The exit code that an error of the library stands for. */
int msg_exit_code(const struct bob_error *e);

/* msg_error for the last error of the library; returns its exit code. */
int msg_ctx_error(const struct bob_ctx *ctx);

/* A code as a word for JSON that never changes: "corrupt", "io", … */
const char *msg_code_name(int code);

/*
 * Colours, as SGR parameters: "1" bold, "2" dim, "31" red. Both give "" where
 * colour is off for the stream, so that they can stand in any printf.
 */
const char *color_on(const FILE *f, const char *sgr);
const char *color_off(const FILE *f);

/*
 * The progress line: shown on a terminal, from half a second on, ten times a
 * second at most. `total` is 0 when it is not known. Any message wipes it.
 */
void progress_show(uint64_t done, uint64_t total);

/* The same for another line, without control characters. */
void progress_line(const char *line);
void progress_wipe(void);

/* Writes out standard output. EXIT_OK, or EXIT_FAILED after saying why. */
int msg_close_stdout(void);

#endif
