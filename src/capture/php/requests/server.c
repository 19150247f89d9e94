/* Structures of php-fpm, cli-server and Apache that change with each request;
 * see server.h. */
#include "capture/php/requests/server.h"

#include <string.h>

#include "capture/proc/maps.h"
#include "capture/proc/tids.h"

#define FIRST_WAIT_US 10000

/*
 * php-fpm: struct fpm_scoreboard_proc_s, one for each worker, in memory that
 * all workers share. These fields are the same from 7.0 to 8.5; the size of the
 * whole struct is not, so it is searched.
 */
enum {
	BOARD_USED = 16, /* int: 1 */
	BOARD_START = 24, /* time_t */
	BOARD_PID = 32, /* in the pid namespace of the worker */
	BOARD_REQUESTS = 40, /* unsigned long: counted as headers are read */
	BOARD_STAGE = 48, /* enum fpm_request_stage_e: 0 to 6 */
	BOARD_SIZE = 56
};
#define BOARD_MAX_STAGE 6

/* Limit of shared memory that is searched: 3,000 workers take 10 MiB. opcache's
 * memory is shared too; it has at least 8 MiB, and 128 by default. */
#define BOARD_MAX_BYTES ((uint64_t)16 << 20)
#define MAX_BOARDS 32
#define PIECE 16384

/* php_cli_server_client: the address follows server and socket, in all
 * versions. */
enum { CLIENT_ADDRESS = 16, CLIENT_ADDRESS_LEN = 24, CLIENT_SIZE = 32 };

/* php_struct of mod_php, request_rec of Apache 2.4. */
enum { MODULE_REQUEST = 8, APACHE_TIME = 88 };

/* Microseconds of 2001 and 2096: any other word is not taken for a time. */
#define FIRST_TIME UINT64_C(1000000000000000)
#define LAST_TIME UINT64_C(4000000000000000)

struct boards {
	struct {
		uint64_t start, end;
	} v[MAX_BOARDS];
	size_t n;
};

void
server_init(struct server *s, uint64_t module)
{
	memset(s, 0, sizeof(*s));
	s->module = module;
}

/* Reads the name of the server, the first field of sapi_module. */
static enum server_kind
read_kind(const struct server *s, struct mem *m)
{
	static const struct {
		const char *name;
		enum server_kind kind;
	} known[] = {
		{ "fpm-fcgi", SERVER_FPM },
		{ "cli-server", SERVER_CLI },
		{ "apache2handler", SERVER_APACHE },
	};
	char name[16] = "";
	uint64_t at;
	size_t i;

	if (mem_read_u64(m, s->module, &at) < 0 || at == 0 ||
	    mem_read_some(m, at, name, sizeof(name) - 1) <= 0)
		return SERVER_UNKNOWN;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].kind;
	return SERVER_UNKNOWN;
}

static int
add_board(void *user, const struct map_line *l)
{
	struct boards *b = user;

	if (maps_is_shared_memory(l) && b->n < MAX_BOARDS &&
	    l->end - l->start <= BOARD_MAX_BYTES) {
		b->v[b->n].start = l->start;
		b->v[b->n++].end = l->end;
	}
	return BOB_OK;
}

static int
is_worker(const uint8_t *p, int pid)
{
	return mem_u32(p, BOARD_USED) == 1 &&
	    mem_u32(p, BOARD_PID) == (uint32_t)pid &&
	    mem_u64(p, BOARD_START) != 0 &&
	    mem_u32(p, BOARD_STAGE) <= BOARD_MAX_STAGE;
}

/* Searches shared memory for the entry of a worker. Returns the address of its
 * counter; 0 if it is not there. */
static uint64_t
search_board(struct mem *m, uint64_t from, uint64_t to, int pid)
{
	uint8_t piece[PIECE];
	uint64_t at, left;
	long n, i;

	/* Pieces overlap, as an entry may lie across their border. */
	for (at = from; at + BOARD_SIZE <= to; at += PIECE - BOARD_SIZE) {
		left = to - at;
		n = mem_read_some(m, at, piece, left < PIECE ? left : PIECE);
		for (i = 0; i + BOARD_SIZE <= n; i += 8)
			if (is_worker(piece + i, pid))
				return at + (uint64_t)i + BOARD_REQUESTS;
		if (n <= 0)
			break;
	}
	return 0;
}

static uint64_t
find_counter(struct process *p)
{
	struct boards b = { .n = 0 };
	uint64_t at = 0, bytes = 0;
	size_t i;
	int pid = tids_own(p->pid);

	if (pid == 0 || maps_each(p->ctx, p->pid, add_board, &b) < 0)
		return 0;
	for (i = 0; at == 0 && i < b.n && bytes < BOARD_MAX_BYTES; i++) {
		at = search_board(&p->mem, b.v[i].start, b.v[i].end, pid);
		bytes += b.v[i].end - b.v[i].start;
	}
	return at;
}

void
server_look(struct server *s, struct process *p)
{
	if (s->module == 0 || p->time_us < s->t_look ||
	    (s->kind != SERVER_UNKNOWN &&
	        (s->kind != SERVER_FPM || s->counter != 0)))
		return;
	s->wait_us = s->wait_us > 0 ? 2 * s->wait_us : FIRST_WAIT_US;
	s->t_look = p->time_us + s->wait_us;
	s->kind = read_kind(s, &p->mem);
	if (s->kind == SERVER_FPM)
		s->counter = find_counter(p);
}

static int
read_client(struct mem *m, uint64_t context, uint64_t word[SERVER_WORDS])
{
	uint8_t client[CLIENT_SIZE], to[SERVER_WORDS * 8] = { 0 };
	uint32_t n;

	if (mem_read(m, context, client, sizeof(client)) < 0)
		return 0;
	n = mem_u32(client, CLIENT_ADDRESS_LEN);
	if (n == 0 || mem_read(m, mem_u64(client, CLIENT_ADDRESS), to,
	        n < sizeof(to) ? n : sizeof(to)) < 0)
		return 0;
	memcpy(word, to, sizeof(to));
	return 1;
}

static int
read_time(struct mem *m, uint64_t context, uint64_t word[SERVER_WORDS])
{
	uint64_t r, t;

	if (mem_read_u64(m, context + MODULE_REQUEST, &r) < 0 ||
	    mem_read_u64(m, r + APACHE_TIME, &t) < 0 || t < FIRST_TIME ||
	    t > LAST_TIME)
		return 0;
	word[0] = t;
	return 1;
}

int
server_read(const struct server *s, struct mem *m, uint64_t context,
    uint64_t word[SERVER_WORDS])
{
	memset(word, 0, SERVER_WORDS * sizeof(*word));
	switch (s->kind) {
	case SERVER_CLI:
		return read_client(m, context, word);
	case SERVER_APACHE:
		return read_time(m, context, word);
	default:
		return 0;
	}
}
