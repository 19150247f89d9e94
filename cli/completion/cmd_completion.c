/* bobbin completion: prints the completions of a shell. */
#include <stdio.h>

#include "args/args.h"
#include "completion.h"
#include "print/msg.h"

int
cmd_completion(const struct args *args)
{
	const char *shell = args->n_operands > 0 ? args->operands[0] : NULL;

	if (shell != NULL && completion_print(stdout, shell))
		return EXIT_OK;
	if (shell == NULL)
		(void)msg_usage("completion: no shell given");
	else
		(void)msg_usage("completion: unknown shell '%s'", shell);
	msg_hint("usage: bobbin completion bash|zsh|fish");
	return EXIT_USAGE;
}
