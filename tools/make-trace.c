/*
 * Makes a trace that looks like a web application under a sampling profiler:
 * a few routes of a Symfony and a Laravel application, served by several
 * processes at once, with the database under them.
 *
 *     make-trace --samples 1000000 --stacks 2000 --pids 4 > trace.rbt
 *
 * The same options give the same bytes everywhere: all choices come from one
 * integer generator, and nothing depends on time, addresses or floating
 * point. Written through the public API only, in runs, so that 10^8 samples
 * take seconds.
 *
 * Which function calls which is fixed by a hash, so stacks share their outer
 * parts as real ones do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/bobbin.h>

#define MAX_PERIODS 16
#define MAX_PIDS 1024
#define BATCH 512          /* runs handed over at once */
#define MAX_TIMES 65536    /* differences in one batch */
#define CALL_SITES 8       /* places from which a function calls */
#define REQUEST 60         /* runs of a request, on average */

struct options {
	uint64_t samples, segments, stacks, run_mean, pids, seed, start;
	uint64_t periods[MAX_PERIODS];
	size_t n_periods;
	int annotations, times;
};

/* --- the application ---------------------------------------------------- */

struct function {
	const char *name, *file;
};

static const struct function symfony[] = {
	{ "<main>", "/srv/shop/public/index.php" },
	{ "Symfony\\Component\\Runtime\\Runner\\Symfony\\HttpKernelRunner::run",
	    "/srv/shop/vendor/symfony/runtime/Runner/Symfony/"
	    "HttpKernelRunner.php" },
	{ "Symfony\\Component\\HttpKernel\\Kernel::handle",
	    "/srv/shop/vendor/symfony/http-kernel/Kernel.php" },
	{ "Symfony\\Component\\HttpKernel\\HttpKernel::handle",
	    "/srv/shop/vendor/symfony/http-kernel/HttpKernel.php" },
	{ "Symfony\\Component\\HttpKernel\\HttpKernel::handleRaw",
	    "/srv/shop/vendor/symfony/http-kernel/HttpKernel.php" },
};

static const struct function laravel[] = {
	{ "<main>", "/srv/api/public/index.php" },
	{ "Illuminate\\Foundation\\Http\\Kernel::handle",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Foundation/"
	    "Http/Kernel.php" },
	{ "Illuminate\\Foundation\\Http\\Kernel::sendRequestThroughRouter",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Foundation/"
	    "Http/Kernel.php" },
	{ "Illuminate\\Pipeline\\Pipeline::then",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Pipeline/"
	    "Pipeline.php" },
	{ "Illuminate\\Pipeline\\Pipeline::Illuminate\\Pipeline\\{closure}",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Pipeline/"
	    "Pipeline.php" },
	{ "Illuminate\\Routing\\Router::runRouteWithinStack",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Routing/"
	    "Router.php" },
};

struct route {
	const char *method, *path;
	struct function controller;
	const struct function *outer;
	size_t n_outer;
};

#define OUTER(v) (v), sizeof(v) / sizeof((v)[0])

static const struct route routes[] = {
	{ "GET", "/", { "App\\Controller\\HomeController::index",
	    "/srv/shop/src/Controller/HomeController.php" },
	    OUTER(symfony) },
	{ "GET", "/product/{slug}",
	    { "App\\Controller\\ProductController::show",
	        "/srv/shop/src/Controller/ProductController.php" },
	    OUTER(symfony) },
	{ "POST", "/cart/{id}", { "App\\Controller\\CartController::add",
	    "/srv/shop/src/Controller/CartController.php" },
	    OUTER(symfony) },
	{ "GET", "/search", { "App\\Controller\\SearchController::query",
	    "/srv/shop/src/Controller/SearchController.php" },
	    OUTER(symfony) },
	{ "GET", "/api/orders",
	    { "App\\Http\\Controllers\\OrderController::index",
	        "/srv/api/app/Http/Controllers/OrderController.php" },
	    OUTER(laravel) },
	{ "POST", "/api/orders",
	    { "App\\Http\\Controllers\\OrderController::store",
	        "/srv/api/app/Http/Controllers/OrderController.php" },
	    OUTER(laravel) },
	{ "GET", "/api/users/{user}",
	    { "App\\Http\\Controllers\\UserController::show",
	        "/srv/api/app/Http/Controllers/UserController.php" },
	    OUTER(laravel) },
};

static const struct function inner[] = {
	{ "App\\Service\\Catalog::find", "/srv/shop/src/Service/Catalog.php" },
	{ "App\\Service\\Pricing::quote",
	    "/srv/shop/src/Service/Pricing.php" },
	{ "App\\Service\\Pricing::discounts",
	    "/srv/shop/src/Service/Pricing.php" },
	{ "App\\Service\\Stock::available", "/srv/shop/src/Service/Stock.php" },
	{ "App\\Repository\\ProductRepository::findBySlug",
	    "/srv/shop/src/Repository/ProductRepository.php" },
	{ "App\\Repository\\OrderRepository::latest",
	    "/srv/shop/src/Repository/OrderRepository.php" },
	{ "Doctrine\\ORM\\EntityManager::find",
	    "/srv/shop/vendor/doctrine/orm/src/EntityManager.php" },
	{ "Doctrine\\ORM\\UnitOfWork::commit",
	    "/srv/shop/vendor/doctrine/orm/src/UnitOfWork.php" },
	{ "Doctrine\\ORM\\Persisters\\Entity\\BasicEntityPersister::load",
	    "/srv/shop/vendor/doctrine/orm/src/Persisters/Entity/"
	    "BasicEntityPersister.php" },
	{ "Doctrine\\ORM\\Internal\\Hydration\\ObjectHydrator::hydrateAllData",
	    "/srv/shop/vendor/doctrine/orm/src/Internal/Hydration/"
	    "ObjectHydrator.php" },
	{ "Doctrine\\DBAL\\Connection::executeQuery",
	    "/srv/shop/vendor/doctrine/dbal/src/Connection.php" },
	{ "Twig\\Environment::render",
	    "/srv/shop/vendor/twig/twig/src/Environment.php" },
	{ "Twig\\Template::display",
	    "/srv/shop/vendor/twig/twig/src/Template.php" },
	{ "__TwigTemplate_4f1c9b::block_body",
	    "/srv/shop/var/cache/prod/twig/4f/4f1c9b.php" },
	{ "Symfony\\Component\\EventDispatcher\\EventDispatcher::dispatch",
	    "/srv/shop/vendor/symfony/event-dispatcher/EventDispatcher.php" },
	{ "Symfony\\Component\\Serializer\\Serializer::normalize",
	    "/srv/shop/vendor/symfony/serializer/Serializer.php" },
	{ "Illuminate\\Database\\Eloquent\\Builder::get",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Database/"
	    "Eloquent/Builder.php" },
	{ "Illuminate\\Database\\Eloquent\\Model::hydrate",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Database/"
	    "Eloquent/Model.php" },
	{ "Illuminate\\Support\\Collection::map",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Collections/"
	    "Collection.php" },
	{ "Illuminate\\Container\\Container::resolve",
	    "/srv/api/vendor/laravel/framework/src/Illuminate/Container/"
	    "Container.php" },
	{ "Monolog\\Logger::addRecord",
	    "/srv/shop/vendor/monolog/monolog/src/Monolog/Logger.php" },
};

static const char *const leaves[] = {
	"PDOStatement::execute", "PDO::query", "preg_match", "json_encode",
	"file_get_contents", "array_map", "str_replace", "usort",
	"password_verify", "curl_exec", "Redis::get", "htmlspecialchars",
};
#define N_SQL_LEAVES 2 /* the first ones talk to the database */

static const char *const queries[] = {
	"SELECT * FROM product WHERE slug = ?",
	"SELECT id, total FROM orders WHERE user_id = ? LIMIT 50",
	"UPDATE cart SET quantity = ? WHERE id = ?",
	"SELECT p.id, p.price FROM price p JOIN product q ON q.id = p.id",
};

#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

/* --- choices ------------------------------------------------------------ */

static uint64_t
mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t
random_next(uint64_t *state)
{
	return mix((*state)++);
}

static uint64_t
random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}

/* Below n, small numbers far more often: n times the cube of a fraction. */
static size_t
random_skewed(uint64_t *state, size_t n)
{
	uint64_t u = random_next(state) >> 43; /* 21 bits, cube fits 63 */
	uint64_t cube = u * u * u >> 31;       /* 32 bits */

	return (size_t)(n * cube >> 32);
}

/* --- stacks ------------------------------------------------------------- */

struct stack {
	bob_stack id;
	int is_sql;
};

struct app {
	struct bob_dict *dict;
	uint64_t random;
	struct stack *stacks[COUNT(routes)];
	size_t n_stacks[COUNT(routes)];
	bob_annot plain[COUNT(routes)];
	bob_annot with_query[COUNT(routes)][COUNT(queries)];
	bob_tid tracks[MAX_PIDS];
};

static bob_str
str(struct bob_dict *d, const char *s)
{
	return bob_str_put(d, s, strlen(s));
}

static bob_stack
push(struct bob_dict *d, bob_stack s, const char *name, const char *file,
    int64_t line)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP, .where = line };
	bob_fid id;

	f.file = str(d, file);
	if (s == BOB_NO_ID || f.file == BOB_NO_ID ||
	    bob_frame_set_php_name(d, &f, name, strlen(name)) < 0)
		return BOB_NO_ID;
	id = bob_frame_put(d, &f);
	return id == BOB_NO_ID ? BOB_NO_ID : bob_stack_push(d, s, id);
}

static int64_t
line_of(uint64_t hash)
{
	return (int64_t)(20 + hash % 380);
}

/* One way through a route: its outer frames, then calls. A function calls
 * others from a few places, always the same ones. */
static bob_stack
walk(struct app *a, const struct route *r, size_t *ret_leaf)
{
	uint64_t h = mix(1000 + (uint64_t)(r - routes)), depth, k;
	bob_stack s = 0;
	size_t i;

	for (i = 0; i < r->n_outer; i++)
		s = push(a->dict, s, r->outer[i].name, r->outer[i].file,
		    line_of(mix(i)));
	s = push(a->dict, s, r->controller.name, r->controller.file,
	    line_of(h));
	depth = 3 + random_below(&a->random, 18);
	for (k = 0; k < depth; k++) {
		const struct function *f;

		h = mix(h % COUNT(inner) * CALL_SITES +
		    random_below(&a->random, CALL_SITES));
		f = &inner[h % COUNT(inner)];
		s = push(a->dict, s, f->name, f->file, line_of(h >> 32));
	}
	*ret_leaf = (size_t)random_below(&a->random, COUNT(leaves));
	return push(a->dict, s, leaves[*ret_leaf], "<internal>", -1);
}

/* As many different stacks as asked for, dealt out to the routes. */
static int
make_stacks(struct app *a, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < COUNT(routes); i++) {
		a->stacks[i] = calloc(n / COUNT(routes) + 1,
		    sizeof(*a->stacks[i]));
		if (a->stacks[i] == NULL)
			return -1;
	}
	for (i = 0; i < n;) {
		size_t r = i % COUNT(routes), leaf;
		uint32_t before = bob_dict_counts(a->dict).n_stack;
		bob_stack s = walk(a, &routes[r], &leaf);

		if (s == BOB_NO_ID)
			return -1;
		if (s < before)
			continue; /* this one was there already */
		a->stacks[r][a->n_stacks[r]++] = (struct stack){ s,
			leaf < N_SQL_LEAVES };
		i++;
	}
	return 0;
}

static int
make_annotations(struct app *a)
{
	struct bob_pair p[3];
	size_t r, q;

	p[0].key = str(a->dict, "http.route");
	p[1].key = str(a->dict, "http.method");
	p[2].key = str(a->dict, "query");
	for (r = 0; r < COUNT(routes); r++) {
		p[0].value = str(a->dict, routes[r].path);
		p[1].value = str(a->dict, routes[r].method);
		a->plain[r] = bob_annot_put(a->dict, p, 2);
		for (q = 0; q < COUNT(queries); q++) {
			p[2].value = str(a->dict, queries[q]);
			a->with_query[r][q] = bob_annot_put(a->dict, p, 3);
			if (a->with_query[r][q] == BOB_NO_ID)
				return -1;
		}
	}
	return 0;
}

static int
make_tracks(struct app *a, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		struct bob_track t = { .pid = 4100 + 7 * i,
			.flags = BOB_TRACK_PID };

		a->tracks[i] = bob_track_put(a->dict, &t);
		if (a->tracks[i] == BOB_NO_ID)
			return -1;
	}
	return 0;
}

/* --- samples ------------------------------------------------------------ */

/* What a process is busy with. */
struct worker {
	size_t route;
	uint64_t left; /* runs until its next request */
};

struct batch {
	struct bob_writer *out;
	struct bob_run runs[BATCH];
	size_t n;
	uint32_t times[MAX_TIMES];
	size_t n_times;
};

static int
batch_flush(struct batch *b)
{
	int r = b->n > 0 ? bob_write_runs(b->out, b->runs, b->n) : BOB_OK;

	b->n = b->n_times = 0;
	return r;
}

/* Gives a run its times: about a period apart, with some jitter. */
static void
add_times(struct batch *b, struct bob_run *run, uint64_t period, uint64_t *t,
    uint64_t *random)
{
	uint64_t i, jitter = period / 8 + 1;

	run->flags |= BOB_RUN_TIMED;
	*t += period - jitter / 2 + random_below(random, jitter);
	run->t_first = *t;
	run->dt = run->count > 1 ? &b->times[b->n_times] : NULL;
	for (i = 1; i < run->count; i++) {
		uint32_t d = (uint32_t)(period - jitter / 2 +
		    random_below(random, jitter));

		b->times[b->n_times++] = d;
		*t += d;
	}
	run->t_last = *t;
}

/* The next run of one of the workers. */
static struct bob_run
next_run(struct app *a, const struct options *o, struct worker *workers)
{
	size_t w = (size_t)random_below(&a->random, o->pids > 0 ? o->pids : 1);
	struct worker *at = &workers[w];
	const struct stack *s;
	struct bob_run run = { 0 };

	if (at->left == 0) {
		do {
			at->route = (size_t)random_below(&a->random,
			    COUNT(routes));
		} while (a->n_stacks[at->route] == 0);
		at->left = 1 + random_below(&a->random, 2 * REQUEST);
	}
	at->left--;
	s = &a->stacks[at->route][random_skewed(&a->random,
	    a->n_stacks[at->route])];
	run.stack = s->id;
	run.count = 1 + random_below(&a->random, 2 * o->run_mean - 1);
	if (o->pids > 0)
		run.track = a->tracks[w];
	if (o->annotations)
		run.annot = s->is_sql
		    ? a->with_query[at->route][s->id % COUNT(queries)]
		    : a->plain[at->route];
	return run;
}

/* The date of time 0, in microseconds since 1970. */
static int
write_date(struct app *a, struct batch *b, uint64_t start)
{
	char text[24];
	struct bob_mark date = { .kind = BOB_MARK_META,
		.key = str(a->dict, "profiler.start_us") };

	(void)snprintf(text, sizeof(text), "%" PRIu64, start);
	date.value = str(a->dict, text);
	return bob_write_mark(b->out, &date);
}

static int
write_segment(struct app *a, const struct options *o, struct batch *b,
    struct worker *workers, uint64_t index, uint64_t n)
{
	struct bob_segment segment = { .index = index,
		.period_us = o->periods[index % o->n_periods],
		.flags = o->times ? BOB_SEGMENT_TIMED : 0 };
	struct bob_mark host = { .kind = BOB_MARK_META,
		.key = str(a->dict, "host"), .value = str(a->dict, "web-1") };
	uint64_t t = 0;

	if (bob_write_segment(b->out, &segment) < 0 ||
	    bob_write_mark(b->out, &host) < 0 ||
	    (o->start > 0 && write_date(a, b, o->start) < 0))
		return -1;
	while (n > 0) {
		struct bob_run run = next_run(a, o, workers);

		if (run.count > n)
			run.count = n;
		if (o->times && run.count > MAX_TIMES)
			run.count = MAX_TIMES;
		if ((b->n == BATCH || (o->times &&
		        b->n_times + run.count > MAX_TIMES)) &&
		    batch_flush(b) < 0)
			return -1;
		if (o->times)
			add_times(b, &run, segment.period_us, &t, &a->random);
		b->runs[b->n++] = run;
		n -= run.count;
	}
	return batch_flush(b);
}

static int
write_all(struct app *a, const struct options *o, struct bob_writer *out)
{
	struct worker *workers = calloc(o->pids + 1, sizeof(*workers));
	struct batch *b = calloc(1, sizeof(*b));
	uint64_t i, done = 0;
	int r = workers == NULL || b == NULL ? -1 : 0;

	if (b != NULL)
		b->out = out;
	for (i = 0; r >= 0 && i < o->segments; i++) {
		uint64_t n = (o->samples - done) / (o->segments - i);

		r = write_segment(a, o, b, workers, i, n);
		done += n;
	}
	free(workers);
	free(b);
	return r;
}

/* --- the command line --------------------------------------------------- */

static int
parse_number(const char **s, uint64_t *ret)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9' && v < UINT64_MAX / 10 - 1; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == *s)
		return 0;
	*s = p;
	*ret = v;
	return 1;
}

static int
parse_periods(struct options *o, const char *s)
{
	o->n_periods = 0;
	do {
		if (o->n_periods == MAX_PERIODS ||
		    !parse_number(&s, &o->periods[o->n_periods]) ||
		    o->periods[o->n_periods] < 10)
			return 0;
		o->n_periods++;
	} while (*s == ',' && *++s != '\0');
	return *s == '\0';
}

static int
parse_option(struct options *o, const char *name, const char *value)
{
	const struct {
		const char *name;
		uint64_t *to, min, max;
	} numbers[] = {
		{ "--samples", &o->samples, 0, UINT64_MAX / 16 },
		{ "--segments", &o->segments, 1, 10000000 },
		{ "--stacks", &o->stacks, 1, 10000000 },
		{ "--run-mean", &o->run_mean, 1, UINT32_MAX },
		{ "--pids", &o->pids, 0, MAX_PIDS },
		{ "--seed", &o->seed, 0, UINT64_MAX },
		{ "--start", &o->start, 0, UINT64_MAX / 16 },
	};
	size_t i;

	if (value == NULL)
		return 0;
	if (strcmp(name, "--periods") == 0)
		return parse_periods(o, value);
	for (i = 0; i < COUNT(numbers); i++) {
		uint64_t v;

		if (strcmp(name, numbers[i].name) != 0)
			continue;
		if (!parse_number(&value, &v) || *value != '\0' ||
		    v < numbers[i].min || v > numbers[i].max)
			return 0;
		*numbers[i].to = v;
		return 1;
	}
	return 0;
}

static int
parse_args(struct options *o, char **argv)
{
	for (argv++; *argv != NULL; argv++) {
		if (strcmp(*argv, "--annotations") == 0)
			o->annotations = 1;
		else if (strcmp(*argv, "--times") == 0)
			o->times = 1;
		else if (parse_option(o, argv[0], argv[1]))
			argv++;
		else
			return 0;
	}
	return 1;
}

static int
make_trace(struct bob_ctx *ctx, const struct options *o)
{
	struct bob_target to = { .path = "-" };
	struct bob_option times = { "timestamps", o->times ? "delta"
	                                                   : "none" };
	struct bob_write_opts opts = { .size = sizeof(opts), .format = "rbt",
		.options = &times, .n_options = 1 };
	struct app *a = calloc(1, sizeof(*a));
	struct bob_writer *out = NULL;
	size_t i;
	int r = -1;

	if (a == NULL || bob_create(ctx, &to, &opts, &out) < 0)
		goto done;
	a->dict = bob_writer_dict(out);
	a->random = mix(o->seed);
	if (make_stacks(a, o->stacks) < 0 || make_annotations(a) < 0 ||
	    make_tracks(a, o->pids) < 0)
		goto done;
	r = write_all(a, o, out);
	if (r >= 0) {
		r = bob_finish(out);
		out = NULL;
	}
done:
	bob_discard(out);
	for (i = 0; a != NULL && i < COUNT(routes); i++)
		free(a->stacks[i]);
	free(a);
	return r;
}

int
main(int argc, char **argv)
{
	struct options o = { .samples = 100000, .segments = 1, .stacks = 1000,
		.run_mean = 4, .seed = 1, .periods = { 10000 },
		.n_periods = 1 };
	struct bob_ctx *ctx;
	int r;

	(void)argc;
	if (!parse_args(&o, argv)) {
		(void)fprintf(stderr, "usage: make-trace [--samples N] "
		    "[--segments N] [--stacks N] [--run-mean N]\n"
		    "           [--pids N] [--periods US,US...] "
		    "[--annotations] [--times] [--seed N] [--start US]\n");
		return 2;
	}
	if (isatty(STDOUT_FILENO)) {
		(void)fprintf(stderr, "make-trace: the trace is binary: "
		    "redirect it\n");
		return 2;
	}
	ctx = bob_ctx_new();
	r = ctx == NULL ? -1 : make_trace(ctx, &o);
	if (r < 0)
		(void)fprintf(stderr, "make-trace: %s\n",
		    ctx == NULL ? "out of memory" : bob_ctx_error(ctx)->text);
	bob_ctx_free(ctx);
	return r < 0;
}
