/* Names of a daemon's files, and which of them it deletes. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/daemon.h"

/* The two clocks: the date, which can be set, and the monotonic clock. */
static time_t date;
static uint64_t boot_s;

time_t __wrap_time(time_t *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

time_t
__wrap_time(time_t *ret)
{
	assert_null(ret);
	return date;
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	*ret = (struct timespec){ .tv_sec = clock == CLOCK_REALTIME
		? date : (time_t)boot_s };
	return 0;
}

/* The file that a recorder writes, with those beside it. */
static char *written;

int __wrap_bob_recorder_has(const struct bob_recorder *r, const char *path);

int
__wrap_bob_recorder_has(const struct bob_recorder *r, const char *path)
{
	(void)r;
	return written != NULL && strncmp(path, written, strlen(written)) == 0;
}

static void
pass(uint64_t seconds)
{
	date += (time_t)seconds;
	boot_s += seconds;
}

enum { HOUR = 3600, DAY = 24 * HOUR, YEAR = 365 * DAY };

static void
begin(struct daemon *d, char *dir)
{
	date = 1800000000;
	boot_s = 1000;
	memset(d, 0, sizeof(*d));
	assert_non_null(mkdtemp(dir));
	d->dir = dir;
	d->output.format = bob_format_named("rbt");
	assert_non_null(d->output.format);
}

static void
make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "12345678", 8), 8);
	/* The system's own clock is not ours here. */
	assert_int_equal(futimens(fd, (struct timespec[]){ { .tv_sec = date },
	    { .tv_sec = date } }), 0);
	(void)close(fd);
}

/* A file of a daemon that was written at some date. */
static char *
make_at(const struct daemon *d, const char *name, time_t when)
{
	char *path = malloc(strlen(d->dir) + strlen(name) + 2);
	time_t now = date;

	(void)snprintf(path, strlen(d->dir) + strlen(name) + 2, "%s/%s",
	    d->dir, name);
	date = when;
	make(path);
	date = now;
	return path;
}

static int
is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void
drop(struct daemon *d, char **v, size_t n)
{
	while (n > 0) {
		(void)unlink(v[--n]);
		free(v[n]);
	}
	files_done(d);
	assert_int_equal(rmdir(d->dir), 0);
}

/* Whatever happens to files in the second that their names tell. */
static void
a_name_is_never_given_twice(void **state)
{
	enum { N = 12 };
	char dir[] = "/tmp/bobbin-files-XXXXXX", *path[N];
	struct daemon d;
	size_t i, k;

	(void)state;
	begin(&d, dir);
	d.keep.bytes = 20;
	for (i = 0; i < N; i++) {
		path[i] = files_new_name(&d, "php", 4711);
		assert_non_null(path[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(path[i], path[k]);
		make(path[i]);
		keep_sweep(&d);
	}
	/* Two of them fit into what is kept. */
	for (i = k = 0; i < N; i++) {
		k += unlink(path[i]) == 0;
		free(path[i]);
	}
	assert_int_equal(k, 2);
	files_done(&d);
	assert_int_equal(rmdir(dir), 0);
}

static void
processes_have_names_of_their_own(void **state)
{
	char dir[] = "/tmp/bobbin-files-XXXXXX", *a, *b;
	struct daemon d;

	(void)state;
	begin(&d, dir);
	a = files_new_name(&d, "php", 1);
	b = files_new_name(&d, "php", 2);
	assert_non_null(strstr(a, "/bobbin-php-1-"));
	assert_non_null(strstr(b, "/bobbin-php-2-"));
	/* Neither is the second of its name. */
	assert_null(strstr(a, ".2.rbt"));
	assert_null(strstr(b, ".2.rbt"));
	free(a);
	free(b);
	files_done(&d);
	(void)rmdir(dir);
}

static void
a_file_goes_by_its_age_whatever_the_clock_does(void **state)
{
	char dir[] = "/tmp/bobbin-files-XXXXXX", *path[1];
	struct daemon d;

	(void)state;
	begin(&d, dir);
	d.keep.age_us = (uint64_t)HOUR * 1000000;
	keep_sweep(&d);
	path[0] = make_at(&d, "bobbin-php-1-a.rbt", date);
	keep_sweep(&d);
	date += YEAR;
	keep_sweep(&d);
	assert_true(is_there(path[0]));
	date -= 2 * YEAR;
	pass(HOUR - 1);
	keep_sweep(&d);
	assert_true(is_there(path[0]));
	pass(2);
	keep_sweep(&d);
	assert_false(is_there(path[0]));
	drop(&d, path, 1);
}

/* The date may have been set while no daemon ran. */
static void
files_of_an_earlier_life_age_beside_each_other(void **state)
{
	char dir[] = "/tmp/bobbin-files-XXXXXX", *path[4];
	struct daemon d;

	(void)state;
	begin(&d, dir);
	d.keep.age_us = (uint64_t)7 * DAY * 1000000;
	path[0] = make_at(&d, "bobbin-php-1-a.rbt", date - 9 * DAY);
	path[1] = make_at(&d, "bobbin-php-1-b.rbt", date - 6 * DAY);
	path[2] = make_at(&d, "bobbin-php-1-c.rbt", date);
	path[3] = make_at(&d, "bobbin-php-1-future.rbt", date + 2 * YEAR);
	date += YEAR;
	keep_sweep(&d);
	assert_false(is_there(path[0]));
	assert_true(is_there(path[1]) && is_there(path[2]) &&
	    is_there(path[3]));
	pass(DAY + 1);
	keep_sweep(&d);
	assert_false(is_there(path[1]));
	assert_true(is_there(path[2]) && is_there(path[3]));
	pass(7 * DAY);
	keep_sweep(&d);
	assert_false(is_there(path[2]) || is_there(path[3]));
	drop(&d, path, 4);
}

static void
the_oldest_goes_first_also_when_the_clock_went_back(void **state)
{
	char dir[] = "/tmp/bobbin-files-XXXXXX", *path[3];
	struct daemon d;

	(void)state;
	begin(&d, dir);
	d.keep.bytes = 20;
	keep_sweep(&d);
	path[0] = make_at(&d, "bobbin-php-1-a.rbt", date);
	keep_sweep(&d);
	pass(60);
	date -= DAY;
	path[1] = make_at(&d, "bobbin-php-1-b.rbt", date);
	keep_sweep(&d);
	pass(60);
	date -= DAY;
	path[2] = make_at(&d, "bobbin-php-1-c.rbt", date);
	keep_sweep(&d);
	assert_false(is_there(path[0]));
	assert_true(is_there(path[1]) && is_there(path[2]));
	drop(&d, path, 3);
}

static void
names_go_on_when_the_clock_goes_back(void **state)
{
	enum { N = 2500 };
	char dir[] = "/tmp/bobbin-files-XXXXXX", *first, *path, *before;
	struct daemon d;
	unsigned i;

	(void)state;
	begin(&d, dir);
	first = files_new_name(&d, "php", 1);
	date -= DAY;
	path = files_new_name(&d, "php", 1);
	assert_string_not_equal(first, path);
	/* Up to the second, it is the same. */
	assert_memory_equal(first, path, strlen(first) - strlen(".rbt"));
	free(first);
	for (i = 0; i < N; i++) {
		before = path;
		path = files_new_name(&d, "php", 1);
		assert_non_null(path);
		assert_string_not_equal(before, path);
		assert_true(strncmp(before, path, strlen(dir) +
		    strlen("/bobbin-php-1-20270115T080000Z")) <= 0);
		free(before);
	}
	free(path);
	assert_true(d.given.n <= 1000);
	files_done(&d);
	(void)rmdir(dir);
}

/* TACH and packed files grow under other names. */
static void
what_stands_beside_an_open_file_stays(void **state)
{
	char dir[] = "/tmp/bobbin-files-XXXXXX", *path[4];
	struct daemon d;

	(void)state;
	begin(&d, dir);
	d.keep.bytes = 1;
	path[0] = make_at(&d, "bobbin-bundle-a.bin.part", date);
	path[1] = make_at(&d, "bobbin-bundle-a.bin.part.defs", date);
	path[2] = make_at(&d, "bobbin-bundle-a.bin.live", date);
	path[3] = make_at(&d, "bobbin-bundle-b.bin.part", date);
	written = strndup(path[0], strlen(path[0]) - strlen(".part"));
	keep_sweep(&d);
	assert_true(is_there(path[0]) && is_there(path[1]) &&
	    is_there(path[2]));
	assert_false(is_there(path[3]));
	free(written);
	written = NULL;
	drop(&d, path, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_never_given_twice),
		cmocka_unit_test(processes_have_names_of_their_own),
		cmocka_unit_test(
		    a_file_goes_by_its_age_whatever_the_clock_does),
		cmocka_unit_test(
		    files_of_an_earlier_life_age_beside_each_other),
		cmocka_unit_test(
		    the_oldest_goes_first_also_when_the_clock_went_back),
		cmocka_unit_test(names_go_on_when_the_clock_goes_back),
		cmocka_unit_test(what_stands_beside_an_open_file_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
