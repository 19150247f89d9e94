/* The words of --group-by; see the header. */
#include "grouping.h"

#include <stddef.h>
#include <string.h>

#include <bobbin/profile.h>

#include "print/msg.h"

static const struct {
	const char *name;
	int group;
} groups[] = {
	{ "function", BOB_GROUP_FUNCTION },
	{ "name", BOB_GROUP_NAME },
	{ "line", BOB_GROUP_LINE },
	{ "file", BOB_GROUP_FILE },
	{ "class", BOB_GROUP_CLASS },
	{ "module", BOB_GROUP_MODULE },
	{ "pid", BOB_GROUP_PID },
	{ "thread", BOB_GROUP_THREAD },
	{ "status", BOB_GROUP_STATUS },
	{ "annotation", BOB_GROUP_ANNOTATION },
	{ "segment", BOB_GROUP_SEGMENT },
	{ "minute", BOB_GROUP_MINUTE },
};

#define N_WORDS (sizeof(groups) / sizeof(groups[0]))

int
grouping_parse(const char *text, int *ret_group, const char **ret_annotation)
{
	size_t n = strcspn(text, ":"), i;

	for (i = 0; i < N_WORDS; i++) {
		int has_key = groups[i].group == BOB_GROUP_ANNOTATION;

		if (strlen(groups[i].name) != n ||
		    memcmp(groups[i].name, text, n) != 0 ||
		    has_key != (text[n] == ':' && text[n + 1] != '\0'))
			continue;
		*ret_group = groups[i].group;
		*ret_annotation = has_key ? text + n + 1 : NULL;
		return 1;
	}
	return 0;
}

int
grouping_set(const char *text, int *ret_group, const char **ret_annotation)
{
	if (grouping_parse(text, ret_group, ret_annotation))
		return EXIT_OK;
	return msg_value("group-by", text, "is unknown",
	    "group by line, function, name, file, class, module, pid, thread, "
	    "status, annotation:KEY, segment or minute");
}

int
grouping_split(int group)
{
	return group == BOB_GROUP_SEGMENT ? BOB_SPLIT_SEGMENT
	    : group == BOB_GROUP_MINUTE   ? BOB_SPLIT_MINUTE
	                                  : BOB_SPLIT_NONE;
}

const char *
grouping_name(int group)
{
	size_t i;

	for (i = 0; i + 1 < N_WORDS && groups[i].group != group; i++)
		;
	return groups[i].name;
}
