/*
 * Which stacks wait for work; see the header.
 *
 * A stack is the state of its parent and one frame more, so each node of the
 * tree of stacks is decided once, in a time that does not depend on its depth.
 */
#include "model/idle.h"

#include <assert.h>
#include <stdlib.h>

#include "core/memo.h"

/* What a frame says about waiting. */
enum idle_class {
	OWN = 0, /* of the program: it works */
	START,   /* begins a thread or a process */
	LOOP,    /* gets work and does it: a wait that it calls is for work */
	WAITER,  /* the same, and it waits itself, in a call without a frame */
	WAIT,    /* only waits, for its caller */
	REPLY,   /* the same, for an answer unless a LOOP calls it */
	REST,    /* waits for work with all that it calls */
	SYSTEM,  /* native, not one of these */
	SYSTEM_WAIT /* native, waits for work as the innermost frame */
};

enum idle_bits {
	KNOWN = 1,
	IN_START = 2,  /* the innermost frame but waits is a START */
	IN_LOOP = 4,   /* ... is a LOOP or a WAITER */
	IN_OWN = 8,    /* ... is the program's, near the start of its thread */
	IN_SYSTEM = 16, /* all frames are native */
	SETTLED = 32   /* a REST is among them */
};

/*
 * A thread's own function may wait for work this many calls deep. Deeper waits
 * are taken for those of a request. One call is the function that was given to
 * the thread, the other a loop that it calls.
 */
#define NEAR_START 2

/* Python: the name and the file (known.h). */
static const struct python_function {
	const char *name, *file;
	uint8_t class;
} python[] = {
	{ "_bootstrap", "python*/threading.py", START },
	{ "_bootstrap_inner", "python*/threading.py", START },
	{ "run", "python*/threading.py", START },
	{ "_bootstrap", "python*/multiprocessing/process.py", START },
	{ "run", "python*/multiprocessing/process.py", START },

	{ "wait", "python*/threading.py", WAIT },
	{ "wait_for", "python*/threading.py", WAIT },
	{ "_wait_for_tstate_lock", "python*/threading.py", WAIT },
	{ "join", "python*/threading.py", WAITER },
	{ "_shutdown", "python*/threading.py", WAITER },
	{ "get", "python*/queue.py", WAIT },
	{ "get", "python*/multiprocessing/queues.py", WAIT },
	{ "recv", "python*/multiprocessing/connection.py", WAIT },
	{ "recv_bytes", "python*/multiprocessing/connection.py", WAIT },
	{ "poll", "python*/multiprocessing/connection.py", WAIT },
	{ "wait", "python*/multiprocessing/connection.py", WAIT },
	{ "_poll", "python*/multiprocessing/connection.py", WAIT },
	{ "_recv", "python*/multiprocessing/connection.py", WAIT },
	{ "_recv_bytes", "python*/multiprocessing/connection.py", WAIT },
	{ "__enter__", "python*/multiprocessing/synchronize.py", WAIT },
	{ "wait", "python*/multiprocessing/synchronize.py", WAIT },
	{ "select", "python*/selectors.py", WAIT },
	{ "readinto", "python*/socket.py", REPLY },
	{ "wait", "python*/multiprocessing/popen_fork.py", REPLY },
	{ "poll", "python*/multiprocessing/popen_fork.py", REPLY },

	{ "acquire", "python*/threading.py", REPLY },
	{ "put", "python*/queue.py", REPLY },
	{ "result", "python*/concurrent/futures/_base.py", REPLY },
	{ "exception", "python*/concurrent/futures/_base.py", REPLY },
	{ "as_completed", "python*/concurrent/futures/_base.py", REPLY },
	{ "wait", "python*/concurrent/futures/_base.py", REPLY },
	{ "get", "python*/multiprocessing/pool.py", REPLY },
	{ "wait", "python*/multiprocessing/pool.py", REPLY },
	{ "wait", "python*/subprocess.py", REPLY },
	{ "communicate", "python*/subprocess.py", REPLY },

	{ "join", "python*/multiprocessing/process.py", WAITER },
	{ "accept", "python*/multiprocessing/connection.py", WAITER },
	{ "main", "python*/multiprocessing/resource_tracker.py", WAITER },
	{ "_worker", "python*/concurrent/futures/thread.py", WAITER },
	{ "_process_worker", "python*/concurrent/futures/process.py", LOOP },
	{ "wait_result_broken_or_wakeup",
	    "python*/concurrent/futures/process.py", LOOP },
	{ "_queue_management_worker",
	    "python*/concurrent/futures/process.py", LOOP },
	{ "worker", "python*/multiprocessing/pool.py", WAITER },
	{ "_handle_workers", "python*/multiprocessing/pool.py", WAITER },
	{ "_handle_tasks", "python*/multiprocessing/pool.py", WAITER },
	{ "_handle_results", "python*/multiprocessing/pool.py", WAITER },
	{ "_wait_for_updates", "python*/multiprocessing/pool.py", LOOP },
	{ "_help_stuff_finish", "python*/multiprocessing/pool.py", LOOP },
	{ "_feed", "python*/multiprocessing/queues.py", LOOP },
	{ "serve_forever", "python*/multiprocessing/managers.py", LOOP },
	{ "serve_client", "python*/multiprocessing/managers.py", LOOP },
	{ "dequeue", "python*/logging/handlers.py", LOOP },
	{ "accept", "python*/socket.py", WAITER },
	{ "serve_forever", "python*/socketserver.py", LOOP },
	{ "handle_one_request", "python*/http/server.py", LOOP },
	{ "poll", "python*/asyncore.py", WAITER },
	{ "poll2", "python*/asyncore.py", WAITER },
	{ "_run_once", "python*/asyncio/base_events.py", LOOP },
	{ "run", "python*/asyncio/runners.py", WAITER }, /* uvloop */

	{ "wait", "gunicorn/workers/sync.py", WAITER },
	{ "accept", "gunicorn/workers/sync.py", LOOP },
	{ "run", "gunicorn/workers/gthread.py", LOOP },
	{ "wait_for_and_dispatch_events", "gunicorn/workers/gthread.py",
	    LOOP },
	{ "sleep", "gunicorn/arbiter.py", WAITER },
	{ "wait_for_signals", "gunicorn/arbiter.py", WAITER },
	{ "serve", "uvicorn/server.py", WAITER },
	{ "run", "uvicorn/server.py", WAITER },
	{ "startup", "uvicorn/supervisors/multiprocess.py", LOOP },
	{ "run", "uvicorn/supervisors/multiprocess.py", LOOP },
	{ "should_restart", "uvicorn/supervisors/basereload.py", LOOP },
	{ "pause", "uvicorn/supervisors/basereload.py", LOOP },
	{ "run", "hypercorn/run.py", LOOP },
	{ "run", "gevent/hub.py", WAITER },
	{ "wait", "eventlet/hubs/poll.py", WAITER },
	{ "wait", "eventlet/hubs/hub.py", LOOP },
	{ "do_poll", "eventlet/hubs/epolls.py", WAITER },
	{ "doPoll", "twisted/internet/epollreactor.py", WAITER },
	{ "doIteration", "twisted/internet/pollreactor.py", WAITER },
	{ "get_events", "trio/_core/_io_epoll.py", WAITER },
	{ "start", "tornado/ioloop.py", WAITER },
	{ "handler_thread", "waitress/task.py", LOOP },
	{ "poll", "waitress/wasyncore.py", WAITER },
	{ "poll2", "waitress/wasyncore.py", WAITER },
	{ "run", "cheroot/workers/threadpool.py", LOOP },
	{ "_process_connections_until_interrupted",
	    "cheroot/workers/threadpool.py", LOOP },
	{ "_run", "cheroot/connections.py", LOOP },
	{ "_ThreadsafeSelector.select", "cheroot/connections.py", LOOP },
	{ "poll", "kombu/utils/eventio.py", WAITER },
	{ "_poll", "kombu/utils/eventio.py", WAITER },
	{ "body", "billiard/pool.py", WAITER },
	{ "receive", "billiard/pool.py", REST },
	{ "PubSub.parse_response", "redis/client.py", REST },
	{ "dequeue_job_and_maintain_ttl", "rq/worker.py", REST },
	{ "dequeue_job_and_maintain_ttl", "rq/worker/base.py", REST },
	{ "wait_for_horse", "rq/worker.py", WAITER },
	{ "wait_for_horse", "rq/worker/worker_classes.py", WAITER },
	{ "run", "dramatiq/worker.py", LOOP },
	{ "__next__", "dramatiq/brokers/rabbitmq.py", REST },
	{ "__next__", "dramatiq/brokers/redis.py", REST },
	{ "run", "dramatiq/middleware/time_limit.py", WAITER },
	{ "worker_process", "dramatiq/cli.py", WAITER },
	{ "_main_loop", "apscheduler/schedulers/blocking.py", LOOP },
};

/* PHP: the full name. What can wait has the file <internal>. */
static const struct php_function {
	const char *name;
	uint8_t class;
} php[] = {
	{ "pcntl_wait", WAITER },
	{ "pcntl_waitpid", WAITER },
	{ "pcntl_sigwaitinfo", WAITER },
	{ "pcntl_sigtimedwait", WAITER },
	{ "socket_accept", WAITER },
	{ "stream_socket_accept", WAITER },
	{ "msg_receive", WAITER },
	{ "frankenphp_handle_request", WAITER },
	{ "Swoole\\Server::start", WAITER },
	{ "Swoole\\Event::wait", WAITER },
	{ "Swoole\\Process::wait", WAITER },
	{ "EventBase::loop", WAITER },
	{ "EvLoop::run", WAITER },
	{ "uv_run", WAITER },
	{ "UVLoop::run", WAITER },
	{ "GearmanWorker::work", WAITER },
	{ "AMQPQueue::consume", WAITER },
	{ "RdKafka\\KafkaConsumer::consume", WAITER },
	{ "Swoole\\Coroutine\\Scheduler::start", WAITER },
	{ "sleep", REPLY },
	{ "usleep", REPLY },
	{ "time_nanosleep", REPLY },
	{ "stream_select", REPLY },
	{ "socket_select", REPLY },
	{ "fread", REPLY },
	{ "socket_recv", REPLY },
	{ "Illuminate\\Queue\\Worker::sleep", LOOP },
	{ "Laravel\\Horizon\\MasterSupervisor::monitor", LOOP },
	{ "Laravel\\Horizon\\Supervisor::monitor", LOOP },
	{ "Symfony\\Component\\Messenger\\Worker::run", LOOP },
	{ "React\\EventLoop\\StreamSelectLoop::streamSelect", LOOP },
	{ "Revolt\\EventLoop\\Driver\\StreamSelectDriver::selectStreams",
	    LOOP },
	{ "Amp\\Loop\\NativeDriver::selectStreams", LOOP },
	{ "Workerman\\Events\\Select::run", LOOP },
	{ "Workerman\\Worker::monitorWorkersForLinux", LOOP },
	{ "Spiral\\Goridge\\StreamRelay::waitFrame", LOOP },
	{ "Spiral\\Goridge\\SocketRelay::waitFrame", LOOP },
};

static const struct native_function {
	const char *name;
	uint8_t class;
} native[] = {
	{ "accept", SYSTEM_WAIT },
	{ "accept4", SYSTEM_WAIT },
	{ "epoll_wait", SYSTEM_WAIT },
	{ "epoll_pwait", SYSTEM_WAIT },
	{ "pause", SYSTEM_WAIT },
	{ "sigwait", SYSTEM_WAIT },
	{ "sigwaitinfo", SYSTEM_WAIT },
	{ "sigtimedwait", SYSTEM_WAIT },
	{ "fcgi_accept_request", REST },
	{ "fpm_event_loop", REST },
	{ "uwsgi_master_loop", REST },
	{ "wsgi_req_accept", REST },
	{ "blas_thread_server", REST },
	{ "background_thread_entry", REST },
};

#define N_OF(v) (sizeof(v) / sizeof((v)[0]))

static struct bob_bytes
text_of(const char *s)
{
	return (struct bob_bytes){ s, strlen(s) };
}

void
idle_init(struct idle *x, struct bob_ctx *ctx, const struct bob_dict *dict)
{
	size_t i;

	memset(x, 0, sizeof(*x));
	x->ctx = ctx;
	x->dict = dict;
	for (i = 0; i < N_OF(python); i++)
		known_ends_add(&x->python,
		    known_last_part(text_of(python[i].name)));
	for (i = 0; i < N_OF(php); i++)
		known_ends_add(&x->php, text_of(php[i].name));
}

void
idle_done(struct idle *x)
{
	free(x->stack);
	free(x->frame);
	free(x->path);
	memset(x, 0, sizeof(*x));
}

static uint8_t
class_of_python(const struct idle *x, const struct bob_frame *f)
{
	struct bob_bytes name = bob_str_get(x->dict, f->name);
	struct bob_bytes file = bob_str_get(x->dict, f->file);
	size_t i;

	if (!known_ends_has(&x->python, known_last_part(name)))
		return OWN;
	for (i = 0; i < N_OF(python); i++)
		if (known_python(name, python[i].name) &&
		    known_file(file, python[i].file))
			return python[i].class;
	return OWN;
}

static uint8_t
class_of_php(const struct idle *x, bob_fid id)
{
	char buf[KNOWN_NAME];
	struct bob_bytes name = known_php(x->dict, id, buf);
	size_t i;

	if (!known_ends_has(&x->php, name))
		return OWN;
	for (i = 0; i < N_OF(php); i++)
		if (bytes_are(name, php[i].name))
			return php[i].class;
	return OWN;
}

static uint8_t
class_of_native(const struct bob_dict *d, const struct bob_frame *f)
{
	struct bob_bytes name = bob_str_get(d, f->name);
	size_t i;

	for (i = 0; i < N_OF(native); i++)
		if (bytes_are(name, native[i].name))
			return native[i].class;
	return SYSTEM;
}

/* Sets *ret to the class of a frame. BOB_OK or FATAL. */
static int
class_of(struct idle *x, bob_fid id, uint8_t *ret)
{
	const struct bob_dict *d = x->dict;
	const struct bob_frame *f = &d->frame[id];

	if (MEMO_GROW(x->ctx, x, frame, (size_t)d->n.n_frame) < 0)
		return BOB_FATAL;
	if (x->frame[id] == 0)
		x->frame[id] = 1 + (f->lang == BOB_LANG_PYTHON
		    ? class_of_python(x, f) : f->lang == BOB_LANG_PHP
		    ? class_of_php(x, id) : f->lang == BOB_LANG_NATIVE
		    ? class_of_native(d, f) : OWN);
	*ret = x->frame[id] - 1;
	return BOB_OK;
}

/* A native frame counts only if there are no others. */
static struct idle_state
push_system(struct idle_state s, uint8_t class)
{
	if ((s.bits & IN_SYSTEM) == 0)
		return s;
	s.bits &= (uint8_t)~IDLE_WAITS;
	if (class == SYSTEM_WAIT)
		s.bits |= IDLE_WAITS;
	return s;
}

static struct idle_state
push_wait(struct idle_state s, int is_reply)
{
	if ((s.bits & IN_LOOP) ||
	    (!is_reply && (s.bits & (IN_OWN | IN_START))))
		s.bits |= IDLE_WAITS;
	else
		s.bits = KNOWN;
	return s;
}

/* A frame of the program. */
static struct idle_state
push_own(struct idle_state s)
{
	int is_near = (s.bits & (IN_START | IN_OWN)) != 0 &&
	    (s.bits & IDLE_WAITS) == 0 && s.n_own < NEAR_START;

	s.bits = KNOWN;
	if (is_near) {
		s.bits |= IN_OWN;
		s.n_own++;
	}
	return s;
}

/* The state of a stack with one frame more. */
static struct idle_state
push(struct idle_state s, uint8_t class)
{
	if (s.bits & SETTLED)
		return s;
	switch (class) {
	case START:
		return (struct idle_state){ KNOWN | IN_START, 0 };
	case LOOP:
		return (struct idle_state){ KNOWN | IN_LOOP, 0 };
	case WAITER:
		return (struct idle_state){ KNOWN | IN_LOOP | IDLE_WAITS, 0 };
	case REST:
		return (struct idle_state){ KNOWN | SETTLED | IDLE_WAITS, 0 };
	case WAIT:
	case REPLY:
		return push_wait(s, class == REPLY);
	case SYSTEM:
	case SYSTEM_WAIT:
		return push_system(s, class);
	default:
		return push_own(s);
	}
}

int
idle_resolve(struct idle *x, bob_stack s)
{
	const struct dict_node *node = x->dict->node;
	uint8_t class;
	size_t n = 0;

	assert(s < x->dict->n.n_stack);
	if (MEMO_GROW(x->ctx, x, stack, (size_t)x->dict->n.n_stack) < 0)
		return BOB_FATAL;
	x->stack[0].bits = KNOWN | IN_SYSTEM;
	/* Not recursive: stacks may be a million frames deep. */
	for (; x->stack[s].bits == 0; s = node[s].parent) {
		if (MEM_GROW(x->ctx, x, path, n + 1) < 0)
			return BOB_FATAL;
		x->path[n++] = s;
	}
	while (n > 0) {
		s = x->path[--n];
		if (class_of(x, node[s].frame, &class) < 0)
			return BOB_FATAL;
		x->stack[s] = push(x->stack[node[s].parent], class);
	}
	return BOB_OK;
}
