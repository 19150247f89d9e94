/* Names of a daemon's files, and which of them go. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/daemon.h"

static void
begin(struct daemon *d, char *dir)
{
	memset(d, 0, sizeof(*d));
	assert_non_null(mkdtemp(dir));
	d->dir = dir;
	d->target.to = bob_format_named("rbt");
	assert_non_null(d->target.to);
}

static void
make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "12345678", 8), 8);
	(void)close(fd);
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
		files_sweep(&d);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_never_given_twice),
		cmocka_unit_test(processes_have_names_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
