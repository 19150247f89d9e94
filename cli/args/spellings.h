/*
 * Names of commands and options in other profilers (reli, py-spy, CPython's
 * profiler), as tables. Their users can type what they know; the parser turns
 * it into options of ours, which is all that commands see.
 */
#ifndef CLI_SPELLINGS_H
#define CLI_SPELLINGS_H

#include "options.h"

enum respelled_flags {
	/* The value is optional: --name or --name=value. */
	RESPELLED_BARE = 1 << 0,
	/* This option and everything behind it are operands. */
	RESPELLED_REST = 1 << 1,
	/* bobbin has no such option: `is` says what to do instead. */
	RESPELLED_REFUSED = 1 << 2
};

/* A value with another meaning, as respelled.is. */
struct respelled_value {
	const char *theirs, *is;
};

struct respelled {
	char letter;      /* 0: long only */
	const char *name; /* NULL: a letter only */
	const char *arg;  /* placeholder of its value; NULL: a switch */
	/*
	 * Options of ours with blanks between, as "to=folded tachyon-names";
	 * in "period=*ns" the value that was given stands for the star. "":
	 * taken, and nothing to do, as it is always so here.
	 */
	const char *is;
	const struct respelled_value *values; /* end with NULL; or NULL */
	unsigned flags;
};

/* Lists of spellings end with a NULL name. */
extern const struct spelling spellings_of_analyze[];
extern const struct spelling spellings_of_convert[];
extern const struct spelling spellings_of_daemon[];
extern const struct spelling spellings_of_explore[];
extern const struct spelling spellings_of_record[];
extern const struct spelling spellings_of_recover[];
extern const struct spelling spellings_of_top[];

/* Options that a command takes under any of its names. Lists end with a NULL
 * `is`. */
extern const struct respelled respelled_record[];
extern const struct respelled respelled_dump[];
extern const struct respelled respelled_stack[];
extern const struct respelled respelled_top[];

/* Finds an option of a list (or NULL) by its long name or letter. NULL:
 * none. */
const struct respelled *respelled_named(const struct respelled *list,
    const char *name, size_t len);
const struct respelled *respelled_lettered(const struct respelled *list,
    char letter);

/* What it means with this value. */
const char *respelled_meaning(const struct respelled *r, const char *value);

/* For people: how it is typed, as "-F, --function", and what it is here; as
 * far as cap allows. */
void respelled_left(const struct respelled *r, char *buf, size_t cap);
void respelled_right(const struct respelled *r, char *buf, size_t cap);

#endif
