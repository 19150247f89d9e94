/*
 * The string and the frame table. What the file says of them are claims: a
 * table ends where the next thing in the file begins, and memory grows with
 * entries that are there.
 *
 * Entries that are missing or refer to missing strings matter to CPython only
 * when a sample uses them. Here they are told at once, as warnings; using
 * them is an error.
 */
#ifndef FORMAT_TACH_TABLES_H
#define FORMAT_TACH_TABLES_H

#include <bobbin/model.h>

#include "format/tach/journal.h"
#include "format/tach/probe.h"

struct spool;

struct tach_tables {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	bob_str *str; /* by index */
	bob_fid *fid; /* by index; 0: it refers to a string that is missing */
	size_t cap_str, cap_fid;
	uint32_t n_str, n_fid; /* that are there */
	uint64_t n_str_uses;   /* by frames */
	char *mended;          /* room for a string that was no UTF-8 */
	size_t cap_mended;
	int has_mended, has_bad_frame; /* their warnings were given */
	int is_tolerant; /* counts are not believed, tables read to their end */
	uint64_t end; /* where the last table that was read ended */
	/* After BOB_FAILED: what is wrong, from where on nothing is known. */
	uint64_t bad_at;
	char why[BOB_MAX_TEXT];
};

void tables_done(struct tach_tables *t);

/*
 * Read bytes [from, to) as n strings, or as n frames of 3 or 7 fields; strings
 * come first. `rest` is how many bytes of the file the table could take if
 * nothing stood behind it, which bounds n. BOB_OK; FAILED: the entries before
 * t->bad_at were read, the table is damaged from there on; FATAL.
 */
int tables_read_strings(struct tach_tables *t, struct spool *s, uint64_t from,
    uint64_t to, uint64_t rest, uint32_t n);
int tables_read_frames(struct tach_tables *t, struct spool *s, uint64_t from,
    uint64_t to, uint64_t rest, uint32_t n, unsigned fields);

/* Adds one entry at the end, for tables that come from elsewhere. BOB_OK or
 * FATAL. */
int tables_add_string(struct tach_tables *t, const char *p, size_t n,
    uint64_t at);

int tables_add_frame(struct tach_tables *t, const struct tach_frame *f,
    unsigned fields, uint64_t at);

/* Checks that n entries fill bytes [from, to) exactly. BOB_OK or FATAL. */
int tables_strings_fit(struct spool *s, uint64_t from, uint64_t to, uint32_t n,
    int *ret);
int tables_frames_fit(struct spool *s, uint64_t from, uint64_t to, uint32_t n,
    unsigned fields, int *ret);

#endif
