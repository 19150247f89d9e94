/*
 * The spool of one target: which segments it still has to get, and what became
 * of the others.
 *
 *     DIR/.ship/NAME/journal     see journal.h
 *     DIR/.ship/NAME/lock        held by the one shipper of this target
 *     DIR/.ship/NAME/SEG         a hard link to a segment that waits
 *
 * Invariants:
 * 1. A segment is in the journal before it has a link, and its link is removed
 *    after the journal says that it ended. So after a kill at any point each
 *    segment is either to be shipped or accounted for, and never both.
 * 2. recorded = waiting + sent + unknown + acknowledged + expired + dropped.
 * 3. Lines of the journal can be repeated: a segment is counted once.
 */
#ifndef SHIP_SPOOL_H
#define SHIP_SPOOL_H

#include <bobbin/ship.h>

#include "ship/shiplog.h"

enum spool_state { SPOOL_WAITS, SPOOL_SENT, SPOOL_UNKNOWN };

/* A segment that waits. */
struct spool_entry {
	uint64_t seg;
	uint64_t n_samples, n_bytes, t_first, t_last;
	char *name, *service, *host;
	enum spool_state state;
	unsigned n_refused; /* attempts that nothing can come of */
	struct spool_entry *next; /* of its bucket */
};

/* A file of the directory that needs no look. */
struct spool_known {
	uint64_t name;    /* a part of the hash of its name */
	int is_there;     /* seen by the last scan */
};

struct spool {
	struct bob_ctx *ctx;
	int store, dir, lock; /* descriptors */
	struct shiplog journal;
	char *url;
	struct spool_entry **bucket; /* by seg */
	size_t n_bucket, n_entry;
	struct spool_entry **order; /* by time; made by spool_scanned */
	size_t n_order, cap_order;
	struct spool_known *known; /* sorted by name */
	size_t n_known, cap_known;
	int is_sorted;
	struct bob_shipped n;
};

/* Finds or makes the spool for a target in a store, and locks it. Returns
 * BOB_OK, or FAILED. Call spool_close in either case. */
int spool_open_for(struct spool *s, struct bob_ctx *ctx, const char *store,
    const char *url);
void spool_close_it(struct spool *s);

/* True if a file needs no look; notes that it is there. */
int spool_knows(struct spool *s, const char *name);

/* Adds a sealed segment. Returns BOB_OK, also if it is there already. */
struct bob_segment_info;
int spool_add(struct spool *s, const struct bob_segment_info *info);

/* After all files were seen: forgets those that are gone, and brings the
 * entries into order. BOB_OK or FAILED. */
int spool_scanned(struct spool *s);

/* Return the oldest and the newest entry that spool_scanned has seen; NULL if
 * there is none. */
struct spool_entry *spool_oldest(const struct spool *s);
struct spool_entry *spool_newest(const struct spool *s);

/* Opens the segment of an entry. Returns a descriptor, or -1 with errno. */
int spool_fd(struct spool *s, const struct spool_entry *e);

/* Notes what went over the network. BOB_OK or FAILED. */
int spool_traffic(struct spool *s, uint64_t bytes, uint64_t failures);

/* Note what happens to an entry. BOB_OK or FAILED. */
int spool_sent(struct spool *s, struct spool_entry *e);
int spool_unknown(struct spool *s, struct spool_entry *e);
int spool_waits(struct spool *s, struct spool_entry *e);

/* What became of the samples of a segment. Those that are in none of the counts
 * are added to dropped[rest]; with rest < 0, to unknown. */
struct spool_end {
	uint64_t acknowledged, expired;
	uint64_t dropped[BOB_N_SHIP_CAUSES];
	int rest;
};

/* Ends an entry, which is gone then. BOB_OK or FAILED. */
int spool_end(struct spool *s, struct spool_entry *e,
    const struct spool_end *end);

/* Reads what the journals of a store say; see bob_ship_status. */
int spool_status(struct bob_ctx *ctx, const char *store,
    void (*fn)(void *user, const char *url, const struct bob_shipped *n),
    void *user);

#endif
