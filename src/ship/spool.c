/* The spool of one target; see the header. */
#include "ship/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/store.h>

#include "core/mem.h"
#include "core/text.h"
#include "ship/spool_replay.h"

#define FOLDER ".ship"
#define LINK_NAME 24

static void
link_name(char to[LINK_NAME], uint64_t seg)
{
	(void)snprintf(to, LINK_NAME, "%016" PRIx64, seg);
}

static int
fail(struct spool *s, const char *what, const char *name)
{
	return err_sys(s->ctx, BOB_FAILED, errno, "spool: %s %s", what, name);
}

/* --- opening ------------------------------------------------------------- */

/* Opens a folder of ours below `at`, and makes it if it is not there. */
static int
open_folder(struct spool *s, int at, const char *name, int *ret)
{
	struct stat st;

	if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return fail(s, "cannot make", name);
	*ret = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (*ret < 0 || fstat(*ret, &st) < 0)
		return fail(s, "cannot open", name);
	if (st.st_uid == geteuid() && (st.st_mode & 022) == 0)
		return BOB_OK;
	return err_set(s->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "spool: %s belongs to another user, or others may write to it",
	    name);
}

/* The folder of a target: a part of the hash of its address, which may hold
 * anything. */
static void
folder_name(char to[LINK_NAME], const char *url)
{
	link_name(to, spool_hash(url));
}

static int
take_lock(struct spool *s)
{
	s->lock = openat(s->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return fail(s, "cannot open", "lock");
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return BOB_OK;
	return err_set(s->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "another process ships this directory to %s", s->url);
}

static int fit_links(struct spool *s);

int
spool_open_for(struct spool *s, struct bob_ctx *ctx, const char *store,
    const char *url)
{
	char name[LINK_NAME], text[1024];
	int all = -1, r;

	memset(s, 0, sizeof(*s));
	s->ctx = ctx;
	s->dir = s->lock = -1;
	s->url = strdup(url);
	s->store = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->url == NULL)
		return err_nomem(ctx), BOB_FAILED;
	if (s->store < 0)
		return err_sys(ctx, BOB_FAILED, errno, "%s", store);
	folder_name(name, url);
	r = open_folder(s, s->store, FOLDER, &all);
	if (r == BOB_OK)
		r = open_folder(s, all, name, &s->dir);
	if (all >= 0)
		(void)close(all);
	if (r == BOB_OK)
		r = take_lock(s);
	if (r == BOB_OK)
		r = shiplog_open(&s->journal, ctx, s->dir, spool_replay, s);
	if (r == BOB_OK && s->journal.n_lines == 0) {
		shiplog_escape(text, url);
		r = shiplog_add(&s->journal, "url %s", text);
	}
	if (r == BOB_OK)
		r = fit_links(s);
	return r;
}

void
spool_close_it(struct spool *s)
{
	size_t i;

	if (s->ctx == NULL)
		return;
	shiplog_close(&s->journal);
	for (i = 0; i < s->n_bucket; i++)
		while (s->bucket[i] != NULL)
			spool_forget(s, s->bucket[i]);
	free(s->bucket);
	free(s->order);
	free(s->known);
	free(s->url);
	if (s->lock >= 0)
		(void)close(s->lock);
	if (s->dir >= 0)
		(void)close(s->dir);
	if (s->store >= 0)
		(void)close(s->store);
}

/* --- links --------------------------------------------------------------- */

/* Gives an entry its link. Returns BOB_OK, also if the segment is gone; then
 * spool_fd fails with ENOENT. */
static int
link_entry(struct spool *s, const struct spool_entry *e)
{
	char to[LINK_NAME];

	link_name(to, e->seg);
	if (linkat(s->store, e->name, s->dir, to, 0) == 0 ||
	    errno == EEXIST || errno == ENOENT)
		return BOB_OK;
	return fail(s, "cannot link", e->name);
}

/* Removes the links of segments that have ended: a kill may come between. */
static void
sweep(struct spool *s)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	uint64_t seg;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((e = readdir(dir)) != NULL)
		if (strlen(e->d_name) == 16 &&
		    text_get_hex(e->d_name, 16, &seg) &&
		    spool_find(s, seg) == NULL)
			(void)unlinkat(s->dir, e->d_name, 0);
	(void)closedir(dir);
}

/* Makes the links what the journal says. */
static int
fit_links(struct spool *s)
{
	const struct spool_entry *e;
	size_t i;

	for (i = 0; i < s->n_bucket; i++)
		for (e = s->bucket[i]; e != NULL; e = e->next)
			if (link_entry(s, e) < 0)
				return BOB_FAILED;
	sweep(s);
	return BOB_OK;
}

int
spool_fd(struct spool *s, const struct spool_entry *e)
{
	char name[LINK_NAME];

	link_name(name, e->seg);
	return openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* --- what is known ------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const struct spool_known *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

static void
sort_known(struct spool *s)
{
	if (!s->is_sorted && s->n_known > 0)
		qsort(s->known, s->n_known, sizeof(*s->known), by_name);
	s->is_sorted = 1;
}

int
spool_knows(struct spool *s, const char *name)
{
	struct spool_known key = { .name = spool_hash(name) }, *k;

	sort_known(s);
	k = s->n_known == 0 ? NULL : bsearch(&key, s->known, s->n_known,
	    sizeof(key), by_name);
	if (k == NULL)
		return 0;
	k->is_there = 1;
	return 1;
}

static uint64_t
seg_of(const struct bob_segment_info *info)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)info->sha256[i] << 8 * i;
	return v;
}

int
spool_add(struct spool *s, const struct bob_segment_info *info)
{
	char name[3 * 4096 + 2], service[3 * 1024 + 2], host[3 * 1024 + 2];
	uint64_t seg = seg_of(info);

	if (strlen(info->name) > 4096 || strlen(info->service) > 1024 ||
	    strlen(info->host) > 1024)
		return err_set(s->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "spool: a name is too long");
	/* The same content by another name is shipped already. */
	if (spool_find(s, seg) != NULL) {
		if (shiplog_add(&s->journal, "known %" PRIu64,
		        spool_hash(info->name)) < 0)
			return BOB_FAILED;
		return spool_know(s, info->name);
	}
	shiplog_escape(name, info->name);
	shiplog_escape(service, info->service);
	shiplog_escape(host, info->host);
	if (shiplog_add(&s->journal, "queue %" PRIu64 " %" PRIu64 " %" PRIu64
	        " %" PRIu64 " %" PRIu64 " %s %s %s", seg, info->n_samples,
	        info->size, info->t_first, info->t_last, name, service,
	        host) < 0 ||
	    spool_queue(s, &(struct spool_entry){ .seg = seg,
	        .n_samples = info->n_samples, .n_bytes = info->size,
	        .t_first = info->t_first, .t_last = info->t_last,
	        .name = (char *)(uintptr_t)info->name,
	        .service = (char *)(uintptr_t)info->service,
	        .host = (char *)(uintptr_t)info->host }) < 0)
		return BOB_FAILED;
	return link_entry(s, spool_find(s, seg));
}

static int
by_time(const void *a, const void *b)
{
	const struct spool_entry *x = *(struct spool_entry *const *)a;
	const struct spool_entry *y = *(struct spool_entry *const *)b;

	if (x->t_last != y->t_last)
		return x->t_last < y->t_last ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int
bring_into_order(struct spool *s)
{
	struct spool_entry *e;
	size_t i;

	if (MEM_GROW(s->ctx, s, order, s->n_entry) < 0)
		return BOB_FAILED;
	s->n_order = 0;
	for (i = 0; i < s->n_bucket; i++)
		for (e = s->bucket[i]; e != NULL; e = e->next)
			s->order[s->n_order++] = e;
	if (s->n_order > 0)
		qsort(s->order, s->n_order, sizeof(*s->order), by_time);
	return BOB_OK;
}

struct spool_entry *
spool_oldest(const struct spool *s)
{
	return s->n_order > 0 ? s->order[0] : NULL;
}

struct spool_entry *
spool_newest(const struct spool *s)
{
	return s->n_order > 0 ? s->order[s->n_order - 1] : NULL;
}

/* Writes the journal anew when most of its lines are of the past. */
static int
shorten(struct spool *s)
{
	if (s->journal.n_lines < 1000 + 2 * (2 * s->n_entry + s->n_known))
		return BOB_OK;
	if (shiplog_begin_next(&s->journal) < 0 || spool_write_all(s) < 0)
		return BOB_FAILED;
	return shiplog_end_next(&s->journal);
}

int
spool_scanned(struct spool *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_known; i++) {
		if (!s->known[i].is_there)
			continue;
		s->known[n] = s->known[i];
		s->known[n++].is_there = 0;
	}
	s->n_known = n;
	if (s->n_order != s->n_entry && bring_into_order(s) < 0)
		return BOB_FAILED;
	return shorten(s);
}

/* --- events -------------------------------------------------------------- */

int
spool_traffic(struct spool *s, uint64_t bytes, uint64_t failures)
{
	if (bytes == 0 && failures == 0)
		return BOB_OK;
	s->n.bytes_sent += bytes;
	s->n.n_failures += failures;
	return shiplog_add(&s->journal, "traffic %" PRIu64 " %" PRIu64,
	    s->n.bytes_sent, s->n.n_failures);
}

static int
change(struct spool *s, struct spool_entry *e, const char *verb,
    enum spool_state state)
{
	if (shiplog_add(&s->journal, "%s %" PRIu64, verb, e->seg) < 0)
		return BOB_FAILED;
	spool_set_state(s, e, state);
	return BOB_OK;
}

int
spool_sent(struct spool *s, struct spool_entry *e)
{
	return change(s, e, "sent", SPOOL_SENT);
}

int
spool_unknown(struct spool *s, struct spool_entry *e)
{
	return change(s, e, "unknown", SPOOL_UNKNOWN);
}

int
spool_waits(struct spool *s, struct spool_entry *e)
{
	return change(s, e, "waits", SPOOL_WAITS);
}

int
spool_end(struct spool *s, struct spool_entry *e, const struct spool_end *end)
{
	uint64_t v[SPOOL_COUNTS];
	char text[SPOOL_COUNTS * 24], name[LINK_NAME];

	spool_counts_of(e, end, v);
	spool_counts_text(text, v);
	if (shiplog_add(&s->journal, "end %" PRIu64 "%s", e->seg, text) < 0)
		return BOB_FAILED;
	link_name(name, e->seg);
	spool_finish(s, e, v);
	/* A link that stays is removed when the spool is opened again. */
	(void)unlinkat(s->dir, name, 0);
	return BOB_OK;
}
