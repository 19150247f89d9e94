/* What functions wait for; see the header. */
#include "model/waits.h"

#include <string.h>

#include "model/known.h"

#define N_OF(v) (sizeof(v) / sizeof((v)[0]))

/* Folders are not looked for in longer paths. */
#define MAX_PATH 4096

enum what {
	BROKER,
	CACHE,
	CONNECTION,
	DATABASE,
	DIRECTORY,
	DNS,
	FILES,
	LOCK,
	MAIL,
	NETWORK,
	PROCESS,
	REDIS,
	SEARCH,
	SERVICE,
	SESSION,
	SSH,
	STREAM,
	TASK,
	THREAD,
	TIMER
};

static const struct wait waits[] = {
	[BROKER] = { "the message broker", 0 },
	[CACHE] = { "the cache", 0 },
	[CONNECTION] = { "a free connection to the database", 0 },
	[DATABASE] = { "the database", 0 },
	[DIRECTORY] = { "the directory server", 0 },
	[DNS] = { "DNS", 0 },
	[FILES] = { "the file system", 0 },
	[LOCK] = { "a lock", 1 },
	[MAIL] = { "the mail server", 0 },
	[NETWORK] = { "the network", 1 },
	[PROCESS] = { "another process", 0 },
	/* A client may use it as its broker. */
	[REDIS] = { "Redis", 1 },
	[SEARCH] = { "the search server", 0 },
	[SERVICE] = { "a remote service", 0 },
	[SESSION] = { "the session's file or its lock", 0 },
	[SSH] = { "an SSH server", 0 },
	[STREAM] = { "a file or the network", 1 },
	[TASK] = { "another task", 1 },
	[THREAD] = { "another thread", 1 },
	[TIMER] = { "a timer", 1 },
};

/* Python: the file (known.h) and the last part of the name; NULL: any. */
static const struct python_wait {
	const char *file, *name;
	uint8_t what;
} python[] = {
	{ "python*/socket.py", "readinto", NETWORK },
	{ "python*/socket.py", "write", NETWORK },
	{ "python*/socket.py", "create_connection", NETWORK },
	{ "python*/socket.py", "getaddrinfo", DNS },
	{ "python*/socket.py", "getfqdn", DNS },
	{ "python*/ssl.py", "read", NETWORK },
	{ "python*/ssl.py", "recv", NETWORK },
	{ "python*/ssl.py", "recv_into", NETWORK },
	{ "python*/ssl.py", "write", NETWORK },
	{ "python*/ssl.py", "send", NETWORK },
	{ "python*/ssl.py", "sendall", NETWORK },
	{ "python*/ssl.py", "do_handshake", NETWORK },
	{ "python*/selectors.py", "select", NETWORK },
	{ "python*/subprocess.py", "wait", PROCESS },
	{ "python*/subprocess.py", "_wait", PROCESS },
	{ "python*/subprocess.py", "_try_wait", PROCESS },
	{ "python*/subprocess.py", "communicate", PROCESS },
	{ "python*/subprocess.py", "_communicate", PROCESS },
	{ "python*/subprocess.py", "_execute_child", PROCESS },
	{ "python*/threading.py", "wait", THREAD },
	{ "python*/threading.py", "wait_for", THREAD },
	{ "python*/threading.py", "join", THREAD },
	{ "python*/threading.py", "_wait_for_tstate_lock", THREAD },
	{ "python*/threading.py", "acquire", LOCK },
	{ "python*/threading.py", "__enter__", LOCK },
	{ "python*/queue.py", "get", THREAD },
	{ "python*/queue.py", "put", THREAD },
	{ "python*/concurrent/futures/_base.py", "result", THREAD },
	{ "python*/concurrent/futures/_base.py", "exception", THREAD },
	{ "python*/concurrent/futures/_base.py", "wait", THREAD },
	{ "python*/multiprocessing/connection.py", "_recv", PROCESS },
	{ "python*/multiprocessing/connection.py", "_send", PROCESS },
	{ "python*/multiprocessing/connection.py", "wait", PROCESS },
	{ "python*/multiprocessing/popen_fork.py", "poll", PROCESS },
	{ "python*/multiprocessing/popen_fork.py", "wait", PROCESS },
	{ "python*/multiprocessing/synchronize.py", "__enter__", LOCK },
	{ "python*/multiprocessing/synchronize.py", "wait", LOCK },
	{ "python*/asyncio/tasks.py", "sleep", TIMER },
	{ "python*/asyncio/locks.py", "acquire", TASK },
	{ "python*/asyncio/locks.py", "wait", TASK },
	{ "python*/asyncio/queues.py", "get", TASK },
	{ "python*/asyncio/queues.py", "put", TASK },
	{ "python*/asyncio/streams.py", "_wait_for_data", NETWORK },
	{ "python*/asyncio/streams.py", "drain", NETWORK },
	{ "python*/asyncio/streams.py", "open_connection", NETWORK },
	{ "python*/asyncio/subprocess.py", "wait", PROCESS },
	{ "python*/asyncio/subprocess.py", "communicate", PROCESS },

	{ "sqlalchemy/engine/default.py", "do_execute", DATABASE },
	{ "sqlalchemy/engine/default.py", "do_execute_no_params", DATABASE },
	{ "sqlalchemy/engine/default.py", "do_executemany", DATABASE },
	{ "sqlalchemy/engine/default.py", "do_commit", DATABASE },
	{ "sqlalchemy/engine/default.py", "do_rollback", DATABASE },
	{ "sqlalchemy/engine/default.py", "connect", DATABASE },
	{ "django/db/backends/utils.py", "_execute", DATABASE },
	{ "django/db/backends/utils.py", "_executemany", DATABASE },
	{ "django/db/backends/base/base.py", "_commit", DATABASE },
	{ "django/db/backends/base/base.py", "_rollback", DATABASE },
	{ "django/db/backends/mysql/base.py", "execute", DATABASE },
	{ "django/db/backends/sqlite3/base.py", "execute", DATABASE },
	{ "django/db/backends/sqlite3/base.py", "executemany", DATABASE },
	{ "peewee.py", "execute_sql", DATABASE },
	{ "psycopg2/__init__.py", "connect", DATABASE },
	{ "psycopg2/extras.py", "execute", DATABASE },
	{ "psycopg2/extras.py", "executemany", DATABASE },
	{ "psycopg2/extras.py", "wait_select", DATABASE },
	{ "psycopg/waiting.py", NULL, DATABASE },
	{ "psycopg_pool/pool.py", "wait", CONNECTION },
	{ "asyncpg/connection.py", "_do_execute", DATABASE },
	{ "asyncpg/connection.py", "__execute", DATABASE },
	{ "asyncpg/connection.py", "execute", DATABASE },
	{ "asyncpg/connection.py", "fetch", DATABASE },
	{ "asyncpg/prepared_stmt.py", NULL, DATABASE },
	{ "asyncpg/pool.py", "acquire", CONNECTION },
	{ "MySQLdb/connections.py", "query", DATABASE },
	{ "MySQLdb/cursors.py", "_query", DATABASE },
	{ "pymysql/connections.py", "_read_bytes", DATABASE },
	{ "mysql/connector/connection_cext.py", "cmd_query", DATABASE },
	{ "mysql/connector/network.py", NULL, DATABASE },
	{ "pymongo/network_layer.py", NULL, DATABASE },
	{ "pymongo/network.py", "wait_for_read", DATABASE },
	{ "redis/connection.py", "_connect", REDIS },
	{ "redis/connection.py", "can_read", REDIS },
	{ "redis/connection.py", "send_packed_command", REDIS },
	{ "redis/_parsers/socket.py", "_read_from_socket", REDIS },
	{ "redis/_parsers/hiredis.py", "read_from_socket", REDIS },
	{ "redis/_parsers/hiredis.py", "read_response", REDIS },
	{ "pymemcache/client/base.py", "_recv", CACHE },
	{ "pymemcache/client/base.py", "_connect", CACHE },
	{ "amqp/transport.py", "_read", BROKER },
	{ "amqp/transport.py", "_connect", BROKER },
	{ "urllib3/util/connection.py", "create_connection", NETWORK },
	{ "urllib3/util/wait.py", NULL, NETWORK },
	{ "httpcore/_backends/sync.py", "read", NETWORK },
	{ "httpcore/_backends/sync.py", "write", NETWORK },
	{ "httpcore/_backends/sync.py", "connect_tcp", NETWORK },
	{ "httpcore/_backends/sync.py", "start_tls", NETWORK },
	{ "aiohttp/streams.py", "_wait", NETWORK },
	{ "aiohttp/connector.py", "connect", NETWORK },
	{ "aiohttp/client_reqrep.py", "start", NETWORK },
	{ "filelock/_api.py", "acquire", LOCK },
	{ "filelock/_unix.py", "_acquire", LOCK },
	{ "tenacity/nap.py", "sleep", TIMER },
};

/* Python: a file, or a folder, whose functions wait for it. */
static const struct python_client {
	const char *path;
	uint8_t what;
} python_clients[] = {
	{ "sqlalchemy/util/queue.py", CONNECTION },
	{ "psycopg_pool", CONNECTION },
	{ "pymysql", DATABASE },
	{ "aiomysql", DATABASE },
	{ "MySQLdb", DATABASE },
	{ "mysql/connector", DATABASE },
	{ "psycopg", DATABASE },
	{ "psycopg2", DATABASE },
	{ "asyncpg", DATABASE },
	{ "pymongo", DATABASE },
	{ "motor", DATABASE },
	{ "cassandra", DATABASE },
	{ "clickhouse_connect", DATABASE },
	{ "clickhouse_driver", DATABASE },
	{ "sqlalchemy", DATABASE },
	{ "django/db", DATABASE },
	{ "redis", REDIS },
	{ "valkey", REDIS },
	{ "pymemcache", CACHE },
	{ "amqp", BROKER },
	{ "kombu", BROKER },
	{ "rq/queue.py", BROKER },
	{ "dramatiq/brokers", BROKER },
	{ "pika", BROKER },
	{ "kafka", BROKER },
	{ "elastic_transport", SEARCH },
	{ "elasticsearch", SEARCH },
	{ "opensearchpy", SEARCH },
	{ "botocore", SERVICE },
	{ "grpc", SERVICE },
	{ "zeep", SERVICE },
	{ "paramiko", SSH },
	{ "asyncssh", SSH },
	{ "ldap3", DIRECTORY },
	{ "python*/smtplib.py", MAIL },
	{ "python*/imaplib.py", MAIL },
	{ "python*/poplib.py", MAIL },
	{ "python*/subprocess.py", PROCESS },
};

/* PHP: the full name, or with "*" the beginning of it. */
struct php_wait {
	const char *name;
	uint8_t what;
};

static const struct php_wait php[] = {
	{ "PDO::__construct", DATABASE },
	{ "PDO::connect", DATABASE },
	{ "PDO::query", DATABASE },
	{ "PDO::exec", DATABASE },
	{ "PDO::prepare", DATABASE },
	{ "PDO::beginTransaction", DATABASE },
	{ "PDO::commit", DATABASE },
	{ "PDO::rollBack", DATABASE },
	{ "PDOStatement::execute", DATABASE },
	{ "PDOStatement::nextRowset", DATABASE },
	{ "mysqli::*", DATABASE },
	{ "mysqli_stmt::*", DATABASE },
	{ "mysqli_connect", DATABASE },
	{ "mysqli_real_connect", DATABASE },
	{ "mysqli_query", DATABASE },
	{ "mysqli_real_query", DATABASE },
	{ "mysqli_multi_query", DATABASE },
	{ "mysqli_execute_query", DATABASE },
	{ "mysqli_prepare", DATABASE },
	{ "mysqli_execute", DATABASE },
	{ "mysqli_stmt_execute", DATABASE },
	{ "mysqli_stmt_prepare", DATABASE },
	{ "mysqli_stmt_store_result", DATABASE },
	{ "mysqli_store_result", DATABASE },
	{ "mysqli_next_result", DATABASE },
	{ "mysqli_begin_transaction", DATABASE },
	{ "mysqli_commit", DATABASE },
	{ "mysqli_rollback", DATABASE },
	{ "mysqli_ping", DATABASE },
	{ "mysqli_poll", DATABASE },
	{ "mysqli_reap_async_query", DATABASE },
	{ "pg_connect", DATABASE },
	{ "pg_pconnect", DATABASE },
	{ "pg_query", DATABASE },
	{ "pg_query_params", DATABASE },
	{ "pg_prepare", DATABASE },
	{ "pg_execute", DATABASE },
	{ "pg_get_result", DATABASE },
	{ "pg_put_line", DATABASE },
	{ "pg_end_copy", DATABASE },
	{ "pg_copy_from", DATABASE },
	{ "pg_copy_to", DATABASE },
	{ "pg_insert", DATABASE },
	{ "pg_select", DATABASE },
	{ "pg_update", DATABASE },
	{ "pg_delete", DATABASE },
	{ "SQLite3::query", DATABASE },
	{ "SQLite3::querySingle", DATABASE },
	{ "SQLite3::exec", DATABASE },
	{ "SQLite3Stmt::execute", DATABASE },
	{ "oci_connect", DATABASE },
	{ "oci_pconnect", DATABASE },
	{ "oci_execute", DATABASE },
	{ "oci_commit", DATABASE },
	{ "sqlsrv_connect", DATABASE },
	{ "sqlsrv_query", DATABASE },
	{ "sqlsrv_execute", DATABASE },
	{ "odbc_connect", DATABASE },
	{ "odbc_exec", DATABASE },
	{ "odbc_execute", DATABASE },
	{ "MongoDB\\Driver\\*", DATABASE },
	{ "Redis::*", REDIS },
	{ "RedisArray::*", REDIS },
	{ "RedisCluster::*", REDIS },
	{ "RedisSentinel::*", REDIS },
	{ "Memcache::*", CACHE },
	{ "Memcached::*", CACHE },
	{ "memcache_*", CACHE },
	{ "curl_exec", NETWORK },
	{ "curl_multi_exec", NETWORK },
	{ "curl_multi_select", NETWORK },
	{ "fsockopen", NETWORK },
	{ "pfsockopen", NETWORK },
	{ "get_headers", NETWORK },
	{ "stream_socket_client", NETWORK },
	{ "stream_socket_enable_crypto", NETWORK },
	{ "stream_socket_recvfrom", NETWORK },
	{ "stream_socket_sendto", NETWORK },
	{ "stream_select", NETWORK },
	{ "socket_connect", NETWORK },
	{ "socket_read", NETWORK },
	{ "socket_recv", NETWORK },
	{ "socket_recvfrom", NETWORK },
	{ "socket_recvmsg", NETWORK },
	{ "socket_select", NETWORK },
	{ "socket_send", NETWORK },
	{ "socket_write", NETWORK },
	{ "ftp_*", NETWORK },
	{ "file_get_contents", STREAM },
	{ "file_put_contents", STREAM },
	{ "fopen", STREAM },
	{ "fread", STREAM },
	{ "fgets", STREAM },
	{ "fgetc", STREAM },
	{ "fwrite", STREAM },
	{ "fputs", STREAM },
	{ "fflush", STREAM },
	{ "fpassthru", STREAM },
	{ "readfile", STREAM },
	{ "copy", STREAM },
	{ "getimagesize", STREAM },
	{ "stream_get_contents", STREAM },
	{ "stream_get_line", STREAM },
	{ "stream_copy_to_stream", STREAM },
	{ "fsync", FILES },
	{ "fdatasync", FILES },
	{ "unlink", FILES },
	{ "rename", FILES },
	{ "mkdir", FILES },
	{ "rmdir", FILES },
	{ "touch", FILES },
	{ "move_uploaded_file", FILES },
	{ "scandir", FILES },
	{ "readdir", FILES },
	{ "glob", FILES },
	{ "stat", FILES },
	{ "is_file", FILES },
	{ "is_dir", FILES },
	{ "file_exists", FILES },
	{ "filemtime", FILES },
	{ "filesize", FILES },
	{ "session_start", SESSION },
	{ "session_write_close", SESSION },
	{ "session_regenerate_id", SESSION },
	{ "SessionHandler::*", SESSION },
	{ "flock", LOCK },
	{ "sem_acquire", LOCK },
	{ "SyncMutex::lock", LOCK },
	{ "SyncSemaphore::lock", LOCK },
	{ "SyncReaderWriter::readlock", LOCK },
	{ "SyncReaderWriter::writelock", LOCK },
	{ "SyncEvent::wait", LOCK },
	{ "sleep", TIMER },
	{ "usleep", TIMER },
	{ "time_nanosleep", TIMER },
	{ "time_sleep_until", TIMER },
	{ "exec", PROCESS },
	{ "shell_exec", PROCESS },
	{ "system", PROCESS },
	{ "passthru", PROCESS },
	{ "popen", PROCESS },
	{ "pclose", PROCESS },
	{ "proc_open", PROCESS },
	{ "proc_close", PROCESS },
	{ "pcntl_wait", PROCESS },
	{ "pcntl_waitpid", PROCESS },
	{ "gethostbyname", DNS },
	{ "gethostbynamel", DNS },
	{ "gethostbyaddr", DNS },
	{ "dns_get_record", DNS },
	{ "dns_get_mx", DNS },
	{ "getmxrr", DNS },
	{ "checkdnsrr", DNS },
	{ "dns_check_record", DNS },
	{ "AMQPConnection::*", BROKER },
	{ "AMQPChannel::*", BROKER },
	{ "AMQPExchange::*", BROKER },
	{ "AMQPQueue::*", BROKER },
	{ "RdKafka\\*", BROKER },
	{ "Stomp::*", BROKER },
	{ "SoapClient::*", SERVICE },
	{ "mail", MAIL },
	{ "mb_send_mail", MAIL },
	{ "imap_*", MAIL },
	{ "ldap_*", DIRECTORY },
	{ "ssh2_*", SSH },
};

static const struct php_wait php_clients[] = {
	{ "Predis\\*", REDIS },
	{ "Illuminate\\Redis\\*", REDIS },
	{ "Doctrine\\DBAL\\*", DATABASE },
	{ "Illuminate\\Database\\*", DATABASE },
	{ "MongoDB\\*", DATABASE },
	{ "PhpAmqpLib\\*", BROKER },
	{ "Elastic\\*", SEARCH },
	{ "Elasticsearch\\*", SEARCH },
	{ "OpenSearch\\*", SEARCH },
	{ "AsyncAws\\*", SERVICE },
	{ "Aws\\*", SERVICE },
	{ "Google\\Cloud\\*", SERVICE },
	{ "PHPMailer\\*", MAIL },
	{ "Swift_*", MAIL },
	{ "Symfony\\Component\\Mailer\\*", MAIL },
	{ "Symfony\\Component\\Process\\*", PROCESS },
	{ "phpseclib3\\Net\\*", SSH },
};

/* Symbols of the C library, without what is before them (see symbol_of), and of
 * others. */
static const struct native_wait {
	const char *name;
	uint8_t what;
} native[] = {
	{ "nanosleep", TIMER },
	{ "clock_nanosleep", TIMER },
	{ "futex_abstimed_wait_common", LOCK },
	{ "futex_abstimed_wait_common64", LOCK },
	{ "lll_lock_wait", LOCK },
	{ "lll_lock_wait_private", LOCK },
	{ "pthread_cond_wait", LOCK },
	{ "pthread_cond_timedwait", LOCK },
	{ "pthread_mutex_lock", LOCK },
	{ "pthread_clockjoin_ex", THREAD },
	{ "sem_wait", LOCK },
	{ "semop", LOCK },
	{ "flock", LOCK },
	{ "connect", NETWORK },
	{ "poll", NETWORK },
	{ "ppoll", NETWORK },
	{ "select", NETWORK },
	{ "select64", NETWORK },
	{ "pselect", NETWORK },
	{ "epoll_wait", NETWORK },
	{ "epoll_pwait", NETWORK },
	{ "recv", NETWORK },
	{ "recvfrom", NETWORK },
	{ "recvmsg", NETWORK },
	{ "read", STREAM },
	{ "readv", STREAM },
	{ "fsync", FILES },
	{ "fdatasync", FILES },
	{ "pread64", FILES },
	{ "pwrite64", FILES },
	{ "openat64", FILES },
	{ "wait4", PROCESS },
	{ "waitpid", PROCESS },
	{ "waitid", PROCESS },
	{ "getaddrinfo", DNS },
};

/* Clients in C: the beginning of their functions' names. */
static const struct native_wait native_clients[] = {
	{ "PQ", DATABASE },
	{ "mysql_", DATABASE },
	{ "mysqlnd_", DATABASE },
	{ "mongoc_", DATABASE },
	{ "redis", REDIS },
	{ "memcached_", CACHE },
	{ "amqp_", BROKER },
	{ "rd_kafka_", BROKER },
	{ "ldap_", DIRECTORY },
	{ "libssh2_", SSH },
	{ "res_nsend", DNS },
	{ "getaddrinfo", DNS },
	{ "gethostbyname", DNS },
};

static int
begins_with(struct bob_bytes s, const char *start, size_t n)
{
	return s.n >= n && memcmp(s.p, start, n) == 0;
}

static const struct wait *
wait_of_python(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes name = bob_str_get(d, f->name);
	struct bob_bytes file = bob_str_get(d, f->file);
	size_t i;

	for (i = 0; i < N_OF(python); i++)
		if ((python[i].name == NULL ||
		        known_python(name, python[i].name)) &&
		    known_file(file, python[i].file))
			return &waits[python[i].what];
	return NULL;
}

/* Returns 1 if a folder of this name, which may have "/" in it, is in a
 * path. */
static int
is_below(struct bob_bytes path, const char *folder)
{
	size_t n = strlen(folder), i;

	for (i = 0; i + n < path.n; i++)
		if ((i == 0 || path.p[i - 1] == '/') && path.p[i + n] == '/' &&
		    memcmp(path.p + i, folder, n) == 0)
			return 1;
	return 0;
}

static const struct wait *
client_of_python(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes file = bob_str_get(d, f->file);
	size_t i;

	for (i = 0; file.n <= MAX_PATH && i < N_OF(python_clients); i++) {
		const char *path = python_clients[i].path;

		if (strchr(path, '.') != NULL ? known_file(file, path)
		                              : is_below(file, path))
			return &waits[python_clients[i].what];
	}
	return NULL;
}

static const struct wait *
find_php(const struct bob_dict *d, bob_fid id, const struct php_wait *table,
    size_t n)
{
	char buf[KNOWN_NAME];
	struct bob_bytes name = known_php(d, id, buf);
	size_t i, len;

	for (i = 0; i < n; i++) {
		len = strlen(table[i].name);
		if (table[i].name[len - 1] == '*'
		        ? begins_with(name, table[i].name, len - 1)
		        : bytes_are(name, table[i].name))
			return &waits[table[i].what];
	}
	return NULL;
}

/* Functions of PHP itself have no file. */
static const struct wait *
wait_of_php(const struct bob_dict *d, bob_fid id)
{
	static const char internal[] = "<internal";
	struct bob_bytes file = bob_str_get(d, d->frame[id].file);

	if (file.n > 0 && !begins_with(file, internal, sizeof(internal) - 1))
		return NULL;
	return find_php(d, id, php, N_OF(php));
}

static struct bob_bytes
behind(struct bob_bytes s, size_t n)
{
	return (struct bob_bytes){ s.p + n, s.n - n };
}

/* The C library has several names for one function: __poll, __GI___libc_read,
 * __libc_read. */
static struct bob_bytes
symbol_of(struct bob_bytes s)
{
	static const char *const before[] = { "GI", "libc" };
	size_t i;

	for (i = 0; i <= N_OF(before); i++) {
		while (s.n > 0 && s.p[0] == '_')
			s = behind(s, 1);
		if (i < N_OF(before) &&
		    begins_with(s, before[i], strlen(before[i])))
			s = behind(s, strlen(before[i]));
	}
	return s;
}

static const struct wait *
wait_of_native(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes name = symbol_of(bob_str_get(d, f->name));
	size_t i;

	for (i = 0; i < N_OF(native); i++)
		if (bytes_are(name, native[i].name))
			return &waits[native[i].what];
	return NULL;
}

static const struct wait *
client_of_native(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes name = symbol_of(bob_str_get(d, f->name));
	size_t i;

	for (i = 0; i < N_OF(native_clients); i++)
		if (begins_with(name, native_clients[i].name,
		        strlen(native_clients[i].name)))
			return &waits[native_clients[i].what];
	return NULL;
}

const struct wait *
wait_of(const struct bob_dict *d, bob_fid frame)
{
	const struct bob_frame *f = &d->frame[frame];

	switch (f->lang) {
	case BOB_LANG_PYTHON: return wait_of_python(d, f);
	case BOB_LANG_NATIVE: return wait_of_native(d, f);
	case BOB_LANG_PHP: return wait_of_php(d, frame);
	default: return NULL;
	}
}

/* A function of PHP that waits says it as the caller of native ones too. */
const struct wait *
wait_of_caller(const struct bob_dict *d, bob_fid frame)
{
	const struct bob_frame *f = &d->frame[frame];
	const struct wait *w;

	switch (f->lang) {
	case BOB_LANG_PYTHON: return client_of_python(d, f);
	case BOB_LANG_NATIVE: return client_of_native(d, f);
	case BOB_LANG_PHP:
		w = wait_of_php(d, frame);
		return w != NULL ? w : find_php(d, frame, php_clients,
		    N_OF(php_clients));
	default: return NULL;
	}
}
