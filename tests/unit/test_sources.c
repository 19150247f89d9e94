/* Directories of source: which file a path of a trace stands for. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/source.h>

#include "support.h"

static char before[4096];

static int
go(void **state)
{
	return own_folder_setup(state) != 0 || getcwd(before,
	    sizeof(before)) == NULL ||
	    chdir(((struct own_folder *)*state)->dir) < 0 ||
	    mkdir("home", 0700) < 0 || mkdir("here", 0700) < 0;
}

static int
leave(void **state)
{
	(void)unlink("home/x.php");
	(void)unlink("home/apple.php");
	(void)unlink("here/x.php");
	(void)rmdir("home");
	(void)rmdir("here");
	return chdir(before) < 0 ? -1 : own_folder_teardown(state);
}

static void
put(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, name, strlen(name)), strlen(name));
	(void)close(fd);
}

/* The file has its own name in it; NULL: it is not to be found. */
static void
assert_opens(const struct bob_sources *s, const char *path, const char *want)
{
	char got[64] = "";
	int fd = bob_sources_open(s, path, strlen(path));

	if (want == NULL) {
		assert_true(fd < 0);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(read(fd, got, sizeof(got) - 1), strlen(want));
	assert_string_equal(got, want);
	(void)close(fd);
}

static void
longest_name_wins(void **state)
{
	struct bob_sources *s = bob_sources_new();

	(void)state;
	put("home/x.php");
	put("home/apple.php");
	put("here/x.php");
	assert_int_equal(bob_sources_add(s, "/srv=home"), 0);
	assert_int_equal(bob_sources_add(s, "/srv/app/=here"), 0);
	assert_int_equal(bob_sources_add(s, "/one.py=home/x.php"), 0);
	assert_int_equal(bob_sources_count(s), 3);
	assert_opens(s, "/srv/x.php", "home/x.php");
	assert_opens(s, "/srv//x.php", "home/x.php");
	assert_opens(s, "/srv/app/x.php", "here/x.php");
	assert_opens(s, "/srv/apple.php", "home/apple.php");
	assert_opens(s, "/one.py", "home/x.php");
	assert_opens(s, "/srvx/x.php", NULL);
	assert_opens(s, "/srv", NULL);
	assert_opens(s, "/one.py/x", NULL);
	/* The directory is the root of what is below it. */
	assert_opens(s, "/srv/app/../x.php", "here/x.php");
	assert_opens(s, "/srv/app/../../home/x.php", NULL);
	assert_opens(s, "", NULL);
	assert_int_equal(bob_sources_open(s, "/srv/x.php\0y", 12), -EINVAL);
	assert_int_equal(bob_sources_open(NULL, "/srv/x.php", 10), -ENOENT);
	assert_int_equal(bob_sources_add(s, "/a=nowhere"), ENOENT);
	assert_int_equal(bob_sources_add(s, "nowhere"), ENOENT);
	bob_sources_free(s);
	bob_sources_free(NULL);
}

static void
a_directory_is_named_as_it_is(void **state)
{
	struct bob_sources *s = bob_sources_new();
	char full[4096], link[4200], name[4300];

	(void)state;
	assert_non_null(getcwd(full, sizeof(full)));
	put("here/x.php");
	assert_int_equal(symlink("here", "link"), 0);
	(void)snprintf(link, sizeof(link), "%s/link", full);
	assert_int_equal(bob_sources_add(s, link), 0);
	(void)snprintf(name, sizeof(name), "%s/x.php", link);
	assert_opens(s, name, "here/x.php");
	(void)snprintf(name, sizeof(name), "%s/here/x.php", full);
	assert_opens(s, name, "here/x.php");
	assert_opens(s, "x.php", "here/x.php");
	bob_sources_free(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(longest_name_wins,
		    go, leave),
		cmocka_unit_test_setup_teardown(a_directory_is_named_as_it_is,
		    go, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
