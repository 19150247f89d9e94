/*
 * The daemon's side of `bobbin daemon status`: a socket in its directory, which
 * only its owner can enter. A client sends one word, "text" or "json", and gets
 * the state. The daemon never waits for a client: it looks again at its next
 * tick, and closes connections that take too long.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon.h"
#include "print/json.h"
#include "print/plain.h"
#include "print/msg.h"
#include "system/descriptors.h"

#define SOCKET_NAME "daemon.sock"

/* Sets the address of a directory's socket. Returns 1; 0 if its path is too
 * long. */
static int
address_of(const char *dir, struct sockaddr_un *ret)
{
	int n;

	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", dir,
	    SOCKET_NAME);
	return n > 0 && (size_t)n < sizeof(ret->sun_path);
}

/* Does not wait: the other side may never accept the connection. */
int
status_dial(const char *dir)
{
	struct sockaddr_un a;
	int fd, sys;

	if (!address_of(dir, &a)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&a,
	        sizeof(a)) < 0) {
		sys = errno;
		(void)close(fd);
		errno = sys;
		fd = -1;
	}
	return fd;
}

/* Removes the socket that a killed daemon has left, and nothing else. */
static int
make_room(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
		msg_error("%s: in the way: it is not a socket of this "
		    "user", path);
		return -1;
	}
	(void)unlink(path);
	return 0;
}

/* A listening socket that only its owner can use, or -1 and errno. */
static int
listen_at(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0);
	mode_t was = umask(077);
	int r = fd < 0 ? -1 : bind(fd, (const struct sockaddr *)a, sizeof(*a));

	(void)umask(was);
	if (r == 0 && listen(fd, 8) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

int
status_listen(struct daemon *d)
{
	struct sockaddr_un a;
	int fd;

	if (!address_of(d->dir, &a)) {
		msg_error("%s: too long for the path of a socket", d->dir);
		return EXIT_FAILED;
	}
	fd = status_dial(d->dir);
	if (fd >= 0 || errno == EAGAIN) {
		if (fd >= 0)
			(void)close(fd);
		msg_error("%s: another daemon writes there", d->dir);
		msg_hint("bobbin daemon status -o %s shows it; give another "
		    "directory with -o", d->dir);
		return EXIT_FAILED;
	}
	if (make_room(a.sun_path) < 0)
		return EXIT_FAILED;
	fd = listen_at(&a);
	if (fd < 0) {
		msg_error("%s: %s", a.sun_path, strerror(errno));
		return EXIT_FAILED;
	}
	d->listener = fd;
	d->socket = strdup(a.sun_path);
	return EXIT_OK;
}

void
status_unlisten(struct daemon *d)
{
	(void)close(d->listener);
	free(d->socket);
	d->listener = -1;
	d->socket = NULL;
}

static void
asker_leave(struct asker *a)
{
	(void)close(a->fd);
	free(a->text);
}

void
status_close(struct daemon *d)
{
	while (d->n_askers > 0)
		asker_leave(&d->asker[--d->n_askers]);
	if (d->listener < 0)
		return;
	(void)close(d->listener);
	if (d->socket != NULL)
		(void)unlink(d->socket);
	free(d->socket);
	d->listener = -1;
}

static double
rate_of(uint64_t period_ns)
{
	return period_ns > 0 ? 1e9 / (double)period_ns : 0;
}

static const char *
file_of(const struct daemon *d, const struct bob_proc *p)
{
	const char *path = bob_recorder_path(d->recorder, p);

	return path != NULL ? path : "";
}

static void
put_worker(struct json *j, const struct daemon *d, const struct bob_proc *p)
{
	const struct bob_proc_facts *f = bob_proc_facts(p);
	struct bob_capture_counts c;
	int i;

	bob_proc_counts(p, &c);
	json_open(j, NULL, '{');
	json_u64(j, "pid", f->pid);
	json_u64(j, "ppid", f->ppid);
	json_str(j, "runtime", f->runtime);
	json_str(j, "version", f->version);
	json_str(j, "command", f->command);
	json_u64(j, "samples", c.taken);
	json_u64(j, "idle", c.idle);
	json_u64(j, "lost", c.lost);
	json_open(j, "lost_by", '{');
	for (i = 0; i < BOB_N_LOST; i++)
		if (c.lost_by[i] > 0)
			json_u64(j, bob_lost_name(i), c.lost_by[i]);
	json_close(j, '{');
	json_str(j, "file", file_of(d, p));
	json_close(j, '{');
}

/* Where the samples are: sampled = written + pending + those lost by disk,
 * removed or memory. The other causes are why one was not taken. */
static void
put_samples(struct json *j, const struct daemon *d,
    const struct bob_capture_counts *c)
{
	struct bob_recorded sum = bob_recorder_sum(d->recorder);
	uint64_t us;
	const char *why = bob_recorder_blocked(d->recorder, &us);
	int i;

	json_u64(j, "samples", c->taken);
	json_u64(j, "sampled", c->taken);
	json_u64(j, "written", sum.written);
	json_u64(j, "pending", sum.pending);
	json_u64(j, "lost", c->lost);
	json_open(j, "lost_by", '{');
	for (i = 0; i < BOB_N_LOST; i++)
		json_u64(j, bob_lost_name(i), c->lost_by[i]);
	for (i = 0; i < BOB_N_UNKEPT; i++)
		json_u64(j, bob_unkept_name(i), sum.lost[i]);
	json_close(j, '{');
	if (why != NULL)
		json_str(j, "outage", why);
	else
		json_null(j, "outage");
}

static void
show_samples(const struct daemon *d, const struct bob_capture_counts *c,
    FILE *f)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], by[256];
	struct bob_recorded sum = bob_recorder_sum(d->recorder);
	uint64_t us;
	const char *why = bob_recorder_blocked(d->recorder, &us);

	notes_describe_losses(c, &sum, by, sizeof(by));
	(void)fprintf(f, "  up %s, %s: ", number_time(a, d->t_us),
	    number_nouns(b, c->taken, "sample"));
	(void)fprintf(f, "%s written, %s pending\n",
	    number_count(a, sum.written), number_count(b, sum.pending));
	(void)fprintf(f, "  %s lost", number_count(a, c->lost +
	        notes_count_losses(&sum)));
	(void)fprintf(f, "%s%s, %s missed, %.2g %% late, %.2g %% inferred\n",
	    by[0] != '\0' ? ": " : "", by, number_count(b, c->missed),
	    bob_late_percent(c), bob_inferred_percent(c));
	if (why == NULL)
		return;
	(void)fprintf(f, "  nothing can be written since %s: ",
	    number_time(a, us));
	(void)plain_safe_str(f, why);
	(void)fputc('\n', f);
}

static void
put_refused(struct json *j, const struct daemon *d)
{
	struct refused_sum sum[BOB_N_REFUSALS];
	size_t i, k;

	json_open(j, "not_sampled", '{');
	json_u64(j, "count", refused_sum(d, sum));
	json_open(j, "causes", '[');
	for (i = 0; i < BOB_N_REFUSALS; i++) {
		if (sum[i].n == 0)
			continue;
		json_open(j, NULL, '{');
		json_str(j, "cause", bob_refusal_name((int)i));
		json_u64(j, "count", sum[i].n);
		json_open(j, "pids", '[');
		for (k = 0; k < sum[i].n && k < REFUSED_MAX_PIDS; k++)
			json_u64(j, NULL, sum[i].pid[k]);
		json_close(j, '[');
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}

/* Complete files, by what became of them. */
static void
put_sealing(struct json *j, const struct daemon *d)
{
	struct bob_sealed s = { 0 };

	if (d->sealer != NULL)
		s = bob_sealer_counts(d->sealer);
	json_open(j, "sealing", '{');
	json_u64(j, "waiting", s.n_waiting);
	json_u64(j, "sealed", s.n_sealed);
	json_u64(j, "failed", s.n_failed);
	json_u64(j, "cpu_us", s.cpu_us);
	json_close(j, '{');
}

static void
answer_json(const struct daemon *d, FILE *f)
{
	struct json j = { .f = f };
	struct bob_capture_counts c;
	const struct bob_proc *p;
	size_t at = 0;

	bob_sampler_counts(d->sampler, &c);
	json_open(&j, NULL, '{');
	json_u64(&j, "pid", (uint64_t)getpid());
	json_str(&j, "directory", d->dir);
	json_str(&j, "pattern", d->pattern);
	json_double(&j, "uptime_s", (double)d->t_us / 1e6);
	json_double(&j, "rate_hz", rate_of(d->governor.period_ns));
	json_double(&j, "wanted_hz", rate_of(d->governor.wanted_ns));
	json_double(&j, "cpu_percent", 100 * d->governor.load);
	json_double(&j, "max_cpu_percent", 100 * d->governor.limit);
	put_samples(&j, d, &c);
	json_u64(&j, "missed", c.missed);
	json_double(&j, "late_us_p99", bob_late_us(&c, 99));
	json_double(&j, "late_percent", bob_late_percent(&c));
	json_double(&j, "inferred_percent", bob_inferred_percent(&c));
	json_u64(&j, "demoted_s", c.demoted);
	json_u64(&j, "unread", c.unread);
	json_u64(&j, "files", bob_recorder_sum(d->recorder).n_files);
	put_sealing(&j, d);
	put_refused(&j, d);
	json_open(&j, "workers", '[');
	while ((p = workers_next(d, &at)) != NULL)
		put_worker(&j, d, p);
	json_close(&j, '[');
	json_close(&j, '{');
	json_end(&j);
}

/* A line for each cause. */
static void
print_refused(const struct daemon *d, FILE *f)
{
	static const char *const text[BOB_N_REFUSALS] = { "", "",
		"no permission to read them", "out of memory",
		"they have no known runtime",
		"their memory or their files do not answer",
		"they cannot be read", "they have ended" };
	struct refused_sum sum[BOB_N_REFUSALS];
	size_t i, k;

	(void)refused_sum(d, sum);
	for (i = 0; i < BOB_N_REFUSALS; i++) {
		if (sum[i].n == 0)
			continue;
		(void)fprintf(f, "\n  not sampled: %zu process%s: ", sum[i].n,
		    sum[i].n == 1 ? "" : "es");
		if (i == BOB_REFUSED_DESCRIPTORS)
			(void)fprintf(f, "the limit of %llu open files is "
			    "reached", (unsigned long long)
			    descriptors_limit());
		(void)fprintf(f, "%s (", text[i]);
		for (k = 0; k < sum[i].n && k < REFUSED_MAX_PIDS; k++)
			(void)fprintf(f, "%s%llu", k > 0 ? ", " : "",
			    (unsigned long long)sum[i].pid[k]);
		(void)fprintf(f, "%s)", k < sum[i].n ? ", ..." : "");
	}
}

static void
answer_text(const struct daemon *d, FILE *f)
{
	char a[NUMBER_TEXT];
	struct bob_capture_counts c;
	const struct bob_proc *p;
	size_t at = 0;

	bob_sampler_counts(d->sampler, &c);
	(void)fprintf(f, "bobbin daemon %ld: %s in %s\n", (long)getpid(),
	    number_nouns(a, workers_count(d), "worker"), d->dir);
	show_samples(d, &c, f);
	(void)fprintf(f, "  %.4g Hz of %.4g wanted, %.2f %% of a processor",
	    rate_of(d->governor.period_ns), rate_of(d->governor.wanted_ns),
	    100 * d->governor.load);
	if (d->governor.limit > 0)
		(void)fprintf(f, ", at most %.4g %%", 100 *
		    d->governor.limit);
	print_refused(d, f);
	(void)fprintf(f, "\n\n%8s %10s %8s  %s\n", "pid", "samples", "lost",
	    "command");
	while ((p = workers_next(d, &at)) != NULL) {
		bob_proc_counts(p, &c);
		(void)fprintf(f, "%8llu %10llu %8llu  ",
		    (unsigned long long)bob_proc_facts(p)->pid,
		    (unsigned long long)c.taken, (unsigned long long)c.lost);
		(void)plain_safe_str(f, bob_proc_facts(p)->command);
		(void)fputc('\n', f);
	}
}

/* Reads the request and makes the answer. Returns 0 if there will be none. */
static int
asker_hear(const struct daemon *d, struct asker *a)
{
	char word[4];
	ssize_t n = recv(a->fd, word, sizeof(word), MSG_DONTWAIT);
	FILE *f;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	f = n == sizeof(word) ? open_memstream(&a->text, &a->n) : NULL;
	if (f == NULL)
		return 0;
	if (memcmp(word, "json", sizeof(word)) == 0)
		answer_json(d, f);
	else
		answer_text(d, f);
	return fclose(f) == 0;
}

/* Sends as much of the answer as fits. Returns 0 at its end, or if the client
 * is gone. */
static int
asker_tell(struct asker *a)
{
	ssize_t n = 0;

	while (a->done < a->n && (n = send(a->fd, a->text + a->done,
	           a->n - a->done, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
		a->done += (size_t)n;
	return a->done < a->n && n < 0 && (errno == EAGAIN || errno == EINTR);
}

void
status_answer(struct daemon *d)
{
	struct asker *a;
	size_t i = 0;
	int fd, stays;

	while (d->n_askers < MAX_ASKERS &&
	    (fd = accept(d->listener, NULL, NULL)) >= 0)
		d->asker[d->n_askers++] = (struct asker){ .fd = fd,
			.t_us = d->t_us };
	while (i < d->n_askers) {
		a = &d->asker[i];
		stays = a->text != NULL || asker_hear(d, a);
		if (stays && a->text != NULL)
			stays = asker_tell(a);
		if (stays && d->t_us - a->t_us < STATUS_PATIENCE_MS * 1000) {
			i++;
			continue;
		}
		asker_leave(a);
		*a = d->asker[--d->n_askers];
	}
}
