/*
 * Shipping: sending the segments of a store (bobbin/store.h) to a server, and
 * knowing of every sample whether it is there. docs/ship.md describes it.
 *
 *     struct bob_target_opts to = { .size = sizeof(to),
 *             .url = "clickhouse://db1/bobbin" };
 *     struct bob_shipper_opts o = { .size = sizeof(o), .to = &to,
 *             .dir = "/var/lib/bobbin" };
 *     uint64_t wait_us;
 *
 *     bob_shipper_new(ctx, &o, &s);
 *     while (!stop && (r = bob_shipper_step(s, &wait_us)) != BOB_FATAL)
 *             if (r != BOB_OK)
 *                     ... sleep for wait_us ...
 *     bob_shipper_free(s);
 *
 * Text in errors may come from the server: see bobbin/chars.h.
 *
 * Threads: a shipper belongs to the thread of its context.
 */
#ifndef BOBBIN_SHIP_H
#define BOBBIN_SHIP_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A server, and how to reach it. Strings must outlive what is made of them. */
struct bob_target_opts {
	size_t size;            /* sizeof(struct bob_target_opts) */
	const char *url;        /* without a password */
	const char *login_file; /* credentials in the format of netrc(5), for
	                         * its owner's eyes only; read again for each
	                         * request. NULL: none */
	const char *user, *password; /* used without a file; may be NULL */
	const char *ca_file;    /* certificates to trust; NULL: the system's */
	unsigned timeout_s;     /* of a request; 0: 300 */
	const volatile int *stop; /* ends a request when it is not 0; may be
	                           * NULL */
};

/* --- tables -------------------------------------------------------------- */

enum bob_fleet_flags {
	BOB_FLEET_DRY_RUN = 1 << 0 /* change nothing */
};

struct bob_fleet_opts {
	size_t size;         /* sizeof(struct bob_fleet_opts) */
	uint32_t flags;      /* enum bob_fleet_flags */
	const char *cluster; /* of the server's configuration: tables are made
	                      * on all its machines, replicated. NULL: one
	                      * machine */
	unsigned keep_days;  /* samples are removed after that; 0: never */
	unsigned keep_sums_days; /* the same for sums per minute and stacks */
	/* Gets each statement before it is run. May be NULL. */
	void (*statement)(void *user, const char *sql);
	void *user;
};

struct bob_fleet_info {
	char version[32];     /* of the server */
	unsigned old_schema;  /* layout of the tables before; 0: none */
	unsigned schema;      /* and now */
	int removes_old;      /* the server removes old samples by itself */
};

/* Creates the tables that samples are shipped to, or changes those that an
 * older bobbin made. Can be repeated. Returns BOB_OK and fills *ret, or
 * FAILED. */
BOB_API int bob_fleet_init(struct bob_ctx *ctx,
    const struct bob_target_opts *to, const struct bob_fleet_opts *opts,
    struct bob_fleet_info *ret);

/* --- shipping ------------------------------------------------------------ */

/* Why samples were given up. */
enum bob_ship_cause {
	BOB_SHIP_FULL = 0,  /* the spool had too many bytes */
	BOB_SHIP_OLD,       /* they waited too long */
	BOB_SHIP_REFUSED,   /* the server does not take them */
	BOB_SHIP_UNDATED,   /* they have no date */
	BOB_SHIP_UNREADABLE, /* the segment cannot be read */
	BOB_SHIP_GONE,      /* the segment was removed before it was linked */
	BOB_N_SHIP_CAUSES
};

/* Returns the name of a cause, such as "full"; NULL if there is no such
 * cause. */
BOB_API const char *bob_ship_cause_name(int cause);

struct bob_shipper_opts {
	size_t size;     /* sizeof(struct bob_shipper_opts) */
	const char *dir; /* a store */
	const struct bob_target_opts *to;
	uint64_t max_bytes; /* of segments that wait; 0: no limit */
	uint64_t max_age_us; /* 0: no limit */
	uint64_t retry_us;  /* the first wait after a failure, which then
	                     * doubles; 0: a second */
	uint64_t scan_us;   /* between two looks at the directory; 0: 10 s */
};

/*
 * How many samples are where. At any time:
 *
 *     recorded = waiting + sent + unknown + acknowledged + expired
 *         + the sum of dropped
 */
struct bob_shipped {
	uint64_t recorded; /* in sealed segments that were found */
	uint64_t waiting;
	uint64_t sent;     /* going out; the server was not asked yet */
	uint64_t unknown;  /* were sent, and it is not known whether they are
	                    * there */
	uint64_t acknowledged; /* the server counts them */
	uint64_t expired;  /* older than what the server keeps */
	uint64_t dropped[BOB_N_SHIP_CAUSES];
	uint64_t n_segments, n_waiting_segments;
	uint64_t bytes_waiting;
	uint64_t bytes_sent;  /* over the network, also what was repeated */
	uint64_t n_failures;  /* attempts that failed */
	uint64_t oldest_us;   /* last time of the oldest segment that waits,
	                       * since 1970; 0: none waits */
};

struct bob_shipper;

/*
 * Opens the spool of a target, which is in the directory, and makes it the
 * caller's: another shipper for the same target fails. Nothing is sent.
 * Returns BOB_OK and sets *ret, or FAILED.
 */
BOB_API int bob_shipper_new(struct bob_ctx *ctx,
    const struct bob_shipper_opts *opts, struct bob_shipper **ret);

/*
 * Does the next thing: looks at the directory, or ships a segment. Returns
 * BOB_OK: call again at once. BOB_AGAIN: nothing to do for *ret_us. FAILED: the
 * target or the directory has failed, as the error says; call again in *ret_us.
 * FATAL: the spool cannot be used.
 */
BOB_API int bob_shipper_step(struct bob_shipper *s, uint64_t *ret_us);

BOB_API struct bob_shipped bob_shipper_counts(const struct bob_shipper *s);

/* Returns the text of the last failure; "" since a segment was shipped. */
BOB_API const char *bob_shipper_trouble(const struct bob_shipper *s);

/* Frees a shipper. What waits, waits. NULL is allowed. */
BOB_API void bob_shipper_free(struct bob_shipper *s);

/* Calls `fn` for each spool of a store, with its target and what its journal
 * says. Needs no server and disturbs no shipper. Returns BOB_OK or FAILED. */
BOB_API int bob_ship_status(struct bob_ctx *ctx, const char *dir,
    void (*fn)(void *user, const char *url, const struct bob_shipped *n),
    void *user);

#ifdef __cplusplus
}
#endif
#endif
