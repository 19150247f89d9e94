/* bob_confine for commands that capture; see the header. */
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/confine.h>

#include "print/msg.h"

/* True if files can be made and removed beside a path without a capability. */
static int
is_ours(const char *path)
{
	size_t n = strlen(path);
	char *folder = malloc(n + 2);
	struct stat st;
	int r = 0;

	if (folder == NULL)
		return 0;
	memcpy(folder, path, n + 1);
	while (n > 0 && folder[n - 1] != '/')
		n--;
	(void)snprintf(folder + n, 2, ".");
	r = stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	    ((st.st_uid == geteuid() && (st.st_mode & S_IWUSR) != 0) ||
	        (st.st_mode & S_IWOTH) != 0);
	free(folder);
	return r;
}

void
sandbox_enter(const struct args *args, struct bob_ctx *ctx,
    const struct bob_attach_opts *opts, const char *output, int has_child)
{
	uint32_t flags = 0;

	if (!args_has(args, OPT_NO_SANDBOX))
		flags |= BOB_CONFINE_CALLS;
	if ((opts->flags & BOB_ATTACH_NATIVE) != 0 ||
	    (opts->runtime != NULL && strcmp(opts->runtime, "native") == 0))
		flags |= BOB_CONFINE_NATIVE;
	if (has_child)
		flags |= BOB_CONFINE_CHILD;
	if (output != NULL && !is_ours(output))
		flags |= BOB_CONFINE_OVERRIDE;
	if (bob_confine(ctx, flags) != BOB_OK)
		msg_note("%s; going on without it", bob_ctx_error(ctx)->text);
}
