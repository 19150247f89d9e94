/* What known functions wait for, and what their callers say about it. */
#include "support.h"

#include "model/waits.h"

#define LIB "/usr/lib/python3.11/"
#define SITE "/srv/venv/lib/python3.11/site-packages/"

static bob_fid
frame_of(struct bob_dict *d, int lang, const char *name, const char *file)
{
	struct bob_frame f = { .lang = (uint8_t)lang };

	f.file = bob_str_put(d, file, strlen(file));
	if (lang == BOB_LANG_PHP)
		assert_int_equal(bob_frame_set_php_name(d, &f, name,
		    strlen(name)), BOB_OK);
	else
		f.name = bob_str_put(d, name, strlen(name));
	return bob_frame_put(d, &f);
}

static const char *
what(void **state, int lang, const char *name, const char *file)
{
	struct own_dict *x = *state;
	const struct wait *w = wait_of(x->d, frame_of(x->d, lang, name, file));

	return w != NULL ? w->what : "nothing";
}

static const char *
caller(void **state, int lang, const char *name, const char *file)
{
	struct own_dict *x = *state;
	const struct wait *w = wait_of_caller(x->d,
	    frame_of(x->d, lang, name, file));

	return w != NULL ? w->what : "nothing";
}

#define PHP(name, want) \
	assert_string_equal(what(state, BOB_LANG_PHP, name, "<internal>"), want)
#define PYTHON(name, file, want) \
	assert_string_equal(what(state, BOB_LANG_PYTHON, name, file), want)
#define NATIVE(name, want) \
	assert_string_equal(what(state, BOB_LANG_NATIVE, name, "libc.so"), want)

static void
functions_of_php(void **state)
{
	PHP("PDOStatement::execute", "the database");
	PHP("mysqli::query", "the database");
	PHP("MongoDB\\Driver\\Manager::executeQuery", "the database");
	PHP("Redis::get", "Redis");
	PHP("curl_exec", "the network");
	PHP("gethostbyname", "DNS");
	PHP("session_start", "the session's file or its lock");
	PHP("usleep", "a timer");
	/* These compute. */
	PHP("PDOStatement::fetchAll", "nothing");
	PHP("pg_escape_string", "nothing");
	PHP("curl_setopt", "nothing");
	PHP("RedisX::get", "nothing");
	/* A function of the program has a file. */
	assert_string_equal(what(state, BOB_LANG_PHP, "sleep", "/app/a.php"),
	    "nothing");
	/* And the trace may not have it. */
	assert_string_equal(what(state, BOB_LANG_PHP, "sleep", ""), "a timer");
}

static void
functions_of_python(void **state)
{
	PYTHON("SocketIO.readinto", LIB "socket.py", "the network");
	PYTHON("readinto", LIB "socket.py", "the network");
	PYTHON("Condition.wait", LIB "threading.py", "another thread");
	PYTHON("DefaultDialect.do_execute", SITE "sqlalchemy/engine/default.py",
	    "the database");
	PYTHON("wait_for_read", "/app/wait.py", "nothing");
	PYTHON("Condition.wait", "/app/threading.py", "nothing");
	PYTHON("loads", LIB "json/__init__.py", "nothing");
}

static void
functions_of_the_c_library(void **state)
{
	NATIVE("__GI___poll", "the network");
	NATIVE("__libc_recv", "the network");
	NATIVE("clock_nanosleep", "a timer");
	NATIVE("__futex_abstimed_wait_common", "a lock");
	NATIVE("memcpy", "nothing");
	NATIVE("___", "nothing");
}

static void
callers_know_it_better(void **state)
{
	assert_string_equal(caller(state, BOB_LANG_PYTHON, "_read_bytes",
	    SITE "pymysql/connections.py"), "the database");
	assert_string_equal(caller(state, BOB_LANG_PYTHON, "communicate",
	    LIB "subprocess.py"), "another process");
	assert_string_equal(caller(state, BOB_LANG_PYTHON, "f",
	    "/app/redis.py"), "nothing");
	assert_string_equal(caller(state, BOB_LANG_PYTHON, "f",
	    "redis/client.py"), "Redis");
	assert_string_equal(caller(state, BOB_LANG_PHP,
	    "Predis\\Connection\\StreamConnection::read",
	    "/app/vendor/predis/x.php"), "Redis");
	assert_string_equal(caller(state, BOB_LANG_PHP, "PDO::query",
	    "<internal>"), "the database");
	assert_string_equal(caller(state, BOB_LANG_PHP, "curl_setopt",
	    "<internal>"), "nothing");
	assert_string_equal(caller(state, BOB_LANG_NATIVE, "PQgetResult",
	    "libpq.so.5"), "the database");
}

#define TEST(f) \
	cmocka_unit_test_setup_teardown(f, own_dict_setup, own_dict_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_of_php),
		TEST(functions_of_python),
		TEST(functions_of_the_c_library),
		TEST(callers_know_it_better),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
