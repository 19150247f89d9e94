/* Directories with source files; see the header. */
#include "sources.h"

#include <string.h>

#include <bobbin/source.h>

#include "print/msg.h"

static int
add_source(struct bob_sources *s, const struct arg *a)
{
	int sys;

	if (a->opt.id == OPT_PATH_MAP && strchr(a->value, '=') == NULL) {
		(void)msg_usage("--path-map '%s' is not FROM=TO", a->value);
		msg_hint("as in --path-map /srv/app=$HOME/app");
		return EXIT_USAGE;
	}
	if (a->opt.id != OPT_PATH_MAP && a->opt.id != OPT_SOURCE)
		return EXIT_OK;
	sys = bob_sources_add(s, a->value);
	if (sys == 0)
		return EXIT_OK;
	msg_error("source directory %s: %s", a->value, strerror(sys));
	return EXIT_FAILED;
}

int
sources_open(const struct args *args, struct bob_sources **ret)
{
	int code = EXIT_OK;
	size_t i;

	*ret = bob_sources_new();
	if (*ret == NULL)
		return msg_no_memory();
	for (i = 0; code == EXIT_OK && i < args->n_opts; i++)
		code = add_source(*ret, &args->opts[i]);
	return code;
}
